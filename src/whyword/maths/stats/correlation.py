"""How strongly two quantities go together: Pearson's r and Spearman's rho, each with a 95 % interval."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import rankdata

from .estimate import Estimate, Z
from .ties import tied_ranks


def pearson(x: np.ndarray, y: np.ndarray) -> Estimate | None:
    """Measure how straight the relation is; None if x or y does not vary."""
    r = _coefficient(x, y)
    return None if r is None else Estimate(r, *pearson_interval(r, len(x)))


def spearman(x: np.ndarray, y: np.ndarray) -> Estimate | None:
    """Measure how monotone the relation is, ties (see ties.py) sharing their mean rank; None if x or y is constant."""
    r = _coefficient(rankdata(tied_ranks(x)), rankdata(tied_ranks(y)))
    return None if r is None else Estimate(r, *spearman_interval(r, len(x)))


def pearson_interval(r: float, n: int) -> tuple[float, float]:
    """Fisher's z interval of n pairs; for quantities that are not normal it holds near r = 0 only."""
    return _fisher(r, n, 1.0)


def spearman_interval(r: float, n: int) -> tuple[float, float]:
    """Fisher's z interval of n pairs, with the standard error of Bonett & Wright (2000)."""
    return _fisher(r, n, 1.0 + r * r / 2)


def _fisher(r: float, n: int, variance: float) -> tuple[float, float]:
    if n <= 3:
        return -1.0, 1.0
    if abs(r) >= 1.0:
        return r, r
    half = Z * math.sqrt(variance / (n - 3))
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def _coefficient(x: np.ndarray, y: np.ndarray) -> float | None:
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    a, b = (np.asarray(values, dtype=np.float64) - np.mean(values) for values in (x, y))
    r = float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
    return min(1.0, max(-1.0, r))
