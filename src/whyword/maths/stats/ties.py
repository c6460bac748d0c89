"""Scores that are equal up to rounding are ties: the one definition that rankings, metrics and comparisons share.

The same score comes out with other last digits in another batch, with more threads or on another processor. Measured
over encoders and explainers, it moves by up to 2e-6 of the largest score of its text. What depends on the order of
words must not depend on that, so scores that differ by no more than the tolerance tie, and ties go to the earlier word.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

RELATIVE = 1e-5  # of the largest absolute score: about 80 float32 ulps, five times what was measured
PROBABILITY = 2.0**-21  # rounding of a difference of float32 probabilities: 4 ulps, four times what was measured
ROUNDED_PROBABILITY = 5e-6  # the same where they are rounded to six digits first, as LIME and Shapley values do


def tolerance(scores: np.ndarray, resolution: float = 0.0) -> float:
    """Give the largest difference of two of these scores that counts as rounding.

    The resolution is an absolute bound, for scores that are small differences of larger numbers.
    """
    largest = float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0))
    return max(RELATIVE * largest, resolution)


def tied_ranks(scores: np.ndarray, resolution: float = 0.0) -> np.ndarray:
    """Rank scores from 0, the highest, those that tie sharing a rank; NaN comes last.

    Sorted scores that span no more than the tolerance tie; where they span more, they are cut at their widest gap and
    each part is looked at again. So no two scores that tie are further apart than the tolerance, however many lie
    between them, and scores that only rounding tells apart are not cut while there is a wider gap to cut at.
    """
    order = np.argsort(-scores, kind="stable")
    falling = scores[order].astype(np.float64)
    with np.errstate(invalid="ignore"):
        gaps = falling[:-1] - falling[1:]
    unknown = np.isnan(falling)
    gaps[np.isnan(gaps)] = 0.0  # between two NaN, or two infinite scores
    gaps[unknown[1:] & ~unknown[:-1]] = np.inf
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[order] = np.concatenate([[0], np.cumsum(_cuts(gaps, tolerance(scores, resolution)))])[: len(scores)]
    return ranks


def ranking(scores: np.ndarray, resolution: float = 0.0) -> np.ndarray:
    """Give the positions of the scores from the highest down; ties go to the earlier one."""
    return np.argsort(tied_ranks(scores, resolution), kind="stable")


def settled(values: np.ndarray, reference: np.ndarray, resolution: float = 0.0) -> np.ndarray:
    """Give the values, those that equal their reference up to rounding replaced by it."""
    allowed = min(tolerance(values, resolution), tolerance(reference, resolution))
    return np.where(np.abs(values - reference) <= allowed, reference, values)


def _cuts(gaps: np.ndarray, allowed: float) -> np.ndarray:
    """Mark the gaps between sorted scores at which they stop to be ties."""
    cut = gaps > allowed
    edges = np.flatnonzero(np.concatenate([[True], cut, [True]]))  # score numbers at which a run starts, and the end
    runs = [(start, end - 1) for start, end in pairwise(edges.tolist()) if end - start > 2]
    while runs:
        start, end = runs.pop()
        inside = gaps[start:end]
        if inside.sum() <= allowed:
            continue
        widest = start + np.flatnonzero(inside == inside.max())
        cut[widest] = True
        bounds = [start - 1, *widest.tolist(), end]
        runs += [(a + 1, b) for a, b in pairwise(bounds) if b - a > 2]
    return cut
