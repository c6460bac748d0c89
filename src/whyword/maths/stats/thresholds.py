"""Decision thresholds: offsets on log-probabilities under which the predicted classes have the best macro-F1."""

from __future__ import annotations

import math

import numpy as np

from .classes import macro_f1
from .ordered import decided

MOST_CANDIDATES = 200  # offsets tried for a class in a round
ROUNDS = 3  # over the classes
TINY = 1e-30  # probabilities are not taken to be smaller


def decide(probabilities: np.ndarray, offsets: np.ndarray | None, ordered: bool = False) -> np.ndarray:
    """Give the (text,) class of the largest log-probability after adding its offset, of (text, class) probabilities.

    Without offsets, the median where classes have an order.
    """
    if offsets is None:
        return decided(probabilities, ordered)
    chosen: np.ndarray = (np.log(np.maximum(probabilities, TINY)) + offsets).argmax(1)
    return chosen


def offsets_of(threshold: float) -> np.ndarray:
    """Give the offsets under which the second of two classes is predicted from this probability on."""
    return np.array([0.0, math.log((1 - threshold) / threshold)])


def threshold_of(offsets: np.ndarray) -> float:
    """Give the probability from which on the second of two classes is predicted."""
    return 1 / (1 + math.exp(offsets[1] - offsets[0]))


def tune_offsets(probabilities: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Find offsets of the best macro-F1, class by class in turn; of equally good ones, those in the middle, or none.

    The offset of a class matters only where it passes a text's margin, so the middles between margins are all there is
    to try.
    """
    logs = np.log(np.maximum(probabilities, TINY))
    classes = probabilities.shape[1]
    offsets = np.zeros(classes)
    best = macro_f1(logs.argmax(1), labels, classes)
    for _ in range(ROUNDS):
        before = best
        for number in range(1, classes) if classes == 2 else range(classes):
            without = logs + offsets
            without[:, number] = -np.inf
            others = without.argmax(1)
            margins = without[np.arange(len(logs)), others] - logs[:, number]
            candidates = _middles(margins)
            answers = (np.where(margins < candidate, number, others) for candidate in candidates)
            scores = np.array([macro_f1(answer, labels, classes) for answer in answers])
            if len(scores) and scores.max() > best + 1e-12:
                best = scores.max()
                winners = np.flatnonzero(scores >= best - 1e-12)
                offsets[number] = candidates[winners[len(winners) // 2]]
        if best <= before:
            break
    from_first: np.ndarray = offsets - offsets[0]
    return from_first


def _middles(margins: np.ndarray) -> np.ndarray:
    """Give the middles between neighbors, thinned out evenly if there are many."""
    distinct = np.unique(margins)
    middles: np.ndarray = (distinct[1:] + distinct[:-1]) / 2
    if len(middles) > MOST_CANDIDATES:
        middles = middles[np.linspace(0, len(middles) - 1, MOST_CANDIDATES).round().astype(int)]
    return middles
