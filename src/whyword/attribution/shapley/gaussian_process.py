"""Shapley values from complementary pairs: those of what a Gaussian process predicts, and those of what it misses.

README.md derives every formula here and says where the constants come from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.linalg import cholesky
from scipy.linalg.lapack import dtrtri
from scipy.special import comb, expit, logit

from ...interfaces.pausing import may_pause
from ..surrogate import Surrogate, fit_surrogate
from .exact import weight_of_subsets

# the process on log-odds, which predicts
ADDITIVE_VARIANCE = 30.0  # log-odds²; a word's weight has this / words as prior variance: nearly no prior
STARTED_VARIANCES = (
    0.001,
    0.01,
    0.1,
    1.0,
    10.0,
)  # the same around a start: the one that fits the answers best is taken
INTERACTION_VARIANCE = 0.3  # log-odds² of the part in which words act together
LOG_ODDS_NOISE = 0.01  # log-odds² that belong to a single sub-text
LOG_ODDS_DIAMETER = 3.0  # kernel distance of the whole text from the empty one
LOG_ODDS_LEAST_INFLUENCE = 0.5  # added to every word's influence, whose mean is 1: none is at distance 0
PROBABILITY_FLOOR = 1e-4  # probabilities nearer to 0 or 1 are taken as this near: log-odds stay within 9.2
MOST_PAIRS_LEARNED = 1000  # pairs: fitting takes time by their cube
PREDICTED_PER_PAIR = 16  # sub-texts predicted, at no pass, for each pair asked about
FEWEST_PREDICTED, MOST_PREDICTED = 2048, 8192  # sub-texts, whatever the number of pairs
PREDICTED_AT_ONCE = 512  # sub-texts: their table of kernels fits into a processor's cache

# the process on residuals, whose Shapley values are known in closed form
RESIDUAL_NOISE = 3e-3  # variance that belongs to a single sub-text, beside 1 for what it shares with its like
RESIDUAL_DIAMETER = 0.3  # kernel distance of the whole text from the empty one, but for the next constant
RESIDUAL_LEAST_INFLUENCE = 0.1  # added to every word's influence, whose mean is 1
KEEP_CHANCES, CHANCE_WEIGHTS = (values / 2 for values in np.polynomial.legendre.leggauss(8))  # quadrature over q
KEEP_CHANCES = KEEP_CHANCES + 0.5  # from 0 to 1


def shapley_of_pairs(
    halves: np.ndarray, answers: np.ndarray, opposite: np.ndarray, start: Surrogate | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Give Shapley values and standard errors, (word,) each; answers and opposite, (pair,), are for halves and ~halves.

    The first pair is the whole and the empty text, and the values add up to their difference exactly. Shapley values
    are linear in the answers, so they are those of any prediction plus those of its residuals. The kernel lets words
    act together as much as they influence an additive surrogate. Errors are sized by the residual of each pair when
    the prediction has learned from the others alone. A start is what the prediction is before any answer: then there is
    one however few the pairs are.
    """
    pairs, words = halves.shape
    residuals = (answers - opposite) / 2
    left_out_residuals: np.ndarray | None = None
    scores, order_variance, influence = np.zeros(words), np.zeros(words), np.ones(words)
    surrogate = start
    if words < pairs:  # enough for a weight per word
        surrogate = fit_surrogate(np.concatenate([halves, ~halves]), np.concatenate([answers, opposite]))
    if surrogate is not None and pairs < 2 ** (words - 1):  # not yet everything
        size = np.abs(surrogate.weights)
        influence = size / size.mean() if size.any() else influence
        distance = LOG_ODDS_DIAMETER / words * (LOG_ODDS_LEAST_INFLUENCE + influence) / (LOG_ODDS_LEAST_INFLUENCE + 1)
        learned = slice(MOST_PAIRS_LEARNED)
        fit = fit_process(halves[learned], answers[learned], opposite[learned], distance, start)
        scores, order_variance = _shapley_of_prediction(fit.process, surrogate, PREDICTED_PER_PAIR * pairs)
        further = fit.process(halves[MOST_PAIRS_LEARNED:].astype(np.float64))
        residuals, left_out_residuals = (
            residuals - np.append(predicted[0] - predicted[1], further[0] - further[1]) / 2
            for predicted in (fit.fitted, fit.left_out)
        )
    distance = RESIDUAL_DIAMETER / words * (RESIDUAL_LEAST_INFLUENCE + influence)
    residual_scores, std_error = shapley_of_residuals(halves, residuals, distance, left_out_residuals)
    if start is not None:  # what the process has not learned belongs to the sub-texts asked about alone
        residual_scores = 2 * residuals @ weight_of_subsets(halves)
    scores = scores + residual_scores
    return scores + (answers[0] - opposite[0] - scores.sum()) / words, np.sqrt(std_error**2 + order_variance)


@dataclass(frozen=True, eq=False)
class LogOddsProcess:
    """A fitted Gaussian process on log-odds: the halves learned from, and the weight of each in a prediction.

    A pair's mean log-odds depend on the even weights alone and half their difference on the odd weights alone, because
    the complement of a sub-text is as far from another sub-text as the sub-text is from the other's complement.
    """

    halves: np.ndarray  # (pair, word) bool
    distance: np.ndarray  # (word,) that a sub-text moves when the word comes or goes
    mean: float
    weights: np.ndarray  # (word,) of the additive part, in log-odds
    even: np.ndarray  # (pair,)
    odd: np.ndarray  # (pair,)

    def __call__(self, subsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Predict the probabilities of sub-texts, (subset, word) float, and of their complements: (subset,) each."""
        kind = subsets.dtype
        weights = np.column_stack([self.even, self.odd]).astype(kind) * kind.type(INTERACTION_VARIANCE / 2)
        left, right = _distance_factors(subsets, self.halves, self.distance)
        diameter = np.exp(-self.distance.sum()).astype(kind)
        of_near, of_far = (np.empty((len(subsets), 2), kind) for _ in range(2))
        for start in range(0, len(subsets), PREDICTED_AT_ONCE):
            may_pause()
            rows = slice(start, start + PREDICTED_AT_ONCE)
            near = np.exp(left[rows] @ right)
            of_near[rows], of_far[rows] = near @ weights, diameter / near @ weights
        mean = self.mean + of_near[:, 0] + of_far[:, 0]
        half = (subsets - kind.type(0.5)) @ self.weights.astype(kind) + of_near[:, 1] - of_far[:, 1]
        return _probabilities(mean, half)


@dataclass(frozen=True, eq=False)
class ProcessFit:
    """A process, and its probabilities of the halves and the complements it learned from, (pair,) each."""

    process: LogOddsProcess
    fitted: tuple[np.ndarray, np.ndarray]
    left_out: tuple[np.ndarray, np.ndarray]  # predicted from the other pairs alone, but for the mean, which is of all


def fit_process(
    halves: np.ndarray,
    answers: np.ndarray,
    opposite: np.ndarray,
    distance: np.ndarray,
    start: Surrogate | None = None,
) -> ProcessFit:
    """Condition the process on the answers to halves and ~halves, (pair,) each.

    With a start, the process is what is missing from it, and a word's weight is the less sure the more it influences.
    """
    words = halves.shape[1]
    variances = (ADDITIVE_VARIANCE,) if start is None else STARTED_VARIANCES
    doubt = np.ones(words) if start is None else (distance / distance.mean()) ** 2
    known = Surrogate(0.0, np.zeros(words)) if start is None else start
    first, second = (logit(np.clip(values, PROBABILITY_FLOOR, 1 - PROBABILITY_FLOOR)) for values in (answers, opposite))
    centered = halves - 0.5
    known_mean, known_half = known.bias + known.weights.sum() / 2, centered @ known.weights
    mean, half = (first + second) / 2 - known_mean, (first - second) / 2 - known_half
    middle = float(mean.mean())
    left, right = _distance_factors(halves.astype(np.float64), halves, distance)
    near = np.exp(left @ right)
    far = np.exp(-distance.sum()) / near
    even, even_precision, _ = _condition(INTERACTION_VARIANCE / 2 * (near + far), mean - middle)
    together = INTERACTION_VARIANCE / 2 * (near - far)
    spread = centered * (doubt / words)  # (pair, word)
    fits = [_condition(together + variance * (spread @ centered.T), half) for variance in variances]
    best = max(range(len(fits)), key=lambda number: fits[number][2])
    odd, odd_precision, _ = fits[best]
    weights = known.weights + variances[best] * (odd @ spread)
    fitted = mean - LOG_ODDS_NOISE / 2 * even, half - LOG_ODDS_NOISE / 2 * odd
    left_out = mean - even / even_precision, half - odd / odd_precision  # Rasmussen & Williams 2006, 5.12
    process = LogOddsProcess(halves, distance, known_mean + middle, weights, even, odd)
    return ProcessFit(process, *(_probabilities(known_mean + e, known_half + o) for e, o in (fitted, left_out)))


def _condition(covariance: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Add the noise; give the weights of the pairs, the diagonal of the inverse covariance and the log-likelihood."""
    may_pause()
    covariance[np.diag_indices(len(values))] += LOG_ODDS_NOISE / 2
    root = inverse_root(covariance)
    whitened = root @ values
    log_likelihood = float(np.log(np.diag(root)).sum() - whitened @ whitened / 2)
    return root.T @ whitened, (root**2).sum(axis=0), log_likelihood


def _probabilities(mean: np.ndarray, half: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the probabilities of halves and complements from the mean and half the difference of their log-odds."""
    return expit(mean + half), expit(mean - half)


def _distance_factors(subsets: np.ndarray, halves: np.ndarray, distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give two factors whose product is minus the distance of each sub-text from each half, (subset, pair).

    The distance adds up over the words that only one of the two keeps: two sub-texts a and b are Σ d (a + b - 2ab)
    apart, which is one matrix product.
    """
    steps, others = distance.astype(subsets.dtype), halves.astype(subsets.dtype)
    ones = np.ones(max(len(subsets), len(others)), subsets.dtype)
    left = np.column_stack([subsets * (2 * steps), -(subsets @ steps), ones[: len(subsets)]])
    right = np.column_stack([others, ones[: len(others)], -(others @ steps)])
    return left, right.T


def _shapley_of_prediction(process: LogOddsProcess, surrogate: Surrogate, least: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the Shapley values of what a process predicts, and their variance by the random orders.

    Those of the surrogate are known; the difference between process and surrogate is averaged over random orders of
    the words, each also taken backwards, with at least the given number of sub-texts.
    """
    words = len(surrogate.weights)
    rows = min(max(FEWEST_PREDICTED, 1 << (least - 1).bit_length()), MOST_PREDICTED)
    places, subsets = _orders(words, max(2, rows // (words + 1)))
    log_odds = surrogate.bias + subsets @ surrogate.weights.astype(np.float32)
    known = (expit(log_odds), expit(2 * surrogate.bias + surrogate.weights.sum() - log_odds))
    forward, backward = (
        np.diff((predicted - of_surrogate).reshape(len(places), -1), axis=1)
        for predicted, of_surrogate in zip(process(subsets), known, strict=True)
    )
    gains = np.take_along_axis((forward - backward) / 2, places, axis=1).astype(np.float64)  # (order, word)
    return surrogate.shapley() + gains.mean(axis=0), gains.var(axis=0, ddof=1) / len(gains)


@lru_cache(maxsize=4)
def _orders(words: int, orders: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the place of each word in random orders, (order, word), and all they begin with, (order * (word + 1), word).

    They are the same for all texts of this number of words.
    """
    places = np.random.default_rng(words).random((orders, words)).argsort(axis=1)
    subsets = places[:, None] < np.arange(words + 1)[:, None]
    return places, subsets.reshape(-1, words).astype(np.float32)


def shapley_of_residuals(
    halves: np.ndarray, differences: np.ndarray, distance: np.ndarray, left_out: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Give Shapley values and their standard errors, (word,) each, from answers to pairs (Bayesian quadrature).

    halves (pair, word) bool are one half of each pair, differences (pair,) half of its answer minus its complement's:
    all that Shapley values depend on. The covariance of two answers falls by the factor exp(-distance) for every word
    that only one of them keeps, so the Shapley values of the process are products over words for each chance to keep
    a word, averaged over chances (Owen 1972). Given all pairs, the values are exact; in general they add up as they
    should. Errors have the scale of the differences or, where these are residuals of a prediction, that of its
    residuals on pairs it has not learned from, left_out (pair,).
    """
    pairs = len(halves)
    drop = -np.expm1(-distance)  # (word,) fall of the covariance by one word
    keeps = halves.astype(np.float64)
    apart = (keeps * distance) @ (1 - keeps).T
    apart += apart.T
    near = np.exp(-apart)
    covariance = (near - np.exp(-distance.sum()) / near) / 2
    covariance[np.diag_indices(pairs)] += RESIDUAL_NOISE / 2
    links = np.zeros(halves.shape)  # covariance of each difference with each Shapley value
    for chance, share in zip(KEEP_CHANCES, CHANCE_WEIGHTS, strict=True):
        may_pause()
        factors = 1 - np.where(halves, 1 - chance, chance) * drop
        links += share * factors.prod(axis=1, keepdims=True) / factors
    links = links * np.where(halves, drop, -drop) + RESIDUAL_NOISE * weight_of_subsets(halves)
    may_pause()
    root = inverse_root(covariance)
    explained, answers = root @ links, root @ differences
    variance = _prior_variance(drop) - (explained**2).sum(axis=0)
    scale = answers @ answers if left_out is None else left_out**2 @ (root**2).sum(axis=0)
    return answers @ explained, np.sqrt(np.maximum(variance, 0.0) * scale / pairs)


def _prior_variance(drop: np.ndarray) -> np.ndarray:
    """Give the variance of each Shapley value before any answer, (word,)."""
    words = len(drop)
    shares = np.outer(CHANCE_WEIGHTS, CHANCE_WEIGHTS).reshape(-1, 1)
    differ = np.add.outer(KEEP_CHANCES, KEEP_CHANCES) - 2 * np.outer(KEEP_CHANCES, KEEP_CHANCES)
    factors = 1 - differ.reshape(-1, 1) * drop  # differ: chance that two sub-texts disagree on a word
    shared = (shares * factors.prod(axis=1, keepdims=True) / factors).sum(axis=0) * 2 * drop
    variance: np.ndarray = shared + RESIDUAL_NOISE * 2 / words**2 * (1 / comb(words - 1, np.arange(words))).sum()
    return variance


def inverse_root(matrix: np.ndarray) -> np.ndarray:
    """Give a triangle R such that R.T @ R is the inverse of a symmetric matrix whose eigenvalues are above 0.

    It costs less than half of a general inverse.
    """
    root: np.ndarray = dtrtri(cholesky(matrix.T, lower=True, check_finite=False), lower=True, overwrite_c=True)[0]
    return root
