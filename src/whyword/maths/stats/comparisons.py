"""Two ways compared on the same texts: differences with p-values, Holm's correction, Cliff's delta."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from .effects import ROUNDING, effect_over_runs_and_texts
from .intervals import Estimate, Z, chunk_sizes, mean_intervals
from .ties import tied_ranks

FLIPS = 9_999  # so that the smallest p-value is 0.0001


@dataclass(frozen=True)
class Difference:
    """A mean difference over the same texts, its 95 % interval, and how often chance alone would do as much."""

    value: float
    low: float
    high: float
    p: float


def paired_difference(one: np.ndarray, other: np.ndarray, seed: int = 0) -> Difference:
    """Compare two (text,) values on the texts where both are defined."""
    return paired_differences(one[:, None], other[:, None], seed)[0]


def paired_differences(one: np.ndarray, other: np.ndarray, seed: int = 0) -> list[Difference]:
    """Compare (text, column) values column by column, each on the texts where both are defined.

    The p-value is two-sided, from flipping the signs of the differences at random; NaN where fewer than two texts are
    defined. It is not corrected for the number of columns.
    """
    differences = one - other
    intervals = mean_intervals(differences, seed)
    defined = ~np.isnan(differences)
    filled, count = np.where(defined, differences, 0.0), defined.sum(0)
    total = filled.sum(0)
    as_far = np.zeros(len(total))
    generator = np.random.default_rng(seed)
    for rows in chunk_sizes(FLIPS, len(filled)):
        signs = generator.integers(0, 2, (rows, len(filled)), dtype=np.int8) * 2.0 - 1.0
        as_far += (np.abs(signs @ filled) >= np.abs(total) * (1 - 1e-9)).sum(0)
    p = np.where(count > 1, (1 + as_far) / (1 + FLIPS), np.nan)
    means = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return [
        Difference(*(float(number) for number in row))
        for row in np.column_stack([means, intervals, p]).reshape(len(total), 4)
    ]


def crossed_difference(one: np.ndarray, other: np.ndarray) -> Difference:
    """Compare (seed, text) values, for other seeds and other texts; texts that are NaN in any run are left out.

    If all differences are the same, p is that of the sign test.
    """
    differences = np.asarray(one, dtype=np.float64) - other
    differences = differences[:, ~np.isnan(differences).any(0)]
    effect = effect_over_runs_and_texts(differences)
    if effect.standard_error == 0:  # nothing but rounding
        p = 1.0 if abs(effect.value) < ROUNDING else min(1.0, 2.0 ** (1 - differences.shape[1]))
        return Difference(effect.value, effect.value, effect.value, p)
    estimate = effect.estimate
    p = min(effect.p_above(0.0), effect.p_below(0.0))
    return Difference(estimate.value, estimate.low, estimate.high, p)


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


def cliffs_delta(ones: np.ndarray, others: np.ndarray) -> Estimate | None:
    """P(one > other) − P(one < other), from -1 to 1, with DeLong's interval; None if a group is empty."""
    if not len(ones) or not len(others):
        return None
    levels = -tied_ranks(np.concatenate([ones, others]))  # numbers that are equal up to rounding have the same level
    ranks, ones, others = rankdata(levels), levels[: len(ones)], levels[len(ones) :]
    above = (ranks[: len(ones)] - rankdata(ones)) / len(others)  # (one,) share of others below it, ties half
    below = 1 - (ranks[len(ones) :] - rankdata(others)) / len(ones)  # (other,) share of ones above it
    value = float(2 * above.mean() - 1)
    if len(ones) < 2 or len(others) < 2:
        return Estimate(value, -1.0, 1.0)
    half = 2 * Z * math.sqrt(above.var(ddof=1) / len(ones) + below.var(ddof=1) / len(others))
    return Estimate(value, max(-1.0, value - half), min(1.0, value + half))
