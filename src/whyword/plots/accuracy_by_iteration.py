"""Accuracy after each iteration of training in turns: VAT's table 6 as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

MARKERS = "os^Dv"


def accuracy_by_iteration(curves: Mapping[str, Sequence[float]], title: str = "") -> Figure:
    """Draw one line per name; its values, shares from 0 to 1, belong to iterations 0, 1, 2, …; 0 is the joint phase."""
    figure = Figure(figsize=(6.4, 4.0), dpi=100, layout="constrained")
    axes = figure.add_subplot()
    for number, (name, values) in enumerate(curves.items()):
        marker = MARKERS[number % len(MARKERS)]
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
