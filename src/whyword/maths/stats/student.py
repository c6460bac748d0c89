"""How sure a mean over a few runs is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import t as student

from .estimate import Estimate


def mean_over_runs(values: Sequence[float]) -> Estimate:
    """Give the mean with its 95 % interval by Student's t; one run has no interval (NaN), and NaN runs are left out."""
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if not len(known):
        return Estimate(float("nan"), float("nan"), float("nan"))
    mean = float(known.mean())
    if len(known) == 1:
        return Estimate(mean, float("nan"), float("nan"))
    half = float(known.std(ddof=1) / np.sqrt(len(known)) * student.ppf(0.975, len(known) - 1))
    return Estimate(mean, mean - half, mean + half)
