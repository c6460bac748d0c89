"""Many comparisons at once: p-values as Holm (1979) corrects them."""

from __future__ import annotations

import numpy as np


def holm(p: np.ndarray) -> np.ndarray:
    """Give adjusted p-values, (comparison,); NaN where there was none, which counts as no comparison.

    Rejecting those below 0.05 errs on any of them in at most 5 % of all tables, however the comparisons depend on each
    other.
    """
    adjusted = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    left = np.arange(len(order), 0, -1)  # comparisons not yet rejected
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * left), 1.0)
    return adjusted
