"""Attention score against polarity, one dot per word, to see whether words that decide are attended to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .glyphs import drawable, ruler
from .group_colors import group_color

NAMED = 8  # words of each class with the highest attention score
LETTERS = 8.0  # points

Box = tuple[float, float, float, float]  # left, bottom, right, top


def polarity_attention(
    words: Sequence[str], leaning: np.ndarray, attention: np.ndarray, groups: np.ndarray, names: Sequence[str]
) -> Figure:
    """Scatter attention scores against polarity, with names for the most attended words that find room."""
    figure = Figure(figsize=(8.0, 5.4), dpi=100, layout="constrained")
    axes = figure.add_subplot()
    classes = len(names) - 1
    for group in (*range(classes, -1, -1),):
        chosen = groups == group
        color = group_color(group, classes)
        label = drawable((names[group],))[0]
        axes.scatter(leaning[chosen], attention[chosen], s=12, color=color, alpha=0.55, linewidths=0, label=label)
    axes.margins(x=0.08, y=0.1)
    axes.set_xlabel("polarity score" if classes == 2 else "polarity: highest score above the mean of the classes")
    axes.set_ylabel("attention score")
    axes.spines[["top", "right"]].set_visible(False)
    for text in figure.legend(loc="outside lower right", ncols=4, fontsize=8, frameon=False).get_texts():
        text.set_parse_math(False)
    figure.draw_without_rendering()  # settles where the axes lie
    taken: list[Box] = []
    for group in range(classes):
        members = np.flatnonzero(groups == group)
        for i in members[np.argsort(-attention[members], kind="stable")][:NAMED]:
            _name(
                axes, figure, drawable((words[i],))[0], (leaning[i], attention[i]), group_color(group, classes), taken
            )
    return figure


def _name(axes: Axes, figure: Figure, word: str, point: tuple[float, float], color: str, taken: list[Box]) -> None:
    """Write a word beside its dot unless another name is there."""
    width, height, _ = ruler(figure)(word, LETTERS)
    x, y = axes.transData.transform(point)
    box = (x + 5, y, x + 5 + width, y + height)
    if any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
        return
    taken.append(box)
    axes.annotate(word, point, (4, 1), textcoords="offset points", fontsize=LETTERS, color=color, parse_math=False)
