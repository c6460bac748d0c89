"""Scores that are equal up to rounding are ties: the one definition that rankings, metrics and comparisons share.

The same score comes out with other last digits in another batch, with more threads or on another processor. Measured
over encoders and explainers, it moves by up to 5e-6 of itself or 5e-7 of the largest score of its text. What depends on
the order of words must not depend on that, so scores no further apart tie, and ties go to the earlier word.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

OWN = 2.0**-18  # of the larger of two scores: 32 ulps of float32
LARGEST = 2.0**-21  # of the largest absolute score: 4 ulps, for scores that are sums in which large terms cancel
PROBABILITY = 2.0**-22  # rounding of a difference of float32 probabilities: 4 ulps, twice what was measured
ROUNDED_PROBABILITY = 5e-6  # the same where they are rounded to six digits first, as LIME and Shapley values do
SAME = 1e-4  # of a score: a factor that all scores of a text share, as gradients do, moves more than their order


def tolerance(scores: np.ndarray, resolution: float = 0.0) -> float:
    """Give the largest difference that counts as rounding whatever the size of two scores, such as of one from 0.

    The resolution is an absolute bound, for scores that are small differences of larger numbers.
    """
    return max(LARGEST * float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0)), resolution)


def tied_ranks(scores: np.ndarray, resolution: float = 0.0) -> np.ndarray:
    """Rank scores from 0, the highest, those that tie sharing a rank; NaN comes last.

    Sorted scores that span no more than the tolerance tie; where they span more, they are cut at their widest gap and
    each part is looked at again. So no two scores that tie are further apart than the tolerance, however many lie
    between them, and scores that only rounding tells apart are not cut while there is a wider gap to cut at.
    """
    order = np.argsort(-scores, kind="stable")
    falling = scores[order].astype(np.float64)
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[order] = np.concatenate([[0], np.cumsum(_cuts(falling, tolerance(scores, resolution)))])[: len(scores)]
    return ranks


def ranking(scores: np.ndarray, resolution: float = 0.0) -> np.ndarray:
    """Give the positions of the scores from the highest down; ties go to the earlier one."""
    return np.argsort(tied_ranks(scores, resolution), kind="stable")


def settled(values: np.ndarray, reference: np.ndarray, resolution: float = 0.0) -> np.ndarray:
    """Give the values of another computation, those that equal their reference up to rounding replaced by it."""
    absolute = 2 * min(tolerance(values, resolution), tolerance(reference, resolution))  # both have been rounded
    allowed = np.maximum(absolute, SAME * np.maximum(np.abs(values), np.abs(reference)))
    return np.where(np.abs(values - reference) <= allowed, reference, values)


def _cuts(falling: np.ndarray, absolute: float) -> np.ndarray:
    """Mark the gaps between neighbors of falling scores at which they stop to be ties, (score - 1,) bool."""
    size = np.abs(falling)
    with np.errstate(invalid="ignore"):
        gaps = falling[:-1] - falling[1:]
        cut: np.ndarray = gaps > 2 * np.maximum(absolute, OWN * np.maximum(size[:-1], size[1:]))  # the surest ones
    cut |= np.isinf(gaps) | (np.isnan(falling[1:]) & ~np.isnan(falling[:-1]))
    edges = np.flatnonzero(np.concatenate([[True], cut, [True]]))  # where runs start, and the end of the last one
    runs = [(start, end) for start, end in pairwise(edges.tolist()) if end - start > 1 and np.isfinite(falling[start])]
    while runs:
        start, end = runs.pop()
        if falling[start] - falling[end - 1] <= max(absolute, OWN * max(size[start], size[end - 1])):
            continue
        inside = gaps[start : end - 1]
        widest = start + np.flatnonzero(inside == inside.max())
        cut[widest] = True
        bounds = [start, *(widest + 1).tolist(), end]
        runs += [(first, last) for first, last in pairwise(bounds) if last - first > 1]
    return cut
