"""Which class a word speaks for, by the labels of the texts it stands in (Sun & Lu 2020, their γ)."""

from __future__ import annotations

import numpy as np

NONE = -1  # the group of words that are neither of a class nor neutral
OF_CLASS = 0.75  # share of a word's occurrences above which it is of a class: γ > 0.5 for two classes
OFTEN = 5  # occurrences in its class that a word of a class must exceed
BALANCED = 0.1  # largest difference of shares of a neutral word: |γ| for two classes
CLOSE = 5  # difference of counts that a neutral word must stay below


def token_groups(counts: np.ndarray) -> np.ndarray:
    """Group words by their (word, class) occurrences: number of a class, for neutral the number of classes, or NONE.

    With two classes these are the one-sided tests of the authors' code (the paper writes open intervals, which would
    leave out the purest words). For more classes the paper says that the largest share decides, but not above which
    threshold; the same numbers are used, so that both rules are one.
    """
    total = counts.sum(1)
    seen = np.maximum(total, 1)
    most, fewest = counts.max(1), counts.min(1)
    of_class = (most / seen > OF_CLASS) & (most > OFTEN)
    neutral = (total > 0) & ((most - fewest) / seen < BALANCED) & (most - fewest < CLOSE)
    groups: np.ndarray = np.where(of_class, counts.argmax(1), np.where(neutral, counts.shape[1], NONE))
    return groups


def mean_dot_products(vectors: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    """Average the dot products of different words between and within groups: their Ω, (group, group); NaN if none."""
    members = (groups[:, None] == np.arange(count)).astype(np.float64)  # (word, group)
    sums, sizes = members.T @ vectors, members.sum(0)
    own = np.diag(members.T @ (vectors**2).sum(1))  # a word with itself does not count
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    return np.where(pairs > 0, (sums @ sums.T - own) / np.maximum(pairs, 1), np.nan)
