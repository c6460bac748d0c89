"""Polarity and attention scores of the words of each class and of neutral words: the figures of Sun & Lu."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..maths.stats.intervals import Estimate
from .drawing import Box, drawable, group_color, overlap, ruler

NAMED = 8  # words of each class with the highest attention score
LETTERS = 8.0  # points


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


def group_weights(share: np.ndarray, groups: np.ndarray, names: Sequence[str]) -> Figure:
    """Draw a box per group of the mean attention weight of its words, (word,); groups and names as above."""
    figure = Figure(figsize=(4.6, 4.2), dpi=100, layout="constrained")
    axes = figure.add_subplot()
    _boxes(axes, [share[groups == group] for group in range(len(names))], drawable(tuple(names)))
    axes.set_title("mean attention weight", fontsize=10)
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


def polarity_attention(
    words: Sequence[str], leaning: np.ndarray, attention: np.ndarray, groups: np.ndarray, names: Sequence[str]
) -> Figure:
    """Scatter attention scores against polarity, with names for the most attended words where they fit."""
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
    if any(overlap(box, other) for other in taken):
        return
    taken.append(box)
    axes.annotate(word, point, (4, 1), textcoords="offset points", fontsize=LETTERS, color=color, parse_math=False)


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
    correlation = "no correlation" if rho is None else f"ρ = {rho.value:.3f} [{rho.low:.3f}, {rho.high:.3f}]"
    axes.set_title(f"{len(attention):,} words   Spearman {correlation}", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    for text in figure.legend(loc="outside lower right", ncols=5, fontsize=8, frameon=False).get_texts():
        text.set_parse_math(False)
    return figure


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
