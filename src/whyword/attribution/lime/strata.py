"""Distinct random sub-texts, stratified by the number of words they keep."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import comb

LISTED_FACTOR = 4  # a size is listed and shuffled where at least 1 / this of its sub-texts is to be drawn
ROUNDING = 1e-9  # sub-texts: sums of expected counts that are whole but for rounding count as whole


class SizeStrata:
    """Draws sub-texts of each size in proportion to a preference, none of them twice; whole and empty text first.

    Sizes are spread as evenly as can be; those of few sub-texts are used up, and their share goes to the others.
    """

    def __init__(self, preference: np.ndarray, generator: np.random.Generator) -> None:
        self.words = len(preference) - 1
        self._preference = preference  # (words kept + 1,)
        self._generator = generator
        self._sizes = comb(self.words, np.arange(self.words + 1))  # number of sub-texts of each size
        self.population = float(self._sizes.sum())  # sub-texts there are; infinite for long texts
        self._expected = np.zeros(self.words + 1)
        self.subsets = np.zeros((0, self.words), dtype=bool)

    @property
    def complete(self) -> bool:
        """Whether every sub-text has been drawn."""
        return len(self.subsets) >= self.population

    def draw(self, count: int) -> np.ndarray:
        """Give the next sub-texts, (subset, word) bool: count of them, or all that are left."""
        drawn = np.bincount(self.subsets.sum(1), minlength=self.words + 1)
        expected = self._share_out(count, self._sizes - drawn)
        cumulated = np.append(0.0, expected[::-1].cumsum()) + self._generator.random()  # from the whole text down
        wanted = np.diff(np.floor(cumulated + ROUNDING))[::-1]
        wanted = np.minimum(wanted, self._sizes - drawn).astype(np.int64)
        few = self._sizes <= LISTED_FACTOR * (drawn + wanted)
        before = len(self.subsets)
        for size in np.flatnonzero(few & (wanted > 0))[::-1]:
            left = self._new(_all_of_size(self.words, int(size)))
            self.subsets = np.concatenate([self.subsets, self._generator.permutation(left)[: wanted[size]]])
        missing = np.where(few, 0, wanted)
        while missing.any():
            sizes = np.repeat(np.arange(self.words + 1), missing)
            new = self._new(_random_of_sizes(self.words, sizes, self._generator))
            self.subsets = np.concatenate([self.subsets, new])
            missing = missing - np.bincount(new.sum(1), minlength=self.words + 1)
        self._expected += expected
        return self.subsets[before:]

    def shares(self, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Share the mass of each size, (words kept + 1,), out among the sub-texts drawn; also give what was not drawn.

        The second is the share of all sub-texts of the size that is not drawn: 0 leaves no sampling error.
        """
        sizes = self.subsets.sum(1)
        drawn = np.bincount(sizes, minlength=self.words + 1)
        used_up = drawn >= self._sizes
        among = np.where(used_up, self._sizes, self._expected)
        return (mass / np.where(among > 0, among, 1.0))[sizes], (1 - drawn / self._sizes)[sizes]

    def _share_out(self, count: int, left: np.ndarray) -> np.ndarray:
        """Give the expected number of draws of each size, never more than there are left."""
        expected = np.zeros(self.words + 1)
        expected[[0, -1]] = left[[0, -1]]
        open_sizes = (self._preference > 0) & (left > 0) & (expected == 0)
        while open_sizes.any():
            portion = max(0.0, count - expected[~open_sizes].sum()) * self._preference
            portion = np.where(open_sizes, portion / self._preference[open_sizes].sum(), 0.0)
            overfull = open_sizes & (portion >= left)
            expected = np.where(overfull, left, np.where(open_sizes, portion, expected))
            if not overfull.any():
                break
            open_sizes &= ~overfull
        return expected

    def _new(self, candidates: np.ndarray) -> np.ndarray:
        """Select the candidates that have not been drawn, each once."""
        rows = np.packbits(np.concatenate([self.subsets, candidates]), axis=1)
        _, first = np.unique(rows.view(np.dtype((np.void, rows.shape[1]))), return_index=True)
        before = len(self.subsets)
        return candidates[np.sort(first[first >= before]) - before]


def _all_of_size(words: int, size: int) -> np.ndarray:
    fewer = min(size, words - size)
    chosen = np.array(list(combinations(range(words), fewer)), dtype=np.int64)
    subsets = np.zeros((len(chosen), words), dtype=bool)
    np.put_along_axis(subsets, chosen, True, axis=1)
    return subsets if fewer == size else ~subsets


def _random_of_sizes(words: int, sizes: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    order = generator.random((len(sizes), words)).argsort(axis=1)
    subsets = np.zeros((len(sizes), words), dtype=bool)
    np.put_along_axis(subsets, order, np.arange(words) < sizes[:, None], axis=1)
    return subsets
