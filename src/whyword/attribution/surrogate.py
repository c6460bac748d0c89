"""An additive surrogate: the log-odds of a class as a sum over the words that are kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import expit, logit

from ..interfaces.pausing import may_pause

MOST_NEWTON_STEPS = 12  # of a fit
SMALLEST_STEP = 1e-6  # log-odds: a fit stops below this step
LARGEST_STEP = 5.0  # log-odds of any answer: far from the solution, Newton's method may overshoot
LEAST_SLOPE = 1e-6  # of the sigmoid at an answer: keeps the system solvable where answers are certain
BIAS_RIDGE = 1e-9  # of the bias, which is not shrunk: keeps the system solvable
HIGHEST_FREQUENCY = 7.0  # the Fourier transform of the sigmoid's slope falls below 1e-8 there
NEGLIGIBLE_PRODUCT = 1e-12  # frequencies whose product over words is smaller are left out
FLAT_LOG_ODDS = 20.0  # log-odds at which the sigmoid is flat, its slope 2e-9; sets the step between frequencies
MOST_CHANCES = 64  # nodes of Gauss-Legendre; half as many as words are exact
MOST_MATCHING_STEPS = 30  # to the surrogate with given Shapley values
NEAR_ENOUGH = 1e-4  # probability: matching stops when no Shapley value is further from what it should be
PROBABILITY_FLOOR = 1e-4  # ends of a matched surrogate: its log-odds stay within 9.2
LARGEST_WEIGHT = 10.0  # log-odds of a word in a matched surrogate: no surrogate has impossible scores
STEEPEST, FLATTEST = 0.25, 0.02  # slopes of the sigmoid that matching divides by: at ½, and where it would overshoot


@dataclass(frozen=True, eq=False)
class Surrogate:
    """Probability = sigmoid(bias + the sum of the weights of the words kept)."""

    bias: float
    weights: np.ndarray  # (word,) in log-odds

    def __call__(self, subsets: np.ndarray) -> np.ndarray:
        """Give the probability of each sub-text, (subset, word) bool to (subset,)."""
        answer: np.ndarray = expit(self.bias + subsets @ self.weights)
        return answer

    def shapley(self) -> np.ndarray:
        """Give its own Shapley values, (word,), without sampling.

        They are what a word adds when every other word is kept with the chance q, averaged over q from 0 to 1 (Owen
        1972). Words are then independent, so the mean over sub-texts is a product for each frequency of the Fourier
        transform of the sigmoid's slope, πt / sinh(πt).
        """
        ends = [self.bias + self.weights[sign * self.weights > 0].sum() for sign in (-1, 1)]
        step = 2 * np.pi / (max(map(abs, ends)) + FLAT_LOG_ODDS)
        frequency = (np.arange(np.ceil(HIGHEST_FREQUENCY / step)) + 0.5) * step
        slope = step * np.exp(1j * frequency * self.bias) / (1j * np.sinh(np.pi * frequency))
        rotation = np.exp(1j * frequency[:, None] * self.weights)  # (frequency, word)
        change = slope[:, None] * (rotation - 1)
        scores = np.zeros(len(self.weights))
        for chance, share in _keep_chances(2 * min(MOST_CHANCES // 2, len(self.weights) // 4 + 1)):
            may_pause()
            factors = 1 + chance * (rotation - 1)  # never 0: an even number of nodes leaves out ½
            product = factors.prod(axis=1)
            counts = np.abs(product) > NEGLIGIBLE_PRODUCT
            scores += share * (change[counts] * (product[counts, None] / factors[counts])).real.sum(axis=0)
        return scores


def fit_surrogate(
    subsets: np.ndarray,
    probabilities: np.ndarray,
    importance: np.ndarray | None = None,
    ridge: float | np.ndarray = 0.1,
    start: Surrogate | None = None,
) -> Surrogate:
    """Fit the answers (subset,) for one class by logistic regression on soft labels, with a ridge on the weights.

    Newton's method; importance (subset,) weighs the answers, ridge, of all weights or of each, is the weight of the
    squared weights against it; with a start, of their squared distance from those of the start.
    """
    rows, words = subsets.shape
    design = np.concatenate([subsets.astype(np.float64), np.ones((rows, 1))], axis=1)
    importance = np.ones(rows) if importance is None else importance
    penalty = np.append(np.broadcast_to(ridge, words), BIAS_RIDGE)
    center = np.zeros(words + 1) if start is None else np.append(start.weights, start.bias)
    solution = center
    for _ in range(MOST_NEWTON_STEPS):
        may_pause()
        fitted = expit(design @ solution)
        slope = importance * np.maximum(fitted * (1 - fitted), LEAST_SLOPE)
        gradient = design.T @ (importance * (probabilities - fitted)) - penalty * (solution - center)
        step = np.linalg.solve((design.T * slope) @ design + np.diag(penalty), gradient)
        step *= min(1.0, LARGEST_STEP / max(np.abs(design @ step).max(), SMALLEST_STEP))
        solution = solution + step
        if np.abs(step).max() < SMALLEST_STEP:
            break
    return Surrogate(float(solution[-1]), solution[:-1])


def surrogate_with_shapley(scores: np.ndarray, base: float) -> Surrogate:
    """Find the surrogate that has these Shapley values, (word,), as far as there is one; base is its empty text's.

    Its bias and the sum of its weights follow from the empty and the whole text. What a Shapley value is off, over the
    mean slope of the sigmoid, is added to the word's weight until nothing is off.
    """
    ends = np.clip([base, base + scores.sum()], PROBABILITY_FLOOR, 1 - PROBABILITY_FLOOR)
    bias, log_odds = logit(ends).tolist()
    weights = np.zeros(len(scores))
    slope = STEEPEST
    missing = scores
    for _ in range(MOST_MATCHING_STEPS):
        weights = weights + missing / slope
        weights = weights + (log_odds - bias - weights.sum()) / len(weights)
        weights = np.clip(weights, -LARGEST_WEIGHT, LARGEST_WEIGHT)
        reached = Surrogate(bias, weights).shapley()
        missing = scores - reached
        if np.abs(missing).max() < NEAR_ENOUGH:
            break
        slope = float(np.clip(reached @ weights / max(weights @ weights, NEAR_ENOUGH), FLATTEST, STEEPEST))
    return Surrogate(bias, weights)


@cache
def _keep_chances(nodes: int) -> list[tuple[float, float]]:
    """Give chances between 0 and 1 and their shares in the mean over all of them (Gauss-Legendre)."""
    places, shares = np.polynomial.legendre.leggauss(nodes)
    return list(zip(((1 + places) / 2).tolist(), (shares / 2).tolist(), strict=True))
