"""Where a model puts texts, one panel per model, colored by class: VAT's figures 3 and 6."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from ..interfaces.document import Label
from ..maths.stats.separation import Separation

ACROSS = 3  # panels in a row


@dataclass(frozen=True, eq=False)
class Panel:
    """One picture: what it shows, a point per text, its class, and how far apart the classes really are."""

    title: str
    points: np.ndarray  # (text, 2)
    labels: Sequence[Label]
    separation: Separation | None  # of the vectors themselves, not of the points


def text_vectors(panels: Sequence[Panel]) -> Figure:
    """Draw the panels side by side, each with its silhouette and distance ratio."""
    across = max(1, min(ACROSS, len(panels)))
    down = max(1, math.ceil(len(panels) / across))
    figure = Figure(figsize=(3.6 * across, 3.6 * down + 0.5), dpi=100, layout="constrained")
    classes = sorted({label for panel in panels for label in panel.labels}, key=str)
    colors = colormaps["tab10"]
    for number, panel in enumerate(panels):
        axes = figure.add_subplot(down, across, number + 1)
        labels = np.array([classes.index(label) for label in panel.labels], dtype=np.int64)
        for index, label in enumerate(classes):
            points = panel.points[labels == index]
            name = str(label) if number == 0 else None
            axes.scatter(
                points[:, 0], points[:, 1], s=7, color=colors(index % colors.N), linewidths=0, alpha=0.7, label=name
            )
        axes.set_title(f"{panel.title}\n{_numbers(panel.separation)}", fontsize=9, parse_math=False)
        axes.set_xticks([])
        axes.set_yticks([])
        if number == 0:
            legend = axes.get_legend_handles_labels()
    if classes:
        figure.legend(*legend, loc="outside lower center", ncols=min(6, len(classes)), fontsize=8, frameon=False)
    return figure


def _numbers(separation: Separation | None) -> str:
    if separation is None:
        return "no two classes to compare"
    return f"silhouette {separation.silhouette:.2f}, between / within {separation.distance_ratio:.2f}"
