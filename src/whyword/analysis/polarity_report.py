"""Do attention scores follow polarity? The claims of Sun & Lu (ACL 2020), tested on one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cosine_similarity

from ..blocks.attention import in_word_space, plain_query, query_overlap
from ..data.batching import Corpus
from ..inference.fitted import FittedClassifier
from ..interfaces.document import Document
from ..interfaces.settings import json_ready
from ..maths.stats.comparisons import cliffs_delta
from ..maths.stats.correlation import spearman
from ..maths.stats.intervals import share_interval
from ..maths.tensors.polarity import mean_dot_products
from .polarity import AttentionWords, attention_words, polarity_weights


@dataclass(frozen=True)
class Claim:
    """A statement of the paper as a number with its 95 % interval."""

    name: str
    measure: str  # what the number is
    value: float
    low: float
    high: float
    holds: bool | None  # None: the claim says nothing of such a number


@dataclass(frozen=True, eq=False)
class AttentionReport:
    """How attention and polarity are related in one model."""

    words: AttentionWords
    scale: float | None  # λ
    overlap: tuple[float, ...] | None  # V·W per score
    cosine: tuple[float, ...] | None  # of V and W
    claims: tuple[Claim, ...]
    dot_products: np.ndarray | None  # Ω: (group, group) means over word vectors; None for word pieces
    updates: Mapping[str, tuple[float, ...]] | None  # mean of each term A to F per group; None where they do not apply

    def group_table(self) -> list[dict[str, Any]]:
        """Means of each group, ready to be shown."""
        words = self.words
        table = []
        for number, name in enumerate(words.group_names):
            chosen = words.group(number)
            row: dict[str, Any] = {"group": name, "words": len(chosen)}
            for column in ("polarity", "attention", "polarity_alone", "attention_alone", "share"):
                row[column] = _mean(getattr(words, column)[chosen], number)
            table.append(row)
        return table

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        names = self.words.group_names
        products = [] if self.dot_products is None else self.dot_products.tolist()
        updates = self.updates or {}
        return {
            "words": len(self.words),
            "scale": self.scale,
            "overlap": self.overlap,
            "cosine": self.cosine,
            "groups": self.group_table(),
            "claims": [asdict(claim) for claim in self.claims],
            "dot_products": {
                name: {other: json_ready(mean) for other, mean in zip(names, row, strict=True)}
                for name, row in zip(names, products, strict=False)
            }
            or None,
            "updates": {term: dict(zip(names, values, strict=True)) for term, values in updates.items()} or None,
        }


def attention_report(classifier: FittedClassifier, documents: Sequence[Document]) -> AttentionReport:
    """Analyze a model with attention on the labelled texts it was trained on."""
    words = attention_words(classifier, documents)
    overlap, cosine = _overlaps(classifier)
    return AttentionReport(
        words=words,
        scale=getattr(classifier.method.attention, "scale", None),
        overlap=overlap,
        cosine=cosine,
        claims=tuple(filter(None, (_polarity(words), _attended(words), _gap(words, overlap), _weights(words)))),
        dot_products=_dot_products(classifier, words),
        updates=_updates(classifier, words, documents),
    )


def _mean(values: np.ndarray, group: int) -> float | None:
    """Average over words; of many scores that of the group's class, for neutral words all of them."""
    if not len(values):
        return None
    several = values.ndim == 2 and values.shape[1] > 1
    return float(np.mean(values[:, group] if several and group < values.shape[1] else values))


@torch.no_grad()
def _overlaps(classifier: FittedClassifier) -> tuple[tuple[float, ...] | None, tuple[float, ...] | None]:
    query, weights = plain_query(classifier.method.attention), polarity_weights(classifier)  # type: ignore[arg-type]
    if query is None:
        return None, None
    encoder = classifier.method.encoder
    cosine = cosine_similarity(in_word_space(weights, encoder), in_word_space(query, encoder), dim=-1)
    return tuple(query_overlap(query, weights, encoder).tolist()), tuple(cosine.tolist())


def _polarity(words: AttentionWords) -> Claim | None:
    classes = len(words.classes)
    chosen = np.flatnonzero((words.groups >= 0) & (words.groups < classes))
    if not len(chosen):
        return None
    scores = words.polarity[chosen]
    predicted = (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(1)
    right = int((predicted == words.groups[chosen]).sum())
    low, high = share_interval(right, len(chosen))
    measure = f"share of {len(chosen):,} class words whose polarity names their class"
    return Claim("polarity follows the class", measure, right / len(chosen), low, high, low > 1 / classes)


def _attended(words: AttentionWords) -> Claim | None:
    classes = len(words.classes)
    effect = cliffs_delta(
        words.attention[(words.groups >= 0) & (words.groups < classes)], words.attention[words.group(classes)]
    )
    if effect is None:
        return None
    measure = "Cliff's delta of attention scores, class words against neutral words"
    return Claim("class words are attended to", measure, effect.value, effect.low, effect.high, effect.low > 0)


def _gap(words: AttentionWords, overlap: tuple[float, ...] | None) -> Claim | None:
    """Compare the second class with the first, as V·W has it; of more classes, the most attended one with the least."""
    groups = [words.group(number) for number in range(len(words.classes))]
    if not all(len(group) for group in groups):
        return None
    order = [1, 0]
    if len(groups) > 2:
        ranked = np.argsort([words.attention[group].mean() for group in groups])
        order = [int(ranked[-1]), int(ranked[0])]
    effect = cliffs_delta(*(words.attention[groups[number]] for number in order))
    assert effect is not None
    names = " against ".join(words.group_names[number] for number in order)
    measure = f"Cliff's delta of attention scores, {names} words"
    undecided = overlap is None or len(groups) > 2 or effect.low <= 0 <= effect.high
    holds = None if undecided or overlap is None else effect.value * overlap[0] > 0
    return Claim("a gap between classes follows V·W", measure, effect.value, effect.low, effect.high, holds)


def _weights(words: AttentionWords) -> Claim | None:
    link = spearman(words.attention, words.share)
    if link is None:
        return None
    measure = "Spearman's rho over words, attention score and mean attention weight"
    return Claim("weights follow scores", measure, link.value, link.low, link.high, link.low > 0)


def _token_numbers(classifier: FittedClassifier, words: AttentionWords) -> np.ndarray | None:
    """Give the token of each word, for vocabularies of words."""
    if classifier.method.encoder.token_kind != "words":
        return None
    number = {name: i for i, name in enumerate(classifier.tokenizer.token_strings())}
    return np.array([number[word] for word in words.words])


def _dot_products(classifier: FittedClassifier, words: AttentionWords) -> np.ndarray | None:
    tokens = _token_numbers(classifier, words)
    if tokens is None:
        return None
    table = classifier.method.encoder.embedding.table.weight  # type: ignore[union-attr]
    vectors = table.detach().double().cpu().numpy()[tokens]  # type: ignore[operator]
    return mean_dot_products(vectors, words.groups, len(words.classes) + 1)


def _updates(
    classifier: FittedClassifier, words: AttentionWords, documents: Sequence[Document]
) -> dict[str, tuple[float, ...]] | None:
    method: Any = classifier.method
    tokens = _token_numbers(classifier, words)
    if tokens is None or not getattr(method, "decomposes", False):
        return None
    corpus = Corpus.read(documents, classifier.classes, classifier.tokenizer)
    terms = method.eval().updates([batch.to(classifier.device) for batch in corpus.batches(16_384)])
    groups = [words.group(number) for number in range(len(words.group_names))]
    return {
        name: tuple(_mean(term.double().cpu().numpy()[tokens[group]], i) or 0.0 for i, group in enumerate(groups))
        for name, term in terms.items()
    }
