"""Mean polarity and attention score of each group of words, epoch by epoch, and V·W beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from .glyphs import drawable
from .group_colors import group_color


def scores_in_training(epochs: Sequence[Mapping[str, float]], names: Sequence[str]) -> Figure:
    """Draw what method.trace recorded: polarity_class_0, attention_neutral, overlap and the like, per epoch."""
    figure = Figure(figsize=(11.0, 3.8), dpi=100, layout="constrained")
    panels = figure.subplots(1, 3)
    shown = drawable(tuple(names))
    numbers = np.arange(1, len(epochs) + 1)
    for axes, score in zip(panels, ("polarity", "attention"), strict=False):
        for group in range(len(names)):
            key = f"{score}_neutral" if group == len(names) - 1 else f"{score}_class_{group}"
            values = [epoch.get(key, np.nan) for epoch in epochs]
            axes.plot(numbers, values, marker=".", color=group_color(group, len(names) - 1), label=shown[group])
        axes.set_title(f"mean {score} score", fontsize=10)
    panels[2].plot(numbers, [epoch.get("overlap", np.nan) for epoch in epochs], marker=".", color="black")
    panels[2].set_title("V·W", fontsize=10)
    for axes in panels:
        axes.axhline(0.0, color="#bbbbbb", linewidth=0.8, zorder=0)
        axes.set_xlabel("epoch")
        axes.spines[["top", "right"]].set_visible(False)
    for text in panels[0].legend(fontsize=8, frameon=False).get_texts():
        text.set_parse_math(False)
    return figure
