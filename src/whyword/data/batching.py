"""Texts of similar length share a batch: no fixed length, little padding, a bounded number of tokens."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch

from ..interfaces.document import UNKNOWN, Batch, Document, Label, Tokenizer, Tokens
from .labels import numbered
from .padding import Padded, by_token_budget, fill, pad
from .store import StoredDocuments
from .token_store import TokenStore, tokenize

POOL = 50  # batches whose texts are sorted by length together: large enough for little padding, small enough to mix


def collate(texts: Sequence[Tokens], padding: int, labels: np.ndarray | None = None) -> Batch:
    """Pad texts to the longest of them."""
    batch = as_batch(pad(texts, padding))
    return replace(batch, labels=None if labels is None else _labels(labels), owner=_owners(texts))


def as_batch(padded: Padded) -> Batch:
    """Give padded texts as tensors."""
    return Batch(
        tokens=torch.from_numpy(padded.tokens),
        mask=torch.from_numpy(padded.mask),
        word_of_token=torch.from_numpy(padded.word_of_token),
        segments=torch.from_numpy(padded.segments),
    )


def _labels(labels: np.ndarray) -> torch.Tensor:
    """Give the numbers of classes or, of several labels a text, (text, label) ones and zeros."""
    return torch.from_numpy(np.asarray(labels, dtype=np.float32 if labels.ndim == 2 else np.int64))


def _owners(texts: Sequence[Tokens]) -> torch.Tensor | None:
    if all(text.owner is None for text in texts):
        return None
    table = np.tile(np.arange(max(text.words for text in texts)), (len(texts), 1))
    for row, text in enumerate(texts):
        if text.owner is not None:
            table[row, : text.words] = text.owner
    return torch.from_numpy(table)


def token_marks(batch: Batch, marks: Sequence[np.ndarray | None]) -> torch.Tensor | None:
    """Give every token of a batch what is known of its word, (batch, time); None if nothing is known of any."""
    if all(states is None for states in marks):
        return None
    words = batch.word_of_token.numpy()
    table = np.full(words.shape, UNKNOWN, dtype=np.int64)
    for row, states in enumerate(marks):
        if states is not None:
            table[row] = np.where(words[row] < 0, UNKNOWN, states[words[row]])
    return torch.from_numpy(table)


class TrainingBatches(Sequence[np.ndarray]):
    """The batches of an epoch, in four bytes a text."""

    def __init__(self, order: np.ndarray, starts: np.ndarray, turn: np.ndarray) -> None:
        self.order = order  # of the texts, batch by batch
        self.starts = starts  # of the batches in this order, and its end
        self.turn = turn  # which batch comes when

    def __len__(self) -> int:
        """Count the batches."""
        return len(self.turn)

    def __getitem__(self, place: Any) -> Any:
        """Give the numbers of the texts of a batch, or of several."""
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        batch = self.turn[place]
        return self.order[self.starts[batch] : self.starts[batch + 1]].astype(np.int64)


def training_batches(lengths: np.ndarray, batch_size: int, budget: int, seed: Sequence[int]) -> TrainingBatches:
    """Shuffle the texts, sort pools of them by length, cut, shuffle the batches: the same seed, the same batches."""
    generator = np.random.default_rng(seed)
    order = shuffled(len(lengths), generator)
    pool = batch_size * POOL
    sizes = [0]
    for start in range(0, len(order), pool):
        chunk = order[start : start + pool]
        groups = list(by_token_budget(lengths[chunk], budget, batch_size))
        order[start : start + pool] = chunk[np.concatenate(groups)]
        sizes += map(len, groups)
    return TrainingBatches(order, np.cumsum(sizes), generator.permutation(len(sizes) - 1))


def shuffled(count: int, generator: np.random.Generator) -> np.ndarray:
    """Draw the permutation that the generator's own method would, in half the memory where that will do."""
    order = np.arange(count, dtype=np.int32 if count < 1 << 31 else np.int64)
    generator.shuffle(order)
    return order


@dataclass(frozen=True)
class Corpus:
    """Tokenized texts of one split."""

    texts: Sequence[Tokens]
    labels: np.ndarray  # (text,) int64: index of the class; (text, label) bool where a text may have several
    padding: int
    weights: np.ndarray | None = None  # (text,) or (text, label): counts in training, one on average; None: the same
    ignored: Sequence[np.ndarray] | None = None  # (word,) bool of each text: words that are to move no answer
    marks: Sequence[np.ndarray | None] | None = None  # per text (word,) int64 as Document.word_marks; None: no marks

    @classmethod
    def read(cls, documents: Sequence[Document], classes: Sequence[Label], tokenizer: Tokenizer) -> Corpus:
        """Tokenize documents whose labels are all among the classes."""
        if isinstance(documents, StoredDocuments) and documents.chosen is None:
            return cls(tokenize(documents, tokenizer), numbered(documents, classes), tokenizer.padding)
        texts = tokenizer([document.words for document in documents])
        known = [document.word_marks for document in documents]
        marks = [None if states is None else np.array(states, dtype=np.int64) for states in known]
        some = any(states is not None for states in marks)
        return cls(texts, numbered(documents, classes), tokenizer.padding, marks=marks if some else None)

    def weighted(self, of_texts: np.ndarray | None, of_classes: np.ndarray | None) -> Corpus:
        """Let texts count in training as much as their own weight times that of their class says, one on average."""
        if of_texts is None and of_classes is None:
            return self
        weights = np.ones(len(self)) if of_texts is None else of_texts
        if of_classes is not None and self.labels.ndim == 2:  # (absent or present, label)
            weights = weights[:, None] * np.where(self.labels, of_classes[1], of_classes[0])
        elif of_classes is not None:
            weights = weights * of_classes[self.labels]
        return replace(self, weights=weights / max(weights.mean(), np.finfo(float).tiny))

    def __len__(self) -> int:
        """Count the texts."""
        return len(self.texts)

    @cached_property
    def lengths(self) -> np.ndarray:
        """(text,) number of tokens."""
        if isinstance(self.texts, TokenStore):
            return self.texts.lengths
        return np.array([len(text) for text in self.texts], dtype=np.int64)

    @property
    def truncated(self) -> int:
        """How many texts are longer than what is read of them."""
        if isinstance(self.texts, TokenStore):
            return self.texts.truncated
        return sum(text.truncated_words > 0 for text in self.texts)

    @property
    def fingerprint(self) -> str:
        """A short name for exactly these texts and labels, in this order."""
        code = zlib.crc32(self.labels.tobytes())
        if self.weights is not None:
            code = zlib.crc32(self.weights.tobytes(), code)
        for states in self.marks or ():
            code = zlib.crc32(b"" if states is None else states.tobytes(), code)
        if isinstance(self.texts, TokenStore):
            return f"{len(self)} texts, {code:08x}, {self.texts.code:08x}"
        for text in self.texts:
            code = zlib.crc32(text.ids.tobytes(), code)
        return f"{len(self)} texts, {code:08x}"

    def batch(self, chosen: np.ndarray) -> Batch:
        """Pad the chosen texts."""
        batch = collate([self.texts[i] for i in chosen], self.padding, self.labels[chosen])
        if self.ignored is not None:
            ignored = [self.ignored[i] for i in chosen]
            most = np.arange(max(map(len, ignored), default=0))
            table = fill(ignored, most < np.array([[len(row)] for row in ignored]), 0) > 0
            batch = replace(batch, ignored=torch.from_numpy(table))
        if self.weights is not None:
            batch = replace(batch, weights=torch.from_numpy(self.weights[chosen]).float())
        if self.marks is not None:
            marks = token_marks(batch, [self.marks[i] for i in chosen])
            batch = batch if marks is None else replace(batch, marks=marks)
        return batch

    def batches(self, budget: int) -> list[Batch]:
        """Pad all texts, those of similar length together."""
        return [self.batch(chosen) for chosen in by_token_budget(self.lengths, budget)]
