"""Random sub-texts in complementary pairs: the words kept in one are those left out in the other."""

from __future__ import annotations

import numpy as np
from scipy.special import comb

from .shapley import all_subsets

MOST_LISTED = 14  # words up to which all pairs are listed and shuffled, so that none is missed
GOLDEN = (5**0.5 - 1) / 2


class ComplementaryPairs:
    """Draws pairs, none of them twice: the whole and the empty text, then each word alone and left out, then others.

    The others have every number of kept words equally often, so that each answer tells as much of the words' effects
    as any other (the leverage scores of Musco & Witter, ICLR 2025). A pair is given by its half with the first word.
    """

    def __init__(self, words: int, generator: np.random.Generator, each_word: bool = True) -> None:
        self._words = words
        self._generator = generator
        self._fewest = 2 if each_word else 1  # words that a random pair keeps at least, and leaves out
        self._listed = words <= MOST_LISTED
        self._ready = self._all() if self._listed else self._first(each_word)
        self._drawn = {row.tobytes() for row in np.packbits(self._ready, axis=1)}
        self._place = generator.random()

    def draw(self, count: int) -> np.ndarray:
        """Give so many pairs more, (pair, word) bool, or all that are left."""
        while len(self._ready) < count and not self._listed:
            self._ready = np.concatenate([self._ready, self._new(count - len(self._ready))])
        drawn, self._ready = self._ready[:count], self._ready[count:]
        return drawn

    def _all(self) -> np.ndarray:
        """List all pairs, the others so that every size is as likely as any to come next."""
        halves = _with_first_word(all_subsets(self._words)[2 ** (self._words - 1) :])
        kept = halves.sum(axis=1)
        left_out = self._words - kept
        turn = np.where(left_out == 0, 0, np.where((kept == 1) | (left_out == 1), 1, 2))
        late = self._generator.exponential(size=len(halves)) * comb(self._words, kept)
        return halves[np.lexsort((late, turn))]

    def _first(self, each_word: bool) -> np.ndarray:
        alone = np.eye(self._words, dtype=bool)[self._generator.permutation(self._words)]
        whole = np.ones((1, self._words), dtype=bool)
        return _with_first_word(np.concatenate([whole, alone])) if each_word else whole

    def _new(self, count: int) -> np.ndarray:
        """Draw so many random pairs, and keep those that are new."""
        places = (self._place + GOLDEN * np.arange(1, count + 1)) % 1  # even at any count
        self._place = places[-1]
        kept = self._fewest + (places * (self._words + 1 - 2 * self._fewest)).astype(np.int64)
        subsets = np.arange(self._words) < kept[:, None]
        halves = _with_first_word(self._generator.permuted(subsets, axis=1))
        new = []
        for number, row in enumerate(np.packbits(halves, axis=1)):
            if (key := row.tobytes()) not in self._drawn:
                self._drawn.add(key)
                new.append(number)
        return halves[new]


def _with_first_word(subsets: np.ndarray) -> np.ndarray:
    """Give of each pair the half that keeps the first word."""
    halves: np.ndarray = subsets ^ ~subsets[:, :1]
    return halves
