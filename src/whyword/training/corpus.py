"""Texts ready for an encoder, with their classes as numbers."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.batching import by_token_budget, collate
from ..interfaces.document import Batch, Document, Label, Tokenizer, Tokens


@dataclass(frozen=True)
class Corpus:
    """Tokenized texts of one split."""

    texts: Sequence[Tokens]
    labels: np.ndarray  # (text,) int64: index of the class
    padding: int

    @classmethod
    def read(cls, documents: Sequence[Document], classes: Sequence[Label], tokenizer: Tokenizer) -> Corpus:
        """Tokenize documents whose labels are all among the classes."""
        number = {label: i for i, label in enumerate(classes)}
        labels = [number[document.label] for document in documents if document.label is not None]
        texts = tokenizer([document.words for document in documents])
        return cls(texts, np.array(labels, dtype=np.int64), tokenizer.padding)

    def __len__(self) -> int:
        """Count the texts."""
        return len(self.texts)

    @cached_property
    def lengths(self) -> np.ndarray:
        """(text,) number of tokens."""
        return np.array([len(text) for text in self.texts], dtype=np.int64)

    @property
    def fingerprint(self) -> str:
        """A short name for exactly these texts and labels, in this order."""
        code = zlib.crc32(self.labels.tobytes())
        for text in self.texts:
            code = zlib.crc32(text.ids.tobytes(), code)
        return f"{len(self)} texts, {code:08x}"

    def batch(self, chosen: np.ndarray) -> Batch:
        """Pad the chosen texts."""
        return collate([self.texts[i] for i in chosen], self.padding, self.labels[chosen])

    def batches(self, budget: int) -> list[Batch]:
        """Pad all texts, those of similar length together."""
        return [self.batch(chosen) for chosen in by_token_budget(self.lengths, budget)]
