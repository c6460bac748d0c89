"""A trained method with its tokenizer, which answers for texts and their sub-texts; here inference must be fast."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..blocks.contributions import answers_of
from ..data.batching import as_batch, collate
from ..data.forbidden import Forbidden
from ..data.order import values_of
from ..data.padding import by_token_budget
from ..data.tokenizers.forbidding import ForbiddingTokenizer
from ..interfaces.classifier import Contributions, Removal
from ..interfaces.document import Batch, Label, Tokenizer, Tokens, Words
from ..interfaces.errors import OptionError, unknown_name
from ..interfaces.method import Method, Prediction
from ..maths.tensors.masked import gather_words, share_out
from .subsets import lay_out, replacement_of

BATCH_TOKENS = 4_096  # padded tokens of a forward pass: large enough to fill the cores, small enough for their caches
FEWEST_ROWS = 4  # sub-texts of a forward pass where texts have no limit: an LSTM reads four in the time of two
CHUNK_ANSWERS = 8_000_000  # probabilities at a time: of 1,000 classes, 8,000 sub-texts
CHUNK_TOKENS = 2_000_000  # kept tokens of sub-texts laid out at a time: bounds the memory of any number of requests


@dataclass(frozen=True, eq=False)
class FittedClassifier:
    """Answers for whole texts and for any of their sub-texts."""

    method: Method
    tokenizer: Tokenizer
    classes: tuple[Label, ...]
    frequencies: np.ndarray | None = None  # (token id,) occurrences in the training texts, for word-level vocabularies
    offsets: np.ndarray | None = None  # (class,) added to log-probabilities before a class is predicted; None: none
    thresholds: np.ndarray | None = None  # (label,) probability from which on a text has it, of several; None: one half
    reader: FittedClassifier | None = None  # that learned contributions for this one, which shows none of its states

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.method.parameters(), torch.empty(0)).device

    def twin(self) -> FittedClassifier | None:
        """Give the same weights with a tokenizer of its own, for a second thread; None where one thread must do."""
        return replace(self, tokenizer=deepcopy(self.tokenizer)) if self.device.type == "cpu" else None

    @property
    def multi_label(self) -> bool:
        """Whether a text may have several labels: their probabilities do not add up to 1."""
        return self.method.multi_label

    @property
    def forbidden(self) -> Forbidden | None:
        """The words that it does not read; None if it reads all."""
        return self.tokenizer.forbidden if isinstance(self.tokenizer, ForbiddingTokenizer) else None

    @property
    def values(self) -> tuple[float, ...] | None:
        """Where each class stands on the scale, if classes have an order."""
        return values_of(self.classes) if self.method.ordered else None

    def batches(self, texts: Sequence[Words]) -> Iterator[tuple[np.ndarray, Batch]]:
        """Cut texts into batches of similar length, each with the positions of its texts in the input."""
        yield from self._batches(self.tokenizer(texts))

    def _batches(self, tokens: Sequence[Tokens]) -> Iterator[tuple[np.ndarray, Batch]]:
        lengths = np.array([len(text) for text in tokens], dtype=np.int64)
        for chosen in by_token_budget(lengths, BATCH_TOKENS):
            yield chosen, collate([tokens[i] for i in chosen], self.tokenizer.padding).to(self.device)

    @torch.inference_mode()
    def probabilities(self, texts: Sequence[Words]) -> Tensor:
        """Give (text, class) probabilities."""
        self.method.eval()
        probabilities = torch.empty(len(texts), len(self.classes))
        for chosen, batch in self.batches(texts):
            probabilities[torch.from_numpy(chosen)] = self._answer(batch)
        return probabilities

    def _answer(self, batch: Batch) -> Tensor:
        """Give (text, class) probabilities of a batch."""
        return self.method.probabilities(self.method(batch).logits).cpu()

    def truncated_words(self, texts: Sequence[Words]) -> list[int]:
        """Count the words at the end of each text that the encoder's limit cuts off."""
        if self.tokenizer.limit is None:
            return [0] * len(texts)
        return [text.truncated_words for text in self.tokenizer(texts)]

    def known_words(self, texts: Sequence[Words]) -> list[int] | None:
        """Count the words of each text that are in the vocabulary; None where words are cut into pieces."""
        first = self.method.first_word
        if first is None:
            return None
        return [int(((text.ids >= first) & (text.word >= 0)).sum()) for text in self.tokenizer(texts)]

    def windows(self, texts: Sequence[Words]) -> list[list[np.ndarray]]:
        """Give the numbers of the words in each overlapping window that the encoder can read; none if a text fits."""
        return self.tokenizer.windows(texts)

    @torch.inference_mode()
    def own_scores(self, texts: Sequence[Words]) -> tuple[list[Tensor], Tensor, list[int]]:
        """Give the own score of each word, (word,) per text, (text, class) probabilities, and truncated words."""
        if self.method.own_score is None:
            raise OptionError(
                "This model has no word scores of its own: choose another explainer, such as shapley or occlusion, or "
                "add contributions to one of whyword with  whyword learn-explainer MODEL TEXTS."
            )
        self.method.eval()
        tokens = self.tokenizer(texts)
        probabilities = torch.empty(len(texts), len(self.classes))
        scores: list[Tensor] = [torch.empty(0)] * len(texts)
        for chosen, batch in self._batches(tokens):
            prediction = self.method(batch)
            assert prediction.token_weights is not None
            probabilities[torch.from_numpy(chosen)] = self.method.probabilities(prediction.logits).cpu()
            most_words = max((tokens[i].words for i in chosen), default=0)
            average = self.method.own_score == "gate"
            gathered = gather_words(prediction.token_weights, batch.word_of_token, most_words, average)
            table = share_out(gathered, batch.owner, average).cpu()
            for row, i in enumerate(chosen):
                scores[i] = table[row, : tokens[i].words]
        return scores, probabilities, [text.truncated_words for text in tokens]

    @property
    def has_contributions(self) -> bool:
        """Whether the model carries contributions."""
        return self.method.contributions is not None or self.reader is not None

    @property
    def has_rationales(self) -> bool:
        """Whether the model has learned what people would mark."""
        return self.method.rationales is not None

    @torch.inference_mode()
    def would_mark(self, texts: Sequence[Words]) -> tuple[list[np.ndarray], Tensor, list[int]]:
        """Give how likely a person is to mark each word of a text, (text, class) probabilities, and truncated words."""
        if not self.has_rationales:
            raise OptionError(
                "This model has not learned what people would mark: train it on texts with marked words (a column "
                "rationale, or --rationales FILE)."
            )
        self.method.eval()
        tokens = self.tokenizer(texts)
        probabilities = torch.empty(len(texts), len(self.classes))
        scores: list[np.ndarray] = [np.empty(0)] * len(texts)
        for chosen, batch in self._batches(tokens):
            prediction = self.method.explain(batch)
            probabilities[torch.from_numpy(chosen)] = self.method.probabilities(prediction.logits).cpu()
            _gather_marks(prediction, tokens, chosen, scores)
        return scores, probabilities, [text.truncated_words for text in tokens]

    @torch.inference_mode()
    def contributions(self, texts: Sequence[Words], answers: Tensor | None = None) -> Contributions:
        """Give what each word adds to the probability of each class, from one pass over each text.

        Answers are the (text, class) probabilities of another classifier, if this one reads for it.
        """
        if self.reader is not None:
            return self.reader.contributions(texts, self.probabilities(texts))
        if not self.has_contributions:
            raise OptionError(
                "This model does not carry contributions: add them with  whyword learn-explainer MODEL TEXTS,  or "
                "choose another explainer, such as shapley."
            )
        self.method.eval()
        tokens = self.tokenizer(texts)
        probabilities = torch.empty(len(texts), len(self.classes))
        scores: list[np.ndarray] = [np.empty(0)] * len(texts)
        marks: list[np.ndarray] = [np.empty(0)] * len(texts)
        for chosen, batch in self._batches(tokens):
            logits = None
            if answers is not None:
                logits = logits_of(answers[torch.from_numpy(chosen)], self.multi_label).to(self.device)
            prediction = self.method.explain(batch, logits)
            assert prediction.contributions is not None
            _gather_marks(prediction, tokens, chosen, marks)
            probabilities[torch.from_numpy(chosen)] = self.method.probabilities(prediction.logits).cpu()
            table = prediction.contributions.transpose(1, 2).double().cpu()  # (text, class, word)
            for row, i in enumerate(chosen):
                found = torch.zeros(len(self.classes), tokens[i].words, dtype=torch.float64)
                found[:, : table.shape[2]] = table[row, :, : tokens[i].words]
                owner = tokens[i].owner
                scores[i] = share_out(found, None if owner is None else torch.from_numpy(owner)).numpy()
        head: Any = self.method.contributions
        base = answers_of(head.base.double(), head.link).cpu().numpy()
        answered = probabilities if answers is None else answers
        truncated_words = [text.truncated_words for text in tokens]
        return Contributions(scores, answered, base, truncated_words, marks if self.has_rationales else None)

    def fingerprint(self, facts: Sequence[Any] = ()) -> str:
        """Name all that decides what the classifier answers: further facts, classes, tokenizer and weights."""
        digest = hashlib.sha256()
        known = [*facts, list(self.classes), self.tokenizer.to_json()]
        if self.offsets is not None:
            known.append(self.offsets.tolist())
        if self.thresholds is not None:
            known.append({"thresholds": self.thresholds.tolist()})
        if self.forbidden is not None:
            known.append({"forbidden": list(self.forbidden.entries)})
        digest.update(json.dumps(known, sort_keys=True).encode())
        for name, tensor in sorted(self.method.state_dict().items()):
            digest.update(json.dumps([name, str(tensor.dtype), tensor.shape]).encode())
            digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
        return digest.hexdigest()

    def probabilities_of_subsets(self, text: Words, kept: Tensor, removal: Removal = "delete") -> Tensor:
        """Give (subset, class) probabilities of sub-texts; kept, (subset, word) bool, marks the words that stay."""
        return next(self.probabilities_of_many([(text, kept)], removal))

    def probabilities_of_many(
        self, requests: Iterable[tuple[Words, Tensor]], removal: Removal = "delete"
    ) -> Iterator[Tensor]:
        """Answer probabilities_of_subsets for many texts in one stream of batches, in order."""
        replacement = replacement_of(self.tokenizer, removal)
        waiting: list[tuple[Words, Tensor]] = []
        tokens, sub_texts, most_sub_texts = 0, 0, CHUNK_ANSWERS // len(self.classes)
        for text, kept in requests:
            at_once = max(1, min(CHUNK_TOKENS // (1 + len(text)), most_sub_texts))
            if len(kept) > at_once:  # too much even alone: this text is answered part by part
                yield from self._probabilities_of(waiting, replacement)
                parts = [[(text, part)] for part in kept.split(at_once)]
                yield torch.cat([self._probabilities_of(part, replacement)[0] for part in parts])
                waiting, tokens, sub_texts = [], 0, 0
                continue
            waiting.append((text, kept))
            tokens += len(kept) + (int(kept.sum()) if replacement is None else kept.numel())
            sub_texts += len(kept)
            if tokens >= CHUNK_TOKENS or sub_texts >= most_sub_texts:
                yield from self._probabilities_of(waiting, replacement)
                waiting, tokens, sub_texts = [], 0, 0
        yield from self._probabilities_of(waiting, replacement)

    @torch.inference_mode()
    def _probabilities_of(self, requests: Sequence[tuple[Words, Tensor]], replacement: int | None) -> list[Tensor]:
        if not requests:
            return []
        self.method.eval()
        tokenizer = self.tokenizer
        tokens = tokenizer([text for text, _ in requests])
        kept = [subsets.numpy() for _, subsets in requests]
        sub_texts = lay_out(tokens, kept, tokenizer.padding, tokenizer.unknown, replacement)
        probabilities = torch.empty(sub_texts.rows, len(self.classes))
        for rows, batch in sub_texts.batches(BATCH_TOKENS, FEWEST_ROWS if tokenizer.limit is None else 1):
            probabilities[torch.from_numpy(rows)] = self._answer(as_batch(batch).to(self.device))
        return [probabilities[torch.from_numpy(rows)] for rows in sub_texts.row_of_request]


def _gather_marks(
    prediction: Prediction, tokens: Sequence[Tokens], chosen: np.ndarray, scores: list[np.ndarray]
) -> None:
    """Put what a person would mark in the chosen texts in place; words that were not read have 0."""
    if prediction.would_mark is None:
        return
    table = prediction.would_mark.double().cpu()
    for row, i in zip(table, chosen, strict=True):
        owner = tokens[i].owner
        found = torch.zeros(tokens[i].words, dtype=torch.float64)
        found[: len(row)] = row[: tokens[i].words]
        scores[i] = share_out(found, None if owner is None else torch.from_numpy(owner), average=True).numpy()


def logits_of(probabilities: Tensor, multi_label: bool) -> Tensor:
    """Give logits that have these probabilities, of none that float32 cannot tell from 0 or, of a label, from 1."""
    least = torch.finfo(torch.float32).eps
    return probabilities.float().logit(least) if multi_label else probabilities.float().clamp(min=least).log()


def choose_device(name: str) -> torch.device:
    """Give the device of that name; auto takes the fastest there is."""
    present = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        return torch.device(next(kind for kind in ("cuda", "mps", "cpu") if present[kind]))
    kind = name.partition(":")[0]
    if kind not in present:
        raise unknown_name(name, "the choices of --device", ["auto", *present])
    if not present[kind]:
        raise OptionError(f"This machine has no {kind} device: choose auto or cpu.")
    try:
        return torch.device(name)
    except RuntimeError:
        raise OptionError(f"'{name}' is no device: write {kind}, or {kind}:0 for the first of several.") from None
