"""From the records of runs to the rows of a leaderboard: means over seeds, paired differences, who is best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from .. import catalog
from ..maths.stats.comparisons import Difference, crossed_difference, holm
from ..maths.stats.intervals import ANY, SHARE, Estimate, mean_over_runs
from .runner import RunRecord
from .variant import Result

LEVEL = 0.05
BOUNDS = {"macro_f1": SHARE, "micro_f1": SHARE, "kappa": (-1.0, 1.0), "absolute_error": (0.0, inf)}
Key = tuple[str, str, str]  # data set, encoder, method
Values = dict[int, np.ndarray]  # seed to (text,)


@dataclass(frozen=True)
class Measured:
    """One quantity of a row."""

    mean: Estimate  # over seeds
    difference: Difference | None = None  # from the baseline on the same texts and seeds; p corrected after Holm
    best: bool = False  # better than every other row of the data set, which chance does not explain


@dataclass(frozen=True)
class Row:
    """A method on an encoder on a data set."""

    dataset: str
    encoder: str
    method: str
    records: tuple[RunRecord, ...]  # one per seed
    accuracy: Measured
    interpretability: Measured | None  # how much better than random words; None where nothing was explained
    mechanism: Measured | None = None  # the same of attention weights or gates, where they stand beside contributions

    @property
    def first(self) -> RunRecord:
        """Any of the records, for what they share."""
        return self.records[0]

    def mean(self, name: str) -> float:
        """Average a number over seeds."""
        return float(np.mean([record.result[name] for record in self.records]))

    @property
    def wall_seconds(self) -> float:
        """Average over seeds of the time that a run took."""
        return float(np.mean([record.wall_seconds for record in self.records]))

    @property
    def step_seconds(self) -> float:
        """Average over seeds of the time that a training step took."""
        return float(np.mean([r.result["train_seconds"] / max(1, r.steps or 0) for r in self.records]))

    def figure(self, name: str) -> Estimate:
        """Average a figure of the test over seeds, where it was measured."""
        values = [record.result.get(name, float("nan")) for record in self.records]
        return mean_over_runs(values, BOUNDS.get(name, ANY))

    def score(self, metric: str) -> Estimate:
        """Average a metric over seeds."""
        values = [record.result.get("scores", {}).get(metric, {}).get("value") for record in self.records]
        known = [float("nan") if value is None else value for value in values]
        return mean_over_runs(known, SHARE if catalog.load("metrics", metric).is_share else ANY)


def leaderboard(records: Sequence[RunRecord], measure: str, baseline: str) -> list[Row]:
    """Sum up the runs that did not fail, in the order in which they come."""
    groups: dict[Key, list[RunRecord]] = {}
    for record in records:
        groups.setdefault((record.dataset, record.encoder, record.method), []).append(record)
    ordered = {key: tuple(sorted(group, key=lambda record: record.seed)) for key, group in groups.items()}
    accuracy = _measure(ordered, baseline, lambda record: right_answers(record.result), SHARE)
    explained = {
        key: group for key, group in ordered.items() if all(measure in r.result.get("scores", {}) for r in group)
    }
    interpretability = _measure(explained, baseline, lambda record: advantages(record.result, measure))
    weighed = {key: group for key, group in explained.items() if all("mechanism" in r.result for r in group)}
    mechanism = _measure(weighed, baseline, lambda record: advantages(record.result["mechanism"], measure))
    return [
        Row(*key, group, accuracy[key], interpretability.get(key), mechanism.get(key)) for key, group in ordered.items()
    ]


def right_answers(result: Result) -> np.ndarray:
    """Unpack which test texts were classified rightly, (text,) of 0 and 1."""
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(result["right"]), dtype=np.uint8), count=result["texts"])
    return bits.astype(np.float64)


def advantages(result: Result, metric: str) -> np.ndarray:
    """Give how much better than random words each explained text did, (text,); NaN where undefined."""
    return np.array(result["scores"][metric]["advantages"], dtype=np.float64)  # None becomes NaN


def _measure(
    groups: dict[Key, tuple[RunRecord, ...]],
    baseline: str,
    values_of: Callable[[RunRecord], np.ndarray],
    bounds: tuple[float, float] = ANY,
) -> dict[Key, Measured]:
    values = {key: {record.seed: values_of(record) for record in group} for key, group in groups.items()}
    means = {key: mean_over_runs([_mean(v) for v in by_seed.values()], bounds) for key, by_seed in values.items()}
    compared = {
        key: _difference(values[key], values[key[0], key[1], baseline])
        for key in values
        if key[2] != baseline and (key[0], key[1], baseline) in values
    }
    differences = {key: _cut(difference, bounds[1] - bounds[0]) for key, difference in _corrected(compared).items()}
    best = {_best(dataset, values, means) for dataset in {key[0] for key in values}}
    return {key: Measured(means[key], differences.get(key), key in best) for key in values}


def _cut(difference: Difference, most: float) -> Difference:
    """Cut the interval where no difference can lie."""
    return replace(difference, low=max(difference.low, -most), high=min(difference.high, most))


def _difference(one: Values, other: Values) -> Difference:
    shared = sorted(one.keys() & other.keys())
    if not shared:
        return Difference(float("nan"), float("nan"), float("nan"), float("nan"))
    return crossed_difference(np.stack([one[seed] for seed in shared]), np.stack([other[seed] for seed in shared]))


def _corrected(differences: dict[Key, Difference]) -> dict[Key, Difference]:
    """Correct the p-values for how many there are."""
    known = {key: difference.p for key, difference in differences.items() if not np.isnan(difference.p)}
    corrected = dict(zip(known, holm(np.array(list(known.values()))), strict=True)) if known else {}
    return {key: replace(d, p=float(corrected.get(key, d.p))) for key, d in differences.items()}


def _best(dataset: str, values: dict[Key, Values], means: dict[Key, Estimate]) -> Key | None:
    """Find the row with the highest mean, if it is better than each of the others beyond chance."""
    rows = [key for key in values if key[0] == dataset and not np.isnan(means[key].value)]
    if len(rows) < 2:
        return None
    top = max(rows, key=lambda key: means[key].value)
    against = _corrected({key: _difference(values[top], values[key]) for key in rows if key != top})
    return top if all(difference.p < LEVEL for difference in against.values()) else None


def _mean(values: np.ndarray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
