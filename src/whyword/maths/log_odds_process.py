"""A Gaussian process on the log-odds of sub-texts, learned from complementary pairs: it predicts what was not asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from .positive_inverse import positive_inverse

LINEAR = 30.0  # variance of the part that adds up over the words: they are to be found, not expected
TOGETHER = 0.3  # of the part in which words act together
WHITE = 0.01  # of what is each sub-text's own
CERTAIN = 1e-4  # probabilities nearer to 0 or 1 are taken as this near


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
        near, far = _likeness(subsets, self.halves, self.distance)
        weights = np.column_stack([self.even, self.odd]).astype(subsets.dtype) * subsets.dtype.type(TOGETHER / 2)
        of_near, of_far = near @ weights, far @ weights  # (subset, 2)
        words = (LINEAR / self.halves.shape[1] * (self.odd @ (self.halves - 0.5))).astype(subsets.dtype)
        mean = self.mean + of_near[:, 0] + of_far[:, 0]
        half = (subsets - subsets.dtype.type(0.5)) @ words + of_near[:, 1] - of_far[:, 1]
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
    near, far = _likeness(halves.astype(np.float64), halves, distance)
    centered = halves - 0.5
    own = WHITE / 2 * np.eye(len(halves))
    even_inverse = positive_inverse(TOGETHER / 2 * (near + far) + own)
    odd_inverse = positive_inverse(TOGETHER / 2 * (near - far) + LINEAR / halves.shape[1] * centered @ centered.T + own)
    even, odd = even_inverse @ (mean - middle), odd_inverse @ half
    fitted = mean - WHITE / 2 * even, half - WHITE / 2 * odd
    left_out = mean - even / np.diag(even_inverse), half - odd / np.diag(odd_inverse)
    return Fit(LogOddsProcess(halves, distance, middle, even, odd), _of_pairs(*fitted), _of_pairs(*left_out))


def _of_pairs(mean: np.ndarray, half: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the probabilities of halves and their opposites, by the mean and half the difference of their log-odds."""
    return expit(mean + half), expit(mean - half)


def _likeness(subsets: np.ndarray, halves: np.ndarray, distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the likeness of sub-texts and halves, and of sub-texts and the opposites of halves: (subset, pair) each.

    It falls by the factor exp(-distance) for every word that only one of the two keeps.
    """
    steps = distance.astype(subsets.dtype)
    others = halves.astype(subsets.dtype)
    far_apart = np.exp(-steps.sum())
    near = (subsets * (2 * steps)) @ others.T
    near -= (subsets @ steps)[:, None]
    near -= others @ steps
    np.exp(near, out=near)
    return near, far_apart / near
