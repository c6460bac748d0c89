"""Right and nearly right where classes have an order: absolute error and weighted kappa, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .intervals import RESAMPLES, Estimate, share_interval

HALF = 0.5 - 1e-9  # of the probability: a class that ends at one half but for rounding is the median


def median_classes(probabilities: np.ndarray) -> np.ndarray:
    """Give the (text,) median of (text, class) probabilities, whose expected absolute error is the least.

    It is the first class up to which half of the probability lies.
    """
    chosen: np.ndarray = (probabilities.cumsum(1) < HALF * probabilities.sum(1, keepdims=True)).sum(1)
    return chosen


def decided(probabilities: np.ndarray, ordered: bool) -> np.ndarray:
    """Give the (text,) class that is predicted: the median where classes have an order, else the most probable."""
    chosen: np.ndarray = median_classes(probabilities) if ordered else probabilities.argmax(1)
    return chosen


def quadratic_kappa(predicted: np.ndarray, labels: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Cohen's kappa with quadratic weights (1968) of (cell,) pairs of classes with their (…, cell) counts.

    1 - Σ (i - j)² observed / Σ (i - j)² expected of the same margins: 1 is all right, 0 is chance, as where all are of
    one class. The expected sum needs no table of all pairs: it is n Σ i² + n Σ j² - 2 Σ i Σ j, over n.
    """
    texts = counts.sum(-1)
    observed = texts * (counts @ (labels - predicted) ** 2)
    expected = texts * (counts @ (labels**2 + predicted**2)) - 2 * (counts @ labels) * (counts @ predicted)
    kappa: np.ndarray = np.where(expected > 0, 1 - observed / np.where(expected > 0, expected, 1), 0.0)
    return kappa


@dataclass(frozen=True)
class OrderedScores:
    """How good predictions of ordered classes are, with 95 % intervals over texts."""

    accuracy: Estimate
    absolute_error: Estimate
    kappa: Estimate


def estimate_ordered(predicted: np.ndarray, labels: np.ndarray, values: np.ndarray, seed: int = 0) -> OrderedScores:
    """Measure (text,) predictions; the interval of accuracy is Wilson's, the others are by the bootstrap over texts."""
    (labels, predicted), counts = np.unique(np.stack([labels, predicted]), axis=1, return_counts=True)
    resampled = np.concatenate([counts[None], _resample(counts, seed)]).astype(np.float64)
    errors = resampled @ np.abs(values[labels] - values[predicted]) / counts.sum()
    right = int(counts[labels == predicted].sum())
    return OrderedScores(
        Estimate(right / int(counts.sum()), *share_interval(right, int(counts.sum()))),
        _estimate(errors),
        _estimate(quadratic_kappa(predicted, labels, resampled)),
    )


def difference_of_error(
    one: np.ndarray, other: np.ndarray, labels: np.ndarray, values: np.ndarray, seed: int = 0
) -> Estimate:
    """Compare the absolute error of two models on the same texts by the bootstrap: other minus one, what one saves."""
    saved = np.abs(values[other] - values[labels]) - np.abs(values[one] - values[labels])
    distinct, counts = np.unique(saved, return_counts=True)
    return _estimate(np.concatenate([counts[None], _resample(counts, seed)]) @ distinct / len(saved))


def _resample(counts: np.ndarray, seed: int) -> np.ndarray:
    """Draw as many texts as there are, again and again: (resample, cell) counts."""
    total = int(counts.sum())
    return np.random.default_rng(seed).multinomial(total, counts / total, RESAMPLES)


def _estimate(values: np.ndarray) -> Estimate:
    """Take the first value, and the interval from the others."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return Estimate(float(values[0]), float(low), float(high))
