"""Polarity and attention scores of the words of each class and of neutral words: as Sun & Lu plot them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .glyphs import drawable
from .group_colors import group_color


def group_scores(polarity: np.ndarray, attention: np.ndarray, groups: np.ndarray, names: Sequence[str]) -> Figure:
    """Draw a box per group; polarity, (word, score), in one panel per score, attention scores, (word,), in the last.

    names are the classes and, last, neutral; groups are numbers of names, words of other numbers are left out.
    """
    scores = polarity.shape[1]
    figure = Figure(figsize=(3.4 * (scores + 1) + 0.6, 4.2), dpi=100, layout="constrained")
    panels: Sequence[Axes] = figure.subplots(1, scores + 1, squeeze=False)[0]
    shown = drawable(tuple(names))
    for number, axes in enumerate(panels):
        values = polarity[:, number] if number < scores else attention
        _boxes(axes, [values[groups == group] for group in range(len(names))], shown)
        title = "polarity score" if scores == 1 else f"polarity score for {shown[min(number, len(shown) - 1)]}"
        axes.set_title(title if number < scores else "attention score", fontsize=10, parse_math=False)
    return figure


def _boxes(axes: Axes, values: Sequence[np.ndarray], names: Sequence[str]) -> None:
    axes.axhline(0.0, color="#bbbbbb", linewidth=0.8, zorder=0)
    fliers = {"marker": ".", "markersize": 2.5, "alpha": 0.4}
    boxes = axes.boxplot(list(values), patch_artist=True, widths=0.6, flierprops=fliers, medianprops={"color": "black"})
    for number, box in enumerate(boxes["boxes"]):
        box.set_facecolor(group_color(number, len(names) - 1))
        box.set_alpha(0.55)
    labels = [f"{name}\n({len(value):,})" for name, value in zip(names, values, strict=True)]
    axes.set_xticks(range(1, len(names) + 1), labels, fontsize=8, parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
