"""Polarity and attention score of every word of labelled texts: Sun & Lu's two quantities, for any attention model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..data.tokenizers.word_level import normalize
from ..explaining.words import method_name
from ..inference.fitted import FittedClassifier
from ..interfaces.document import Document, Label, Words
from ..interfaces.errors import DataError, OptionError
from ..maths.tensors.masked import gather_words
from ..maths.tensors.polarity import NONE, token_groups


@dataclass(frozen=True, eq=False)
class AttentionWords:
    """Scores of each word; polarity has one column for two classes (above 0 is the second), else one per class."""

    words: tuple[str, ...]
    classes: tuple[Label, ...]
    counts: np.ndarray  # (word, class) occurrences in texts of the class
    groups: np.ndarray  # (word,) number of a class, the number of classes for neutral, -1 for neither
    polarity: np.ndarray  # (word, score) W·h, averaged over the word's occurrences
    attention: np.ndarray  # (word,) score before the softmax, averaged over the word's occurrences
    polarity_alone: np.ndarray  # (word, score) of the word as a text of its own
    attention_alone: np.ndarray  # (word,)
    share: np.ndarray  # (word,) attention weight times the tokens of the text, averaged: 1 is an equal share

    def __len__(self) -> int:
        """Count the words."""
        return len(self.words)

    @property
    def group_names(self) -> tuple[str, ...]:
        """The classes, and neutral (balanced, if a class is called neutral)."""
        classes = tuple(map(str, self.classes))
        return (*classes, "balanced" if "neutral" in classes else "neutral")

    @property
    def frequencies(self) -> np.ndarray:
        """(word,) occurrences in all texts."""
        total: np.ndarray = self.counts.sum(1)
        return total

    @property
    def leaning(self) -> np.ndarray:
        """(word,) the polarity; with more than two classes, how far the highest lies above the mean of all."""
        scores = self.polarity
        leaning: np.ndarray = scores[:, 0] if scores.shape[1] == 1 else scores.max(1) - scores.mean(1)
        return leaning

    def group(self, number: int) -> np.ndarray:
        """Positions of the words of a group."""
        return np.flatnonzero(self.groups == number)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Give plain values, the most frequent word first."""
        names = self.group_names
        columns = ("",) if self.polarity.shape[1] == 1 else names[:-1]
        for i in np.argsort(-self.frequencies, kind="stable"):
            yield {
                "word": self.words[i],
                "group": None if self.groups[i] == NONE else names[self.groups[i]],
                "count": dict(zip(names[:-1], self.counts[i].tolist(), strict=True)),
                "polarity": _named(columns, self.polarity[i]),
                "attention": float(self.attention[i]),
                "polarity_alone": _named(columns, self.polarity_alone[i]),
                "attention_alone": float(self.attention_alone[i]),
                "share": float(self.share[i]),
            }


def _named(columns: Sequence[str], values: np.ndarray) -> Any:
    return float(values[0]) if len(columns) == 1 else dict(zip(columns, values.tolist(), strict=True))


def polarity_weights(classifier: FittedClassifier) -> Tensor:
    """Give W, (score, dim), of a model with attention and one linear layer; refuse all other models."""
    method = classifier.method
    if classifier.multi_label:
        raise OptionError(
            "The polarity of a word is about classes that exclude each other, and this model gives several labels: "
            "explain it with own, or audit it."
        )
    linear = getattr(getattr(method, "head", None), "linear", None)
    if linear is None or not hasattr(getattr(method, "attention", None), "scores"):
        raise OptionError(
            f"The method '{method_name(classifier)}' has no attention scores to look at: train a model with "
            "--method polarity-attention or attention."
        )
    if linear.in_features != method.encoder.state_dim:
        raise OptionError(
            "The last layer of this model does not read states one by one, as with several attention heads, so words "
            "have no polarity: train a model with one head and nothing beside the states."
        )
    weight: Tensor = linear.weight.detach()
    return weight[1:] - weight[:1] if len(weight) == 2 else weight


def attention_words(classifier: FittedClassifier, documents: Sequence[Document]) -> AttentionWords:
    """Score the words of labelled texts, those the model was trained on; words it does not know are left out."""
    weights = polarity_weights(classifier)
    numbers = {label: number for number, label in enumerate(classifier.classes)}
    for document in documents:
        if document.label not in numbers:
            raise DataError(
                f"A text has the class {document.label!r}, but the model knows {', '.join(map(str, numbers))}: "
                "give the data it was trained on."
            )
    lowercase = bool(getattr(classifier.tokenizer, "lowercase", True))
    known = set(classifier.tokenizer.token_strings()) if classifier.method.encoder.token_kind == "words" else None
    index: dict[str, int] = {}
    places: list[np.ndarray] = []  # per text: the number of each of its words, -1 for unknown ones
    for document in documents:
        normal = (normalize(word, lowercase) for word in document.words.strings)
        numbers_of_text = [index.setdefault(w, len(index)) if known is None or w in known else -1 for w in normal]
        places.append(np.array(numbers_of_text, dtype=np.int64))
    if not index:
        raise DataError("The texts hold no word that the model knows: give the data it was trained on.")
    counts = np.zeros((len(index), len(numbers)), dtype=np.int64)
    for document, place in zip(documents, places, strict=True):
        np.add.at(counts[:, numbers[document.label]], place[place >= 0], 1)  # type: ignore[index]
    words = tuple(index)
    alone = [Words((word,), (((0, len(word)),),)) for word in words]
    polarity, attention, share = _average(classifier, [d.words for d in documents], places, len(words), weights)
    own = _average(classifier, alone, list(np.arange(len(words))[:, None]), len(words), weights)
    read = np.flatnonzero(~np.isnan(attention))  # the encoder's limit may have cut off all occurrences of a word
    columns = (counts, token_groups(counts), polarity, attention, own[0], own[1], share)
    return AttentionWords(tuple(words[i] for i in read), classifier.classes, *(column[read] for column in columns))


@torch.inference_mode()
def _average(
    classifier: FittedClassifier, texts: Sequence[Words], places: Sequence[np.ndarray], count: int, weights: Tensor
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Average polarity, attention score and share over the occurrences of each word."""
    method: Any = classifier.method.eval()
    totals, seen = np.zeros((count, len(weights) + 2)), np.zeros(count)
    for chosen, batch in classifier.batches(texts):
        states = method.encoder.encode(method.encoder.embed(batch), batch)[-1]
        most = max(len(places[i]) for i in chosen)
        share = method.attention(states, batch.mask) * batch.mask.sum(-1, keepdim=True)
        tokens = [*(states @ weights.T).unbind(-1), method.attention.scores(states)]
        values = [gather_words(value, batch.word_of_token, most, average=True) for value in tokens]
        values.append(gather_words(share, batch.word_of_token, most, average=False))
        read = gather_words(batch.is_word.to(states.dtype), batch.word_of_token, most, average=True) > 0
        table = torch.stack(values, -1).double().cpu().numpy()  # (text, word, score + 2)
        place = np.full((len(chosen), most), -1)
        for row, i in enumerate(chosen):
            place[row, : len(places[i])] = places[i]
        counted = (place >= 0) & read.cpu().numpy()
        np.add.at(totals, place[counted], table[counted])
        np.add.at(seen, place[counted], 1)
    means = totals / np.where(seen == 0, np.nan, seen)[:, None]
    return means[:, :-2], means[:, -2], means[:, -1]
