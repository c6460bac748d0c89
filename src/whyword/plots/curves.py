"""Lines with bands: one line per name, such as accuracy against the number of words removed or kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..maths.stats.intervals import Estimate

MARKERS = "osD^vPX*"
DASHES = ("-", "--", "-.", ":")


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
        room = (max(values) - min(values)) or abs(max(values)) or 1.0
        bottom, top = axes.get_ylim()
        axes.set_ylim(max(bottom, min(values) - room), min(top, max(values) + room))
