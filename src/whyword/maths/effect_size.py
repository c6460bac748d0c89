"""How far two groups of numbers lie apart: Cliff's delta, with a 95 % interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

Z = 1.959963984540054  # 97.5 % point of the normal distribution


@dataclass(frozen=True)
class Effect:
    """An effect size and its 95 % interval."""

    value: float
    low: float
    high: float


def cliffs_delta(ones: np.ndarray, others: np.ndarray) -> Effect | None:
    """P(one > other) − P(one < other), from -1 to 1, with DeLong's interval; None if a group is empty."""
    if not len(ones) or not len(others):
        return None
    ranks = rankdata(np.concatenate([ones, others]))
    above = (ranks[: len(ones)] - rankdata(ones)) / len(others)  # (one,) share of others below it, ties half
    below = 1 - (ranks[len(ones) :] - rankdata(others)) / len(ones)  # (other,) share of ones above it
    value = float(2 * above.mean() - 1)
    if len(ones) < 2 or len(others) < 2:
        return Effect(value, -1.0, 1.0)
    half = 2 * Z * math.sqrt(above.var(ddof=1) / len(ones) + below.var(ddof=1) / len(others))
    return Effect(value, max(-1.0, value - half), min(1.0, value + half))
