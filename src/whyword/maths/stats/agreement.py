"""How far two rankings of the same words agree."""

from __future__ import annotations

import math

import numpy as np

from .ties import tied_ranks

BLOCK = 1_000_000  # pairs looked at together: bounds the memory of long texts


def kendall_tau_b(one: np.ndarray, other: np.ndarray, resolutions: tuple[float, float] = (0.0, 0.0)) -> float:
    """Kendall's tau-b of two (word,) scores, from -1 to 1; NaN if either does not vary.

    Scores that are equal up to rounding are ties; each of the two may have a resolution (see ties.py).
    """
    ranks = [tied_ranks(*scores).astype(np.int32) for scores in zip((one, other), resolutions, strict=True)]
    agree, ordered_one, ordered_other = 0, 0, 0
    step = max(1, BLOCK // max(1, len(one)))
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
