"""An effect and its variance: over runs, over runs crossed with texts, and over data sets together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from .intervals import Estimate

ROUNDING = 1e-12  # as a share of the effect, or of 1: a smaller standard error is what rounding leaves of none


@dataclass(frozen=True)
class Effect:
    """A mean difference, the variance of that mean, and its degrees of freedom; NaN where one run tells of neither."""

    value: float
    variance: float
    freedom: float

    @property
    def estimate(self) -> Estimate:
        """The value with its 95 % interval by Student's t."""
        half = self.standard_error * float(student.ppf(0.975, self.freedom))
        return Estimate(self.value, self.value - half, self.value + half)

    @property
    def standard_error(self) -> float:
        """The square root of the variance; 0 where nothing is left of it but rounding."""
        error = float(np.sqrt(self.variance))
        return 0.0 if error <= ROUNDING * max(1.0, abs(self.value)) else error

    def p_above(self, bound: float) -> float:
        """Two-sided p of the effect being above a bound, by Student's t: 1 where it lies on the other side."""
        if np.isnan(self.variance):
            return float("nan")
        if self.standard_error == 0:
            return 0.0 if self.value > bound else 1.0
        return min(1.0, float(2 * student.sf((self.value - bound) / self.standard_error, self.freedom)))

    def p_below(self, bound: float) -> float:
        """Two-sided p of the effect being below a bound."""
        return Effect(-self.value, self.variance, self.freedom).p_above(-bound)


def effect_over_runs(values: Sequence[float]) -> Effect:
    """Give the mean of a value for each run, on texts that are taken as they are."""
    known = np.asarray(values, dtype=np.float64)
    if len(known) < 2:
        return Effect(float(known.mean()) if len(known) else float("nan"), float("nan"), float("nan"))
    return Effect(float(known.mean()), float(known.var(ddof=1)) / len(known), len(known) - 1)


def effect_over_runs_and_texts(differences: np.ndarray) -> Effect:
    """Give the mean of (seed, text) differences, for other seeds and other texts alike.

    The variance is that of a table with two crossed random effects, seeds and texts:
    MS_seed / ST + MS_text / ST - MS_rest / ST (S seeds, T texts), never less than either effect alone, with the
    degrees of freedom of Satterthwaite (1946). With one seed it is that of the paired t-test over texts.
    """
    seeds, texts = differences.shape
    if texts < 2:
        return Effect(float("nan"), float("nan"), float("nan"))
    value = float(differences.mean())
    by_seed, by_text = differences.mean(1), differences.mean(0)
    from_texts = float(by_text.var(ddof=1)) / texts
    from_seeds = rest = 0.0
    if seeds > 1:
        from_seeds = float(by_seed.var(ddof=1)) / seeds
        left = differences - by_seed[:, None] - by_text + value
        rest = float((left**2).sum()) / ((seeds - 1) * (texts - 1)) / (seeds * texts)
    both = from_seeds + from_texts
    if both <= (ROUNDING * max(1.0, abs(value))) ** 2:
        return Effect(value, 0.0, texts - 1)
    freedom = both**2 / (from_seeds**2 / max(1, seeds - 1) + from_texts**2 / (texts - 1))
    return Effect(value, max(from_seeds, from_texts, both - rest), freedom)


def mean_of_effects(effects: Sequence[Effect]) -> Effect:
    """Give the mean over data sets that are taken as they are; runs on different data are independent.

    Variances add up, with the degrees of freedom of Satterthwaite (1946).
    """
    value = float(np.mean([effect.value for effect in effects]))
    parts = np.array([effect.variance for effect in effects]) / len(effects) ** 2
    if np.isnan(parts).any() or not parts.any():
        return Effect(value, float(parts.sum()), float(min(effect.freedom for effect in effects)))
    freedoms = np.array([effect.freedom for effect in effects])
    return Effect(value, float(parts.sum()), float(parts.sum() ** 2 / (parts**2 / freedoms).sum()))
