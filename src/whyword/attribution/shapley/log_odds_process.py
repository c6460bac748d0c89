"""A Gaussian process on the log-odds of sub-texts, learned from complementary pairs: it predicts what was not asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from .inverse_root import inverse_root

LINEAR = 30.0  # variance of the part that adds up over the words: they are to be found, not expected
TOGETHER = 0.3  # of the part in which words act together
WHITE = 0.01  # of what is each sub-text's own
CERTAIN = 1e-4  # probabilities nearer to 0 or 1 are taken as this near
AT_ONCE = 512  # sub-texts predicted together: what is in between fits into a processor's cache


@dataclass(frozen=True, eq=False)
class LogOddsProcess:
    """What pairs have taught: the halves asked about, and what each weighs in the prediction for another sub-text.

    The mean of the log-odds of a pair depends on even weights alone, half of their difference on odd weights alone, as
    the opposite of a sub-text is as far from another one as that is from its opposite.
    """

    halves: np.ndarray  # (pair, word) bool
    distance: np.ndarray  # (word,) how far a word's coming or going takes a sub-text
    mean: float
    even: np.ndarray  # (pair,)
    odd: np.ndarray  # (pair,)

    def __call__(self, subsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Predict the probabilities of sub-texts, (subset, word) float, and of their opposites: (subset,) each."""
        kind = subsets.dtype
        weights = np.column_stack([self.even, self.odd]).astype(kind) * kind.type(TOGETHER / 2)
        words = (LINEAR / self.halves.shape[1] * (self.odd @ (self.halves - 0.5))).astype(kind)
        left, right = _factors(subsets, self.halves, self.distance)
        far_apart = np.exp(-self.distance.sum()).astype(kind)
        of_near, of_far = (np.empty((len(subsets), 2), kind) for _ in range(2))
        for start in range(0, len(subsets), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            near = np.exp(left[rows] @ right)
            of_near[rows], of_far[rows] = near @ weights, far_apart / near @ weights
        mean = self.mean + of_near[:, 0] + of_far[:, 0]
        half = (subsets - kind.type(0.5)) @ words + of_near[:, 1] - of_far[:, 1]
        return _of_pairs(mean, half)


@dataclass(frozen=True, eq=False)
class Fit:
    """A process, and what it says of the pairs it learned from: probabilities of halves and their opposites."""

    process: LogOddsProcess
    fitted: tuple[np.ndarray, np.ndarray]  # (pair,) each
    left_out: tuple[np.ndarray, np.ndarray]  # the same as predicted from the other pairs alone, but for the mean of all


def fit_process(halves: np.ndarray, answers: np.ndarray, opposite: np.ndarray, distance: np.ndarray) -> Fit:
    """Learn from the answers to halves and ~halves, (pair,) each."""
    first, second = (logit(np.clip(values, CERTAIN, 1 - CERTAIN)) for values in (answers, opposite))
    mean, half = (first + second) / 2, (first - second) / 2
    middle = float(mean.mean())
    left, right = _factors(halves.astype(np.float64), halves, distance)
    near = np.exp(left @ right)
    far = np.exp(-distance.sum()) / near
    centered = halves - 0.5
    even, even_precision = _solve(TOGETHER / 2 * (near + far), mean - middle)
    odd, odd_precision = _solve(TOGETHER / 2 * (near - far) + LINEAR / halves.shape[1] * (centered @ centered.T), half)
    fitted = mean - WHITE / 2 * even, half - WHITE / 2 * odd
    left_out = mean - even / even_precision, half - odd / odd_precision
    return Fit(LogOddsProcess(halves, distance, middle, even, odd), _of_pairs(*fitted), _of_pairs(*left_out))


def _solve(covariance: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Add what is each pair's own; give the pairs' weights and the diagonal of the inverse, (pair,) each."""
    covariance[np.diag_indices(len(values))] += WHITE / 2
    root = inverse_root(covariance)
    return root.T @ (root @ values), (root**2).sum(axis=0)


def _of_pairs(mean: np.ndarray, half: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the probabilities of halves and their opposites, by the mean and half the difference of their log-odds."""
    return expit(mean + half), expit(mean - half)


def _factors(subsets: np.ndarray, halves: np.ndarray, distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give two factors whose product is minus the distance of each sub-text from each half, (subset, pair).

    The likeness of two sub-texts falls by the factor exp(-distance) for every word that only one of them keeps.
    """
    steps, others = distance.astype(subsets.dtype), halves.astype(subsets.dtype)
    ones = np.ones(max(len(subsets), len(others)), subsets.dtype)
    left = np.column_stack([subsets * (2 * steps), -(subsets @ steps), ones[: len(subsets)]])
    right = np.column_stack([others, ones[: len(others)], -(others @ steps)])
    return left, right.T
