"""Weights that change through training; progress runs from 0 to 1."""

from __future__ import annotations


def staged_decay(start: float, end: float, stages: int, progress: float) -> float:
    """Go down from start to end in equal steps (VMASK's code: 1, 0.901, … 0.109 in ten stages)."""
    if stages < 2:
        return start
    stage = min(int(progress * stages), stages - 1)
    return start - (start - end) * stage / (stages - 1)


def rising(end: float, progress: float) -> float:
    """Go up linearly from 0 to end (KL annealing, Bowman et al. 2016, as VMASK's paper says)."""
    return end * progress
