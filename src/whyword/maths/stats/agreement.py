"""How far people agree beyond chance: Krippendorff's alpha for nominal values, some of which may be missing.

Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), sections C and E.
"""

from __future__ import annotations

import numpy as np


def krippendorff_alpha(counts: np.ndarray) -> float | None:
    """Give alpha, at most 1, from (unit, value) counts of how many people gave each value to each unit.

    1 is perfect agreement, 0 what chance gives, below 0 less than that. Units that fewer than two people judged count
    nothing. None where no two people judged the same unit, or where all of them gave the same value everywhere: then
    nothing tells agreement from chance.
    """
    judged = counts[counts.sum(1) > 1].astype(np.float64)
    values = judged.sum(0)  # n_c, how often each value was given
    total = values.sum()  # n, values that can be paired
    chance = total * total - (values * values).sum()  # n² − Σ n_c²: pairs of different values among all there are
    if not chance:
        return None
    people = judged.sum(1)
    different = ((people * people - (judged * judged).sum(1)) / (people - 1)).sum()  # Σ over units of o_ck, c ≠ k
    return float(1 - (total - 1) * different / chance)
