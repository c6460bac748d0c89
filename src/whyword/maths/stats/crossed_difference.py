"""Two ways of training compared on the same texts and seeds, with both as sources of chance."""

from __future__ import annotations

import numpy as np
from scipy.stats import t as student

from .bootstrap import Difference


def crossed_difference(one: np.ndarray, other: np.ndarray) -> Difference:
    """Compare (seed, text) values; texts that are NaN in any run are left out.

    The variance of the mean is that of a table with two crossed random effects, seeds and texts:
    MS_seed / ST + MS_text / ST - MS_rest / ST (S seeds, T texts), never less than either effect alone, with the
    degrees of freedom of Satterthwaite (1946). With one seed it is the paired t-test over texts. If all differences
    are the same, p is that of the sign test.
    """
    differences = np.asarray(one, dtype=np.float64) - other
    differences = differences[:, ~np.isnan(differences).any(0)]
    seeds, texts = differences.shape
    if texts < 2:
        return Difference(float("nan"), float("nan"), float("nan"), float("nan"))
    value = float(differences.mean())
    by_seed, by_text = differences.mean(1), differences.mean(0)
    from_texts = float(by_text.var(ddof=1)) / texts
    from_seeds = rest = 0.0
    if seeds > 1:
        from_seeds = float(by_seed.var(ddof=1)) / seeds
        left = differences - by_seed[:, None] - by_text + value
        rest = float((left**2).sum()) / ((seeds - 1) * (texts - 1)) / (seeds * texts)
    both = from_seeds + from_texts
    if both <= (1e-12 * max(1.0, abs(value))) ** 2:  # nothing but rounding
        return Difference(value, value, value, 1.0 if abs(value) < 1e-12 else min(1.0, 2.0 ** (1 - texts)))
    spread = max(from_seeds, from_texts, both - rest) ** 0.5
    freedom = both**2 / (from_seeds**2 / max(1, seeds - 1) + from_texts**2 / (texts - 1))
    half = spread * float(student.ppf(0.975, freedom))
    return Difference(value, value - half, value + half, float(2 * student.sf(abs(value) / spread, freedom)))
