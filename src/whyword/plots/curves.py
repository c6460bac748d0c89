"""Lines, one per name: a quantity with its band, accuracy by iteration, and the cost of other attention."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import cycle

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from ..maths.stats.intervals import Estimate

MARKERS = "osD^vPX*"
DASHES = ("-", "--", "-.", ":")
ITERATION_MARKERS = "os^Dv"

Point = Mapping[str, float]  # jsd, tvd, and tvd_low and tvd_high, the ends of its interval


def curves(lines: Mapping[str, Mapping[float, Estimate]], title: str, across: str, up: str) -> Figure:
    """Draw an estimate at each point of each line; bands are 95 % intervals."""
    figure = Figure(figsize=(6.4, 4.2), dpi=100, layout="constrained")
    axes = figure.add_subplot()
    for number, (name, line) in enumerate(lines.items()):
        points: Sequence[tuple[float, Estimate]] = sorted(line.items(), key=lambda point: point[0])
        at = [x for x, _ in points]
        marker, dash = MARKERS[number % len(MARKERS)], DASHES[number % len(DASHES)]
        color = f"C{number}"
        values = [y.value for _, y in points]
        axes.plot(at, values, color=color, marker=marker, linestyle=dash, markersize=4, linewidth=1.2, label=name)
        low, high = [y.low for _, y in points], [y.high for _, y in points]
        axes.fill_between(at, low, high, color=color, alpha=0.15, linewidth=0)
    _limit(axes, [y.value for line in lines.values() for y in line.values()])
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_title(title, fontsize=10, parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
    if lines:
        axes.legend(fontsize=8, frameon=False)
    return figure


def _limit(axes: Axes, values: Sequence[float]) -> None:
    """Let wide bands leave the picture, as those of two seeds do, rather than press the lines flat."""
    if values:
        margin = (max(values) - min(values)) or abs(max(values)) or 1.0
        bottom, top = axes.get_ylim()
        axes.set_ylim(max(bottom, min(values) - margin), min(top, max(values) + margin))


def accuracy_by_iteration(curves: Mapping[str, Sequence[float]], title: str = "") -> Figure:
    """Draw accuracy after each iteration of training in turns, VAT's table 6, one line per name.

    The values are shares from 0 to 1; they belong to iterations 0, 1, 2, …; 0 is the joint phase.
    """
    figure = Figure(figsize=(6.4, 4.0), dpi=100, layout="constrained")
    axes = figure.add_subplot()
    for number, (name, values) in enumerate(curves.items()):
        marker = ITERATION_MARKERS[number % len(ITERATION_MARKERS)]
        axes.plot(range(len(values)), values, marker=marker, linewidth=1.2, markersize=5, label=name)
    axes.set_xlabel("iteration")
    axes.set_ylabel("accuracy")
    axes.set_title(title, fontsize=10, parse_math=False)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=1))
    axes.spines[["top", "right"]].set_visible(False)
    if curves:
        axes.legend(fontsize=8, frameon=False)
    return figure


def jsd_tvd(curves: Mapping[str, Sequence[Point]], title: str = "") -> Figure:
    """Draw TVD of the answers against JSD of the attention, with the intervals of TVD; lower is easier to imitate."""
    figure = Figure(figsize=(6.4, 4.4), dpi=100, layout="constrained")
    axes = figure.add_subplot()
    for (name, curve), marker in zip(curves.items(), cycle(MARKERS), strict=False):
        points = sorted(curve, key=lambda point: point["jsd"])
        x, y = ([point[key] for point in points] for key in ("jsd", "tvd"))
        errors = [
            [max(0.0, point["tvd"] - point["tvd_low"]) for point in points],
            [max(0.0, point["tvd_high"] - point["tvd"]) for point in points],
        ]
        axes.errorbar(x, y, yerr=errors, marker=marker, markersize=5, capsize=2, linewidth=1.2, label=name)
    axes.set_xlim(0, math.log(2))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("JSD between the attention of model and adversary (at most ln 2)")
    axes.set_ylabel("TVD between their answers")
    axes.set_title(title, fontsize=10, parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
    if curves:
        axes.legend(frameon=False, fontsize=8, title="higher: harder to deceive", title_fontsize=8)
    return figure
