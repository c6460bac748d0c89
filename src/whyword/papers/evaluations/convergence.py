"""Have the models converged? Dev accuracy epoch by epoch, and whether the best epoch is the last one."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.figure import Figure

from ...grids.variant import Variant
from ...maths.stats.intervals import mean_over_runs
from ...plots.curves import curves
from ..reproduction.accuracy import LAST, Accuracy, ends_at_best
from ..reproduction.paper import Results, Row, TableOrFigure


def convergence(variants: Iterable[Variant], main: Iterable[str] = ()) -> TableOrFigure:
    """Describe the curves of some variants; main ones, all if none is named, are also run where a scale is brief."""
    named = {*main}
    return TableOrFigure(
        "convergence",
        "Epochs of the chosen phase, and dev accuracy epoch by epoch",
        tuple(Row(v.name, v, Accuracy(), ends_at_best, not named or v.name in named) for v in variants),
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
