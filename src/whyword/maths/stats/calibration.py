"""Does a model that is 80 % sure get 80 % right? The expected calibration error (Naeini et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .intervals import share_interval

BINS = 10


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
