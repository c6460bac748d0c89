"""Does importance follow frequency? One dot per word: VMASK's figure 2."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, NullFormatter

from ..interfaces.document import Label
from ..interfaces.explanation import WordImportance
from ..maths.stats.intervals import Estimate
from ..views.highlight import GRAY, Color, class_color, hexadecimal
from .drawing import Box, drawable, overlap, ruler

LABELLED = 10  # words of the highest score, shared out among the classes, and as many of the most frequent
FEWEST = 3  # of each class
LETTERS = 9.0  # points
COMMON: Color = (60, 60, 60)
BLACK: Color = (0, 0, 0)
MARKERS = "o^vDP*Xp"  # of the classes, for readers who see no color


def frequency_importance(importance: WordImportance, pearson: Estimate | None, spearman: Estimate | None) -> Figure:
    """Scatter importance against log frequency, with names for the strongest and the most frequent words.

    A word has the color and the marker of the class it speaks for most; weights, not for a class, are gray.
    """
    figure = Figure(figsize=(8.0, 5.4), dpi=100, layout="constrained")
    axes = figure.add_subplot()
    frequencies, scores = np.maximum(importance.frequencies, 1), importance.scores
    faint = max(0.08, min(0.7, 20.0 / math.sqrt(max(1, len(importance)))))  # the more words, the fainter each
    commonest = np.argsort(-frequencies, kind="stable")[:LABELLED]
    colors: dict[int, Color] = {}  # of the words that are named, by their positions
    for label, members in _groups(importance).items():
        number = None if label is None else importance.classes.index(label)
        marker = MARKERS[(number or 0) % len(MARKERS)]
        color = GRAY if number is None else class_color(number)
        axes.scatter(
            frequencies[members],
            scores[members],
            s=14,
            marker=marker,
            color=hexadecimal(color),
            alpha=faint,
            linewidths=0,
            rasterized=True,
        )
        if label is None and importance.classes:
            continue  # words that speak for no class
        chosen = members[: max(FEWEST, LABELLED // max(1, len(importance.classes)))]
        edge = BLACK if number is None else color
        name = "highest score" if label is None else f"speaks for {drawable((str(label),))[0]}"
        axes.scatter(
            frequencies[chosen], scores[chosen], s=24, marker=marker, c="none", edgecolors=hexadecimal(edge), label=name
        )
        colors |= dict.fromkeys(chosen.tolist(), edge)
    axes.scatter(
        frequencies[commonest],
        scores[commonest],
        s=22,
        marker="s",
        c="none",
        edgecolors=hexadecimal(COMMON),
        label="most frequent",
    )
    axes.margins(x=0.06, y=0.12)
    axes.set_xlabel("frequency (log scale)")
    axes.set_ylabel(f"importance: {importance.source}", parse_math=False)
    axes.set_title(_title(len(importance), pearson, spearman), fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    labelled = list(dict.fromkeys([*colors, *commonest.tolist()]))
    if labelled:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(
            FuncFormatter(lambda frequency, _: f"{frequency:,.0f}" if frequency >= 1 else "")
        )
        axes.xaxis.set_minor_formatter(NullFormatter())
        for text in figure.legend(loc="outside lower right", ncols=4, fontsize=8, frameon=False).get_texts():
            text.set_parse_math(False)
        figure.draw_without_rendering()  # settles where the axes lie
        inks = [colors.get(i, COMMON) for i in labelled]
        points = np.stack([frequencies[labelled], scores[labelled]], axis=1)
        _name(axes, figure, drawable(tuple(importance.words[i] for i in labelled)), points, inks)
    return figure


def _groups(importance: WordImportance) -> dict[Label | None, np.ndarray]:
    """Give the positions of the words of each class, highest score first."""
    groups: dict[Label | None, list[int]] = {label: [] for label in (*importance.classes, None)}
    labels = importance.labels
    for i in importance.ranking.tolist():
        groups[labels[i]].append(i)
    return {label: np.array(members, dtype=np.int64) for label, members in groups.items() if members}


def _title(words: int, pearson: Estimate | None, spearman: Estimate | None) -> str:
    if pearson is None or spearman is None:
        return f"{words:,} words; no correlation, as frequency or importance does not vary"
    return (
        f"{words:,} words   Pearson r = {pearson.value:.3f} [{pearson.low:.3f}, {pearson.high:.3f}]   "
        f"Spearman ρ = {spearman.value:.3f} [{spearman.low:.3f}, {spearman.high:.3f}]"
    )


def _name(axes: Axes, figure: Figure, words: list[str], points: np.ndarray, colors: list[Color]) -> None:
    """Write each word in the nearest free place to its point, with a line where that is far."""
    measure = ruler(figure)
    frame = axes.get_window_extent()
    pixels = axes.transData.transform(points)
    taken: list[Box] = [(x - 4, y - 4, x + 4, y + 4) for x, y in pixels]
    for word, (x, y), point, color in zip(words, pixels, points, colors, strict=True):
        width, height, descent = measure(word, LETTERS)
        for distance, angle in _ways():
            left = x + distance * math.cos(angle) - width / 2 * (1 - math.cos(angle))
            bottom = y + distance * math.sin(angle) - height / 2
            box = (left - 2, bottom - 2, left + width + 2, bottom + height + 2)
            inside = frame.x0 <= box[0] and box[2] <= frame.x1 and frame.y0 <= box[1] and box[3] <= frame.y1
            if not inside or any(overlap(box, other) for other in taken):
                continue
            taken.append(box)
            name = axes.annotate(
                word,
                xy=tuple(point),
                xytext=((left - x) * 72 / 100, (bottom + descent - y) * 72 / 100),  # pixels to points
                textcoords="offset points",
                fontsize=LETTERS,
                color=hexadecimal(color),
                va="baseline",
                parse_math=False,
                arrowprops={"arrowstyle": "-", "color": hexadecimal(color), "lw": 0.5} if distance > 16 else None,
            )
            name.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
            break


def _ways() -> list[tuple[float, float]]:
    """Distances in pixels and angles, nearest first, to the right before to the left."""
    angles = [0.0, math.pi / 4, -math.pi / 4, math.pi / 2, -math.pi / 2, 3 * math.pi / 4, -3 * math.pi / 4, math.pi]
    return [(distance, angle) for distance in range(8, 240, 8) for angle in angles]
