"""What a model predicts: classes taken for each other, confidence against accuracy, and a map of the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import floor, isfinite
from typing import Protocol

from markupsafe import Markup

from ...maths.stats.calibration import Bin
from ...views.highlight import MOST_OPAQUE
from .axes import CIRCLE, COLORS, LETTER, Scale, Style, cut, label_of, line, picture, spread, style_of, text

# The confusion matrix
MOST_CLASSES = 10
LONGEST_LABEL = 16
MATRIX_TOP = 46
# Calibration
WIDTH, HEIGHT = 400, 360
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 26, 92
BARS = 34  # height of the strip that counts texts
# The map
MAP_WIDTH, MAP_HEIGHT, EDGE = 520, 400, 10
MOST_POINTS = 500
REST = "other classes"


class Place(Protocol):
    """A text on the map."""

    @property
    def x(self) -> float:
        """From left to right, in any unit."""

    @property
    def y(self) -> float:
        """From the bottom up."""

    @property
    def gold(self) -> object:
        """The true class, None if it is not known."""

    @property
    def predicted(self) -> object:
        """The class the model gives."""


def confusion(classes: Sequence[str], counts: Sequence[Sequence[int]]) -> Markup:
    """Draw the matrix, shaded by the share of each row, blue where right and orange where wrong."""
    labels = [cut(str(label), LONGEST_LABEL) for label in classes]
    side = max(36, min(86, 380 // max(len(labels), 1)))
    longest = 1.1 * LETTER * max((len(label) for label in labels), default=0)
    tilted = longest > side
    left = longest + 14
    top = MATRIX_TOP + (min(0.72 * longest, 90) if tilted else 0)
    width, height = left + side * len(labels) + (0.6 * longest if tilted else 4), top + side * len(labels) + 4
    parts = [text(left, 14, "predicted →", "start", "tick"), text(left - 10, top - 10, "true ↓", "end", "tick")]
    for number, label in enumerate(labels):
        middle = left + side * (number + 0.5)
        parts.append(_column(middle, top - 10, label, tilted))
        parts.append(text(left - 10, top + side * (number + 0.5) + 4, label, "end"))
    for i, row in enumerate(counts):
        total = sum(row)
        for j, count in enumerate(row):
            parts.append(_cell(left + side * j, top + side * i, side, count, total, i == j))
    described = " ".join(
        f"Of true {label}, "
        + ", ".join(f"{count} as {other}" for other, count in zip(classes, row, strict=False))
        + "."
        for label, row in zip(classes, counts, strict=False)
    )
    return picture(round(width), round(height), "Predicted classes over true classes", described, parts)


def _column(x: float, y: float, label: str, tilted: bool) -> str:
    if not tilted:
        return text(x, y, label, "middle")
    return f'<g transform="translate({x:g} {y:g}) rotate(-40)">{text(0, 0, label)}</g>'


def _cell(x: float, y: float, side: float, count: int, total: int, right: bool) -> str:
    share = count / total if total else 0.0
    shade = round(MOST_OPAQUE * share, 3)
    drawn = (
        f'<rect class="{"s0" if right else "s1"} fill" x="{x + 1:g}" y="{y + 1:g}" width="{side - 2:g}" '
        f'height="{side - 2:g}" rx="4" fill-opacity="{shade:g}" stroke="var(--rule)"/>'
    )
    if side < 56:
        return drawn + text(x + side / 2, y + side / 2 + 4, f"{count:,}", "middle")
    return (
        drawn
        + text(x + side / 2, y + side / 2 + 1, f"{count:,}", "middle")
        + text(x + side / 2, y + side / 2 + 17, f"{share:.0%}", "middle", "tick")
    )


def calibration(bins: Sequence[Bin]) -> Markup:
    """Draw accuracy over confidence with intervals, the diagonal of perfect honesty, and how many texts there are."""
    start = 0.5 if bins and all(bin.above >= 0.5 for bin in bins) else 0.0
    least = min([start, *(bin.low for bin in bins)])
    bottom = floor(5 * least) / 5
    across, up = Scale(start, 1, LEFT, WIDTH - RIGHT), Scale(bottom, 1, HEIGHT - BOTTOM, TOP)
    foot = HEIGHT - BOTTOM
    parts = [text(0, 12, "how often it is right", "start", "tick")]
    for tick in up.ticks(6):
        parts += [line(LEFT, up(tick), WIDTH - RIGHT, up(tick), "grid-line")]
        parts += [text(LEFT - 7, up(tick) + 4, label_of(tick, True), "end", "tick")]
    for tick in across.ticks(6):
        parts += [text(across(tick), foot + 17, label_of(tick, True), "middle", "tick")]
    honest = f"M{across(start):g} {up(start):g}L{across(1):g} {up(1):g}"
    parts.append(f'<path class="random thin" stroke-dasharray="4 4" d="{honest}"/>')
    parts += _strip(bins, across, foot + 26)
    parts += [_bin(bin, across, up) for bin in bins]
    parts += [
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, "how sure it says it is; bars count texts", "middle", "tick")
    ]
    described = " ".join(
        f"Confidence {label_of(round(bin.confidence, 3), True)}: right {label_of(round(bin.accuracy, 3), True)}"
        f" of {bin.texts} texts."
        for bin in bins
    )
    return picture(WIDTH, HEIGHT, "Accuracy over confidence", described, parts)


def _bin(bin: Bin, across: Scale, up: Scale) -> str:
    style = style_of(0)
    x = across(bin.confidence)
    interval = line(x, up(bin.low), x, up(bin.high), "line")
    return f'<g class="{style.color}">{interval}{style.mark(x, up(bin.accuracy), 5)}</g>'


def _strip(bins: Sequence[Bin], across: Scale, top: float) -> list[str]:
    most = max((bin.texts for bin in bins), default=1)
    parts = []
    for bin in bins:
        left, right = across(bin.above), across(bin.up_to)
        height = max(BARS * bin.texts / most, 1)
        parts.append(
            f'<rect class="random fill" opacity=".5" x="{left + 1:g}" y="{top + BARS - height:.1f}" '
            f'width="{max(right - left - 2, 1):.1f}" height="{height:.1f}"/>'
        )
    return parts


def scatter(points: Sequence[Place]) -> Markup:
    """Draw the points; the map has no axes, for only nearness means something on it."""
    known = [point for point in points if isfinite(point.x) and isfinite(point.y)][:MOST_POINTS]
    looks = classes(points)
    across = Scale(*spread(point.x for point in known), EDGE, MAP_WIDTH - EDGE)
    up = Scale(*spread(point.y for point in known), MAP_HEIGHT - EDGE, EDGE)
    parts = [f'<rect x="0" y="0" width="{MAP_WIDTH}" height="{MAP_HEIGHT}" rx="6" fill="none" stroke="var(--rule)"/>']
    for point in known:
        style = looks.get(_class(point)) or looks[REST]
        wrong = point.gold is not None and point.gold != point.predicted
        mark = style.mark(across(point.x), up(point.y), 3.8, "thin" if wrong else "dot")
        parts.append(f'<g class="{style.color}">{mark}</g>')
    described = ", ".join(f"{count} texts of {name}" for name, count in _counts(points).most_common(12))
    return picture(MAP_WIDTH, MAP_HEIGHT, "Map of the texts", f"{described}.", parts)


def classes(points: Sequence[Place]) -> dict[str, Style]:
    """Give the looks of the six most frequent classes; all others share one."""
    often = [name for name, _ in _counts(points).most_common(COLORS)]
    looks = {name: style_of(number) for number, name in enumerate(sorted(often))}
    return looks if len(_counts(points)) <= COLORS else looks | {REST: Style("random", "", CIRCLE)}


def _counts(points: Sequence[Place]) -> Counter[str]:
    return Counter(map(_class, points))


def _class(point: Place) -> str:
    return str(point.predicted if point.gold is None else point.gold)
