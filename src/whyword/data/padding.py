"""Tokens of several texts as arrays of one width, and how texts are cut into batches; no torch is needed for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..interfaces.document import Tokens


@dataclass(frozen=True)
class Padded:
    """Texts padded to the longest of them."""

    tokens: np.ndarray  # (batch, time) int64
    mask: np.ndarray  # (batch, time) bool: False on padding
    word_of_token: np.ndarray  # (batch, time) int64: -1 on special tokens and padding
    segments: np.ndarray  # (batch, time) int64

    def __len__(self) -> int:
        """Count the texts."""
        return len(self.tokens)


def pad(texts: Sequence[Tokens], padding: int) -> Padded:
    """Pad texts to the longest of them."""
    lengths = np.array([len(text) for text in texts])
    mask = np.arange(lengths.max(initial=0)) < lengths[:, None]  # (batch, time)
    return Padded(
        tokens=fill([text.ids for text in texts], mask, padding),
        mask=mask,
        word_of_token=fill([text.word for text in texts], mask, -1),
        segments=fill([text.segment for text in texts], mask, 0),
    )


def fill(rows: Sequence[np.ndarray], mask: np.ndarray, filler: int) -> np.ndarray:
    """Put rows where the mask is True, one after the other, and a filler elsewhere: (batch, time) int64."""
    table = np.full(mask.shape, filler, dtype=np.int64)
    table[mask] = np.concatenate(rows)
    return table


def by_token_budget(
    lengths: np.ndarray, budget: int, most_texts: int | None = None, fewest_texts: int = 1
) -> Iterator[np.ndarray]:
    """Group positions by falling length so that no padded batch exceeds the budget (a longer text is alone).

    With fewest_texts, so many are together however long they are.
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        fits = max(fewest_texts, budget // max(1, int(lengths[order[start]])))
        stop = start + min(fits, most_texts or fits)
        yield order[start:stop]
        start = stop
