"""How strongly two quantities go together: correlations, agreement of rankings, mutual information."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import entr
from scipy.stats import rankdata

from .intervals import Estimate, Z
from .ties import tied_ranks

MOST_PAIRS_AT_ONCE = 1_000_000  # pairs looked at together: bounds the memory of long texts


def pearson(x: np.ndarray, y: np.ndarray) -> Estimate | None:
    """Measure how straight the relation is; None if x or y does not vary."""
    r = _coefficient(x, y)
    return None if r is None else Estimate(r, *pearson_interval(r, len(x)))


def spearman(x: np.ndarray, y: np.ndarray) -> Estimate | None:
    """Measure how monotone the relation is, ties (see ties.py) sharing their mean rank; None if x or y is constant."""
    r = _coefficient(rankdata(tied_ranks(x)), rankdata(tied_ranks(y)))
    return None if r is None else Estimate(r, *spearman_interval(r, len(x)))


def matthews(said: Sequence[object], gold: Sequence[object]) -> float:
    """Give Matthews' correlation of answers and labels, for any number of classes (Gorodkin 2004).

    0 where all answers, or all labels, are of one class, as for whoever always says what is most frequent.
    """
    classes = list(dict.fromkeys([*said, *gold]))
    x, y = (np.array([[one == name for name in classes] for one in side], dtype=np.float64) for side in (said, gold))
    x, y = x - x.mean(0), y - y.mean(0)
    spread = math.sqrt((x * x).sum() * (y * y).sum())
    return float((x * y).sum()) / spread if spread > 0 else 0.0


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


def kendall_tau_b(one: np.ndarray, other: np.ndarray, resolutions: tuple[float, float] = (0.0, 0.0)) -> float:
    """Kendall's tau-b of two (word,) scores, from -1 to 1; NaN if either does not vary.

    Scores that are equal up to rounding are ties; each of the two may have a resolution (see ties.py).
    """
    ranks = [tied_ranks(*scores).astype(np.int32) for scores in zip((one, other), resolutions, strict=True)]
    agree, ordered_one, ordered_other = 0, 0, 0
    step = max(1, MOST_PAIRS_AT_ONCE // max(1, len(one)))
    for first in range(0, len(one), step):
        sign, other_sign = (np.sign(rank[first : first + step, None] - rank) for rank in ranks)
        agree += int((sign * other_sign).sum())
        ordered_one += int(np.count_nonzero(sign))
        ordered_other += int(np.count_nonzero(other_sign))
    if not ordered_one or not ordered_other:
        return float("nan")
    return agree / math.sqrt(ordered_one * ordered_other)


def overlap(one: np.ndarray, other: np.ndarray) -> float:
    """Share of the marked words that both mark, (word,) bool each with equally many marks; NaN if there are none."""
    marked = int(one.sum())
    return int((one & other).sum()) / marked if marked else float("nan")


def entropy(counts: np.ndarray) -> float:
    """H = −Σ p ln p of the shares of the counts."""
    return float(entr(np.asarray(counts, dtype=np.float64) / np.sum(counts)).sum())


def mutual_information(joint: np.ndarray) -> float:
    """I = Σ p(w, c) ln p(w, c) / p(w) p(c) of a table of joint counts, (w, c); never more than H(w) or H(c)."""
    information = entropy(joint.sum(1)) + entropy(joint.sum(0)) - entropy(joint)
    return max(0.0, information)


def joint_counts(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Count how often each value of one goes with each value of the other; both are whole numbers from 0 up."""
    width = int(second.max(initial=-1)) + 1
    height = int(first.max(initial=-1)) + 1
    return np.bincount(first * width + second, minlength=height * width).reshape(height, width)
