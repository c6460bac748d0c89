"""How sure a mean over texts is: 95 % intervals, and paired differences with a p-value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from .proportions import share_difference_interval, share_interval

RESAMPLES = 2_000
FLIPS = 9_999  # so that the smallest p-value is 0.0001
CHUNK = 4_000_000  # entries of a table of counts or signs drawn at a time: bounds the memory of any number of texts


@dataclass(frozen=True)
class Difference:
    """A mean difference over the same texts, its 95 % interval, and how often chance alone would do as much."""

    value: float
    low: float
    high: float
    p: float


def mean_interval(values: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """Give the 95 % interval for the mean of (text,) values, those that are NaN left out."""
    low, high = mean_intervals(values[:, None], seed)[0]
    return float(low), float(high)


def mean_intervals(values: np.ndarray, seed: int = 0) -> np.ndarray:
    """Give (column, 2) 95 % intervals for the mean of each column of (text, column) values, NaN left out.

    The bias-corrected and accelerated bootstrap (Efron 1987), its levels widened as Student's t does for few texts
    (Hesterberg 2015). Columns of only 0 and 1, or of only -1, 0 and 1, have intervals in closed form, because texts
    that all agree do not make a share certain. NaN where fewer than two texts are defined.
    """
    intervals = np.full((values.shape[1], 2), np.nan)
    rest: dict[bytes, list[int]] = {}  # columns defined on the same texts are resampled together
    for column in range(values.shape[1]):
        defined = ~np.isnan(values[:, column])
        known = values[defined, column]
        if len(known) < 2:
            continue
        ones, minus_ones, zeros = ((known == value).sum() for value in (1.0, -1.0, 0.0))
        if ones + zeros == len(known):
            intervals[column] = share_interval(int(ones), len(known))
        elif ones + minus_ones + zeros == len(known):
            intervals[column] = share_difference_interval(int(ones), int(minus_ones), len(known))
        else:
            rest.setdefault(defined.tobytes(), []).append(column)
    for key, columns in rest.items():
        defined = np.frombuffer(key, dtype=bool)
        intervals[columns] = _accelerated(values[defined][:, columns], seed)
    return intervals


def _accelerated(values: np.ndarray, seed: int) -> np.ndarray:
    """Bootstrap the mean of (text, column) values without NaN."""
    count = len(values)
    mean = values.mean(0)
    deviations = values - mean
    resampled = np.sort(np.concatenate([table @ deviations for table in _counts(count, seed)]) / count, axis=0)
    cubes, squares = (deviations**3).sum(0), (deviations**2).sum(0)
    # of a mean, acceleration and bias correction are the same: a sixth of the skewness of its distribution
    skew = np.divide(cubes, 6 * squares**1.5, out=np.zeros_like(cubes), where=squares > 0)
    wide = np.sqrt(count / (count - 1)) * student.ppf(0.975, count - 1)
    ends = []
    for side in (-wide, wide):
        level = norm.cdf(skew + (skew + side) / (1 - skew * (skew + side)))
        place = level * (RESAMPLES - 1)
        below = np.floor(place).astype(int)
        above = np.minimum(below + 1, RESAMPLES - 1)
        every = np.arange(len(mean))
        ends.append(
            mean + resampled[below, every] + (place - below) * (resampled[above, every] - resampled[below, every])
        )
    return np.stack(ends, axis=1)


def _counts(texts: int, seed: int) -> Iterator[np.ndarray]:
    """Draw how often each text is in each resample, (resample, text), a bounded number of resamples at a time."""
    generator = np.random.default_rng(seed)
    for rows in _chunks(RESAMPLES, texts):
        drawn = generator.integers(0, texts, (rows, texts)) + texts * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * texts).reshape(rows, texts).astype(np.float64)


def _chunks(total: int, width: int) -> Iterator[int]:
    most = max(1, CHUNK // max(1, width))
    for first in range(0, total, most):
        yield min(most, total - first)


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
    for rows in _chunks(FLIPS, len(filled)):
        signs = generator.integers(0, 2, (rows, len(filled)), dtype=np.int8) * 2.0 - 1.0
        as_far += (np.abs(signs @ filled) >= np.abs(total) * (1 - 1e-9)).sum(0)
    p = np.where(count > 1, (1 + as_far) / (1 + FLIPS), np.nan)
    means = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return [
        Difference(*(float(number) for number in row))
        for row in np.column_stack([means, intervals, p]).reshape(len(total), 4)
    ]
