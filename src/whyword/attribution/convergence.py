"""Whether the top words of a sampled explanation are the right ones."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from ..maths.stats.ties import ROUNDED_PROBABILITY, ranking

TOLERANCE = 0.01  # of the largest score: words nearer than this are tied, however long one samples


def converged(scores: np.ndarray, std_error: np.ndarray, top: int, confidence: float) -> tuple[float, np.ndarray]:
    """Give the confidence that the top words have converged, and (word,) bool: words whose place is undecided.

    Converged means that no word outside beats a word inside by more than the tolerance. Every pair of a word inside and
    a word outside is tested by its gap (normal, errors independent); the chances to be wrong are added up (Bonferroni).
    A pair is tied if its gap is within the tolerance, or could be turned round with more than 1 - confidence.
    """
    tied = np.zeros(len(scores), dtype=bool)
    if top <= 0 or len(scores) <= top:
        return 1.0, tied
    order = ranking(scores, ROUNDED_PROBABILITY)
    inside, outside = order[:top], order[top:]
    tolerance = TOLERANCE * float(np.abs(scores).max())
    gap = scores[inside, None] - scores[outside]  # (top, rest)
    spread = np.sqrt(std_error[inside, None] ** 2 + std_error[outside] ** 2)
    open_pairs = (gap <= tolerance) | (_chance_below(gap, spread, 0.0) > 1 - confidence)
    tied[inside[open_pairs.any(axis=1)]] = True
    tied[outside[open_pairs.any(axis=0)]] = True
    return max(0.0, 1.0 - float(_chance_below(gap, spread, -tolerance).sum())), tied


def _chance_below(gap: np.ndarray, spread: np.ndarray, bound: float) -> np.ndarray:
    """Chance that the true gap is less than the bound; without any spread it is known."""
    distance = gap - bound
    return np.where(spread > 0, ndtr(-distance / np.where(spread > 0, spread, 1.0)), distance < 0)
