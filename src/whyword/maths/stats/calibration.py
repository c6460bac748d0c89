"""Does a model that is 80 % sure get 80 % right? The expected calibration error (Naeini et al. 2015)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from .intervals import share_interval

BINS = 10
FEWEST = 50  # texts, below which a temperature would follow chance
LARGEST_SCALE = 10.0  # of the logits, and one over the smallest


@dataclass(frozen=True)
class Bin:
    """The texts whose confidence lies above one number and not above another; the first bin also holds 0."""

    above: float
    up_to: float
    confidence: float  # mean over its texts
    accuracy: float  # share of them that is right
    low: float  # of its 95 % interval
    high: float
    texts: int


@dataclass(frozen=True)
class Calibration:
    """How far confidence and accuracy lie apart."""

    error: float  # mean over texts of the gap in the bin of each
    bins: tuple[Bin, ...]  # those that hold any text


def calibration(confidence: np.ndarray, right: np.ndarray, bins: int = BINS) -> Calibration | None:
    """Compare (text,) probabilities of the predicted class with whether it was right; None if there are no texts."""
    if not len(confidence):
        return None
    edges = np.arange(bins + 1) / bins
    place = np.clip(np.searchsorted(edges, confidence, side="left") - 1, 0, bins - 1)
    filled = []
    for number in np.unique(place):
        inside = place == number
        count, ones = int(inside.sum()), int(right[inside].sum())
        mean = float(confidence[inside].mean())
        filled.append(
            Bin(float(edges[number]), float(edges[number + 1]), mean, ones / count, *share_interval(ones, count), count)
        )
    error = sum(bin.texts * abs(bin.accuracy - bin.confidence) for bin in filled) / len(confidence)
    return Calibration(error, tuple(filled))


Scaled = Callable[[np.ndarray, float], np.ndarray]  # logits and a scale to log-probabilities


def _scaled(logits: np.ndarray, scale: float) -> np.ndarray:
    log_probability: np.ndarray = log_softmax(scale * logits, axis=1)
    return log_probability


def fit_scale(logits: np.ndarray, labels: np.ndarray, scaled: Scaled = _scaled) -> float:
    """Find what to multiply (text, class) logits by so that the labels are most probable: one over the temperature.

    Guo et al. 2017. Labels count as sure but for one text's worth of doubt, as in Platt's scaling (1999), so that texts
    that are all right do not make the model sure of everything. 1 for few texts, or where nothing is gained.
    """
    if len(logits) < FEWEST:
        return 1.0
    doubt = 1 / (len(logits) + 2)

    def log_loss(log_scale: float, doubt: float) -> float:
        log_probability = scaled(logits, float(np.exp(log_scale)))
        of_label = log_probability[np.arange(len(labels)), labels].mean()
        return float(-(1 - doubt) * of_label - doubt * log_probability.mean())

    bound = np.log(LARGEST_SCALE)
    best = float(minimize_scalar(log_loss, bounds=(-bound, bound), args=(doubt,), method="bounded").x)
    return float(np.exp(best)) if log_loss(best, 0.0) < log_loss(0.0, 0.0) else 1.0
