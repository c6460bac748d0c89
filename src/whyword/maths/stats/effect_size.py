"""How far two groups of numbers lie apart: Cliff's delta, with a 95 % interval."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import rankdata

from .estimate import Estimate, Z
from .ties import tied_ranks


def cliffs_delta(ones: np.ndarray, others: np.ndarray) -> Estimate | None:
    """P(one > other) − P(one < other), from -1 to 1, with DeLong's interval; None if a group is empty."""
    if not len(ones) or not len(others):
        return None
    levels = -tied_ranks(np.concatenate([ones, others]))  # numbers that are equal up to rounding have the same level
    ranks, ones, others = rankdata(levels), levels[: len(ones)], levels[len(ones) :]
    above = (ranks[: len(ones)] - rankdata(ones)) / len(others)  # (one,) share of others below it, ties half
    below = 1 - (ranks[len(ones) :] - rankdata(others)) / len(ones)  # (other,) share of ones above it
    value = float(2 * above.mean() - 1)
    if len(ones) < 2 or len(others) < 2:
        return Estimate(value, -1.0, 1.0)
    half = 2 * Z * math.sqrt(above.var(ddof=1) / len(ones) + below.var(ddof=1) / len(others))
    return Estimate(value, max(-1.0, value - half), min(1.0, value + half))
