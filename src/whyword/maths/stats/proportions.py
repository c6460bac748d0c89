"""95 % intervals for means of yes and no, where a bootstrap sees nothing as long as all answers are the same."""

from __future__ import annotations

import math

from .estimate import Z


def share_interval(ones: int, count: int) -> tuple[float, float]:
    """Wilson's score interval for a share, ones of count."""
    share, spread = ones / count, Z * Z / count
    middle = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def share_difference_interval(ups: int, downs: int, count: int) -> tuple[float, float]:
    """Interval for the mean of count paired differences of yes and no: +1 in ups of them, -1 in downs, else 0.

    Agresti & Min (2005): Wald's interval after adding half an observation to each of the four cells.
    """
    up, down, total = ups + 0.5, downs + 0.5, count + 2
    middle = (up - down) / total
    half = Z * math.sqrt(up + down - (up - down) ** 2 / total) / total
    return max(-1.0, middle - half), min(1.0, middle + half)
