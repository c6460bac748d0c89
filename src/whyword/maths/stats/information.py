"""What one variable tells about another, from counts; in nats."""

from __future__ import annotations

import numpy as np
from scipy.special import entr


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
