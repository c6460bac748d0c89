"""Attention weight against attention score, one dot per word: weights follow scores, but are local to a text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from ..maths.stats.intervals import Estimate
from .glyphs import drawable
from .group_colors import group_color


def score_weight(
    attention: np.ndarray, share: np.ndarray, groups: np.ndarray, names: Sequence[str], rho: Estimate | None
) -> Figure:
    """Scatter the mean weight, as a multiple of an equal share, against the score; words of no group are faint."""
    figure = Figure(figsize=(8.0, 5.0), dpi=100, layout="constrained")
    axes = figure.add_subplot()
    classes = len(names) - 1
    weights = np.maximum(share, 1e-6)  # a softmax with a small scale gives exactly 0
    for group in (-1, *range(classes, -1, -1)):
        chosen = groups == group
        label = "no group" if group < 0 else drawable((names[group],))[0]
        axes.scatter(
            attention[chosen],
            weights[chosen],
            s=8 if group < 0 else 14,
            color=group_color(group, classes),
            alpha=0.15 if group < 0 else 0.6,
            linewidths=0,
            label=label,
            rasterized=True,
        )
    axes.axhline(1.0, color="#bbbbbb", linewidth=0.8, zorder=0)
    if len(attention):
        axes.set_yscale("log")
    axes.set_xlabel("attention score")
    axes.set_ylabel("attention weight × tokens of the text (1: equal share)")
    told = "no correlation" if rho is None else f"ρ = {rho.value:.3f} [{rho.low:.3f}, {rho.high:.3f}]"
    axes.set_title(f"{len(attention):,} words   Spearman {told}", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    for text in figure.legend(loc="outside lower right", ncols=5, fontsize=8, frameon=False).get_texts():
        text.set_parse_math(False)
    return figure
