"""Pictures that several papers draw from answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from ...maths.stats.intervals import Estimate, mean_over_runs
from ...plots.curves import curves
from .paper import Answers, Row

Read = Callable[[Any], Mapping[str, float]]


def lines_by_dataset(read: Read | Sequence[Row], across: str, up: str) -> Callable[[Answers], dict[str, Figure]]:
    """Make the function that draws a line per row over its columns, a picture for each data set."""

    def reader(row: str) -> Read:
        return read if callable(read) else next(known.read for known in read if known.name == row)

    def draw(answers: Answers) -> dict[str, Figure]:
        figures = {}
        for dataset in dict.fromkeys(dataset for dataset, _ in answers):
            lines = {
                row: _over_seeds([reader(row)(answer) for answer in found])
                for (name, row), found in answers.items()
                if name == dataset
            }
            figures[dataset] = curves(lines, dataset, across, up)
        return figures

    return draw


def _over_seeds(found: Sequence[Mapping[str, float]]) -> dict[float, Estimate]:
    return {float(column): mean_over_runs([columns[column] for columns in found]) for column in found[0]}
