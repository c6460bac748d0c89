"""Which sub-texts to ask about for Shapley values: complementary pairs, the first of them by an orthogonal design."""

from __future__ import annotations

import numpy as np
from scipy.special import comb, ndtr

from .exact import all_subsets

MOST_WORDS_LISTED = 14  # words up to which all 2^(n-1) pairs are listed and shuffled: 8,192 pairs of 14 words
START_ERROR = 0.3  # of a starting score, as a share of its size plus half the mean size: only the order depends on it
GOLDEN_RATIO = (5**0.5 - 1) / 2  # step of an additive recurrence modulo 1, whose points are even at any count


class ComplementaryPairs:
    """Draws pairs of a sub-text and its complement, none of them twice.

    First the whole and the empty text, then each word alone and left out, then the rows of a Hadamard matrix, which
    separate the words' effects with the fewest pairs. The rest have every number of kept words equally often, so that
    each answer tells as much of the words' effects as any other (the leverage scores of Musco & Witter, ICLR 2025).
    With starting scores, (word,), the words whose rank they leave most open come first. A pair is represented by its
    half that keeps the first word.
    """

    def __init__(
        self, words: int, generator: np.random.Generator, each_word: bool = True, start: np.ndarray | None = None
    ) -> None:
        self._words = words
        self._generator = generator
        self._start = start
        self._least_kept = 2 if each_word else 1  # words that a random pair keeps at least, and leaves out
        self._all_listed = words <= MOST_WORDS_LISTED
        self._drawn: set[bytes] = set()
        self._queue = self._new(self._design(each_word))
        if self._all_listed:
            self._queue = np.concatenate([self._queue, self._new(self._all_pairs())])
        self._size_quantile = generator.random()

    def draw(self, count: int) -> np.ndarray:
        """Give the halves of the next pairs, (pair, word) bool: count of them, or all that are left."""
        while len(self._queue) < count and not self._all_listed:
            self._queue = np.concatenate([self._queue, self._new(self._random(count - len(self._queue)))])
        halves, self._queue = self._queue[:count], self._queue[count:]
        return halves

    def _design(self, each_word: bool) -> np.ndarray:
        whole = np.ones((1, self._words), dtype=bool)
        if not each_word:
            return whole
        order = self._generator.permutation(self._words)  # drawn with a start too: the other pairs are the same
        alone = np.eye(self._words, dtype=bool)[order if self._start is None else most_open(self._start)]
        return np.concatenate([whole, alone, self._orthogonal()])

    def _orthogonal(self) -> np.ndarray:
        """Keep any two words together in half of the pairs: columns of a Hadamard matrix, shuffled, signs flipped."""
        matrix = hadamard(self._words)
        columns = self._generator.permutation(len(matrix))[: self._words]
        signs = self._generator.permutation(matrix[:, columns]) * self._generator.choice([-1, 1], self._words)
        halves: np.ndarray = signs > 0
        return halves

    def _all_pairs(self) -> np.ndarray:
        """List all pairs in a random order in which every size is equally likely to come next."""
        halves: np.ndarray = all_subsets(self._words)[2 ** (self._words - 1) :]
        arrival = self._generator.exponential(size=len(halves)) * comb(self._words, halves.sum(axis=1))
        return halves[np.argsort(arrival)]

    def _random(self, count: int) -> np.ndarray:
        quantiles = (self._size_quantile + GOLDEN_RATIO * np.arange(1, count + 1)) % 1
        self._size_quantile = quantiles[-1]
        sizes = self._least_kept + (quantiles * (self._words + 1 - 2 * self._least_kept)).astype(np.int64)
        return self._generator.permuted(np.arange(self._words) < sizes[:, None], axis=1)

    def _new(self, subsets: np.ndarray) -> np.ndarray:
        """Select the pairs that were not drawn before, and give their halves with the first word."""
        halves: np.ndarray = subsets ^ ~subsets[:, :1]
        rows = []
        for row, packed in enumerate(np.packbits(halves, axis=1)):
            if (key := packed.tobytes()) not in self._drawn:
                self._drawn.add(key)
                rows.append(row)
        return halves[rows]


def most_open(scores: np.ndarray) -> np.ndarray:
    """Order words by the number of others that they are expected to have changed places with, most first.

    Scores are taken as normal about the truth, with an error that grows with their size.
    """
    size = np.abs(scores)
    error = START_ERROR * (size + size.mean() / 2)
    gap_error = np.sqrt(error[:, None] ** 2 + error**2)
    changed = ndtr(-np.abs(scores[:, None] - scores) / np.where(gap_error > 0, gap_error, 1.0))
    return np.argsort(-changed.sum(axis=1), kind="stable")


def hadamard(least: int) -> np.ndarray:
    """Give a matrix of 1 and -1 with orthogonal rows, of the smallest order from least on that is reached here.

    Orders reached are a prime + 1 where the prime leaves 3 when divided by 4 (Paley 1933), and their doublings
    (Sylvester 1867).
    """
    starts = [1, *(prime + 1 for prime in range(3, 2 * least, 4) if _is_prime(prime))]
    doublings = [max(0, -(-least // start) - 1).bit_length() for start in starts]
    _, start, doubled = min((start << times, start, times) for start, times in zip(starts, doublings, strict=True))
    matrix = np.ones((1, 1), dtype=np.int64) if start == 1 else _paley(start - 1)
    for _ in range(doubled):
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def _paley(prime: int) -> np.ndarray:
    """Give the matrix of order prime + 1 from the quadratic residues of a prime that leaves 3 when divided by 4."""
    numbers = np.arange(prime)
    residue = np.full(prime, -1)
    residue[numbers**2 % prime] = 1
    residue[0] = 0
    matrix = np.pad(residue[(numbers[:, None] - numbers) % prime], (1, 0), constant_values=1)
    matrix[1:, 0] = -1
    matrix[np.diag_indices(prime + 1)] = 1
    return matrix
