"""Random sub-texts in complementary pairs: the words kept in one are those left out in the other."""

from __future__ import annotations

import numpy as np
from scipy.special import comb

from .exact import all_subsets
from .hadamard import hadamard

MOST_LISTED = 14  # words up to which all pairs are listed and shuffled, so that none is missed
GOLDEN = (5**0.5 - 1) / 2


class ComplementaryPairs:
    """Draws pairs, none of them twice: the whole and the empty text, then each word alone and left out, then others.

    The first others are the rows of a Hadamard matrix, which tell the words' effects apart with the fewest pairs. The
    rest have every number of kept words equally often, so that each answer tells as much of the words' effects as any
    other (the leverage scores of Musco & Witter, ICLR 2025). A pair is given by its half with the first word.
    """

    def __init__(self, words: int, generator: np.random.Generator, each_word: bool = True) -> None:
        self._words = words
        self._generator = generator
        self._fewest = 2 if each_word else 1  # words that a random pair keeps at least, and leaves out
        self._listed = words <= MOST_LISTED
        self._drawn: set[bytes] = set()
        self._ready = self._new(self._first(each_word))
        if self._listed:
            self._ready = np.concatenate([self._ready, self._new(self._all())])
        self._place = generator.random()

    def draw(self, count: int) -> np.ndarray:
        """Give so many pairs more, (pair, word) bool, or all that are left."""
        while len(self._ready) < count and not self._listed:
            self._ready = np.concatenate([self._ready, self._new(self._random(count - len(self._ready)))])
        drawn, self._ready = self._ready[:count], self._ready[count:]
        return drawn

    def _first(self, each_word: bool) -> np.ndarray:
        whole = np.ones((1, self._words), dtype=bool)
        if not each_word:
            return whole
        alone = np.eye(self._words, dtype=bool)[self._generator.permutation(self._words)]
        return np.concatenate([whole, alone, self._design()])

    def _design(self) -> np.ndarray:
        """Keep any two words together in half of the pairs: columns of a Hadamard matrix, shuffled and turned."""
        matrix = hadamard(self._words)
        columns = self._generator.permutation(len(matrix))[: self._words]
        signs = self._generator.permutation(matrix[:, columns]) * self._generator.choice([-1, 1], self._words)
        design: np.ndarray = signs > 0
        return design

    def _all(self) -> np.ndarray:
        """List all pairs, so that every size is as likely as any to come next."""
        halves: np.ndarray = all_subsets(self._words)[2 ** (self._words - 1) :]
        late = self._generator.exponential(size=len(halves)) * comb(self._words, halves.sum(axis=1))
        return halves[np.argsort(late)]

    def _random(self, count: int) -> np.ndarray:
        places = (self._place + GOLDEN * np.arange(1, count + 1)) % 1  # even at any count
        self._place = places[-1]
        kept = self._fewest + (places * (self._words + 1 - 2 * self._fewest)).astype(np.int64)
        return self._generator.permuted(np.arange(self._words) < kept[:, None], axis=1)

    def _new(self, subsets: np.ndarray) -> np.ndarray:
        """Take those that were not drawn before, as halves with the first word."""
        halves = _with_first_word(subsets)
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
