"""How sure a mean or a share is: 95 % intervals over runs, over texts, and of yes and no."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

Z = 1.959963984540054  # 97.5 % point of the normal distribution
RESAMPLES = 2_000
ANY, SHARE = (-math.inf, math.inf), (0.0, 1.0)  # where values may lie
CHUNK = 4_000_000  # entries of a table of counts or signs drawn at a time: bounds the memory of any number of texts


@dataclass(frozen=True)
class Estimate:
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float


def mean_over_runs(values: Sequence[float], bounds: tuple[float, float] = ANY) -> Estimate:
    """Give the mean with its 95 % interval by Student's t; one run has no interval (NaN), and NaN runs are left out.

    The interval is cut where no value can lie, such as at SHARE: what is cut off never holds the true mean.
    """
    from scipy.stats import t as student  # predictions need none of this, and may run where scipy is not installed

    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if not len(known):
        return Estimate(float("nan"), float("nan"), float("nan"))
    mean = float(known.mean())
    if len(known) == 1:
        return Estimate(mean, float("nan"), float("nan"))
    half = float(known.std(ddof=1) / np.sqrt(len(known)) * student.ppf(0.975, len(known) - 1))
    return Estimate(mean, max(mean - half, min(bounds[0], mean)), min(mean + half, max(bounds[1], mean)))


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


def ratio_of_means(one: np.ndarray, other: np.ndarray, seed: int = 0) -> Estimate:
    """Give the mean of one over that of the other, (text,) values of the same texts, with its 95 % interval.

    The bootstrap over texts, its levels widened as Student's t does for few texts. NaN unless two texts are defined and
    the other mean is above 0; an end is infinite where resamples do not keep it above 0.
    """
    from scipy.stats import norm
    from scipy.stats import t as student

    defined = ~np.isnan(one) & ~np.isnan(other)
    pairs = np.column_stack([one, other])[defined]
    count = len(pairs)
    if count < 2 or pairs[:, 1].mean() <= 0:
        return Estimate(float("nan"), float("nan"), float("nan"))
    value = float(pairs[:, 0].mean() / pairs[:, 1].mean())
    above, below = np.concatenate([table @ pairs for table in _counts(count, seed)]).T
    ratios = np.divide(above, below, out=np.full_like(above, np.inf), where=below > 0)
    wide = np.sqrt(count / (count - 1)) * student.ppf(0.975, count - 1)
    low, high = np.quantile(ratios, norm.cdf([-wide, wide]), method="nearest")
    return Estimate(value, float(low), float(high))


def _accelerated(values: np.ndarray, seed: int) -> np.ndarray:
    """Bootstrap the mean of (text, column) values without NaN."""
    from scipy.stats import norm
    from scipy.stats import t as student

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
    for rows in chunk_sizes(RESAMPLES, texts):
        drawn = generator.integers(0, texts, (rows, texts)) + texts * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * texts).reshape(rows, texts).astype(np.float64)


def chunk_sizes(total: int, width: int) -> Iterator[int]:
    """Cut a table of total rows into as few chunks as memory allows, and give the rows of each."""
    most = max(1, CHUNK // max(1, width))
    for first in range(0, total, most):
        yield min(most, total - first)
