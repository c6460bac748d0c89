"""What moves polarity and attention scores: Sun & Lu's terms A to F, averaged over the words of each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from .glyphs import drawable
from .group_colors import group_color


def update_terms(terms: Mapping[str, Sequence[float]], names: Sequence[str]) -> Figure:
    """Draw a bar per term and group: terms that begin with A, B, C move polarity, the others attention scores."""
    figure = Figure(figsize=(10.0, 4.2), dpi=100, layout="constrained")
    width = 0.8 / len(names)
    shown = drawable(tuple(names))
    titles = ("update of the polarity score", "update of the attention score")
    for axes, letters, title in zip(figure.subplots(1, 2), ("ABC", "DEF"), titles, strict=True):
        chosen = sorted(term for term in terms if term[0] in letters)
        places = np.arange(len(chosen))
        for group in range(len(names)):
            heights = [terms[term][group] for term in chosen]
            left = places + (group - (len(names) - 1) / 2) * width
            axes.bar(left, heights, width, color=group_color(group, len(names) - 1), alpha=0.75, label=shown[group])
        axes.axhline(0.0, color="black", linewidth=0.8)
        axes.set_xticks(places, [term.replace("_", "\n") for term in chosen])
        axes.set_title(title, fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    for text in figure.axes[0].legend(fontsize=8, frameon=False).get_texts():
        text.set_parse_math(False)
    return figure
