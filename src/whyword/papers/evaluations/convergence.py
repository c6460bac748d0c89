"""Have the models converged? Dev accuracy epoch by epoch, and whether the best epoch is the last one."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from matplotlib.figure import Figure

from ...grids.variant import Variant
from ...maths.stats.intervals import mean_over_runs
from ...plots.curves import curves
from ..reproduction.accuracy import LAST, Accuracy, ends_at_best
from ..reproduction.paper import Results, Row, TableOrFigure


def convergence(variants: Mapping[str, Variant], main: Collection[str] = ()) -> TableOrFigure:
    """Describe the curves of named variants; main ones, all if none is named, are also run where a scale is brief."""
    return TableOrFigure(
        "convergence",
        "Epochs of the chosen phase, and dev accuracy epoch by epoch",
        tuple(Row(name, v, Accuracy(), ends_at_best, not main or name in main) for name, v in variants.items()),
        draw=_draw,
        note=f"{LAST}: runs, in percent, whose last epoch is best. They had not converged: what is said of them is of "
        "the budget. The curves are means over seeds, and go on over all phases.",
    )


def _draw(results: Results) -> dict[str, Figure]:
    """Draw a line for each row, a picture for each data set; older records tell of no epoch."""
    figures = {}
    for dataset in dict.fromkeys(dataset for dataset, _ in results):
        lines = {}
        for (name, row), by_seed in results.items():
            runs = [[100 * share for *_, share in result["curve"]] for result in by_seed if result.get("curve")]
            if name == dataset and runs:
                longest = max(map(len, runs))
                lines[row] = {
                    float(at + 1): mean_over_runs([run[at] for run in runs if at < len(run)]) for at in range(longest)
                }
        if lines:
            figures[dataset] = curves(lines, dataset, "epoch", "dev accuracy (%)")
    return figures
