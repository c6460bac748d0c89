"""Scores with their intervals, and the table of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..interfaces.errors import unknown_name
from ..interfaces.metric import Metric, Score
from ..interfaces.values import data_frame, json_ready
from ..maths.stats.comparisons import Difference, paired_differences
from ..maths.stats.intervals import mean_intervals

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class Scores:
    """Every metric of every explainer, on the same texts."""

    scores: tuple[Score, ...]
    texts: int
    forward_passes: int  # distinct sub-texts the judge was asked about, for all metrics and explainers together

    def __iter__(self) -> Iterator[Score]:
        """Go through the scores, metric by metric."""
        return iter(self.scores)

    def __len__(self) -> int:
        """Count the scores."""
        return len(self.scores)

    def __getitem__(self, names: tuple[str, str]) -> Score:
        """Find the score by the names of a metric and an explainer."""
        metric, explainer = names
        if metric not in self.metrics:
            raise unknown_name(metric, "the measured metrics", self.metrics)
        if explainer not in self.explainers:
            raise unknown_name(explainer, "the measured explainers", self.explainers)
        return next(score for score in self if (score.metric, score.explainer) == names)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics."""
        return tuple(dict.fromkeys(score.metric for score in self))

    @property
    def explainers(self) -> tuple[str, ...]:
        """The names of the explainers."""
        return tuple(dict.fromkeys(score.explainer for score in self))

    @property
    def passes_per_text(self) -> float:
        """What it cost, on average."""
        return self.forward_passes / max(1, self.texts)

    def differences(self, baseline: str = "random") -> dict[tuple[str, str], Difference]:
        """Compare every other explainer with one of them, text by text, on every metric: (metric, explainer)."""
        others = [score for score in self if score.explainer != baseline]
        if not others:
            return {}
        one = np.stack([score.per_text for score in others], axis=1)
        other = np.stack([self[score.metric, baseline].per_text for score in others], axis=1)
        found = paired_differences(one, other)
        return {(score.metric, score.explainer): found[i] for i, score in enumerate(others)}

    def rows(self, baseline: str = "random") -> list[dict[str, Any]]:
        """Give a row of plain values per score; with the paired difference from a baseline, if it was measured."""
        differences = self.differences(baseline) if baseline in self.explainers else {}
        rows = []
        for score in self:
            row = {key: value for key, value in score.to_dict().items() if key != "curve"}
            difference = differences.get((score.metric, score.explainer))
            names = ("value", "low", "high", "p")
            against = dict.fromkeys(names) if difference is None else asdict(difference)
            rows.append(row | {f"over_{baseline}_{name}": json_ready(against[name]) for name in names})
        return rows

    def to_frame(self, baseline: str = "random") -> pandas.DataFrame:
        """Give a pandas frame of the rows."""
        return data_frame(self.rows(baseline))

    def __str__(self) -> str:
        """Write a table with a line per metric and a column per explainer."""
        lines = [["", *self.explainers]]
        for metric in self.metrics:
            found = [self[metric, explainer] for explainer in self.explainers]
            lines.append([f"{metric} {'↑' if found[0].higher_is_better else '↓'}", *map(_shown, found)])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        cost = f"{self.texts:,} texts, {self.forward_passes:,} forward passes ({self.passes_per_text:.1f} a text)"
        return "\n".join([*table, f"{cost}; mean and 95 % interval; ↑ higher is better, ↓ lower"])


def gather(metric: Metric, explainer: str, curve: np.ndarray) -> Score:
    """Make a score of a metric's values, (text, point)."""
    per_text = metric.headline(curve) if len(curve) else np.empty(0)
    columns = np.column_stack([per_text, curve]) if metric.points else per_text[:, None]
    intervals = mean_intervals(columns)
    return Score(
        metric=metric.name,
        explainer=explainer,
        per_text=per_text,
        interval=(float(intervals[0, 0]), float(intervals[0, 1])),
        higher_is_better=metric.higher_is_better,
        meaning=metric.meaning,
        points=tuple(metric.points),
        curve=curve if metric.points else None,
        band=intervals[1:] if metric.points else None,
    )


def _shown(score: Score) -> str:
    return f"{score.value:z.3f} [{score.interval[0]:z.3f}, {score.interval[1]:z.3f}]" if score.texts else "-"
