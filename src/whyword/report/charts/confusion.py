"""Which classes are taken for which: rows are the true classes, columns the predicted ones."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ...views.colors import MOST_OPAQUE
from .axes import LETTER, cut, picture, text

MOST_CLASSES = 10
LONGEST_LABEL = 16
TOP = 46


def confusion(classes: Sequence[str], counts: Sequence[Sequence[int]]) -> Markup:
    """Draw the matrix, shaded by the share of each row, blue where right and orange where wrong."""
    labels = [cut(str(label), LONGEST_LABEL) for label in classes]
    side = max(36, min(86, 380 // max(len(labels), 1)))
    longest = 1.1 * LETTER * max((len(label) for label in labels), default=0)
    tilted = longest > side
    left = longest + 14
    top = TOP + (min(0.72 * longest, 90) if tilted else 0)
    width, height = left + side * len(labels) + (0.6 * longest if tilted else 4), top + side * len(labels) + 4
    parts = [text(left, 14, "predicted →", "start", "tick"), text(left - 10, top - 10, "true ↓", "end", "tick")]
    for number, label in enumerate(labels):
        middle = left + side * (number + 0.5)
        parts.append(_column(middle, top - 10, label, tilted))
        parts.append(text(left - 10, top + side * (number + 0.5) + 4, label, "end"))
    for row, line in enumerate(counts):
        total = sum(line)
        for column, count in enumerate(line):
            parts.append(_cell(left + side * column, top + side * row, side, count, total, row == column))
    told = " ".join(
        f"Of true {label}, "
        + ", ".join(f"{count} as {other}" for other, count in zip(classes, line, strict=False))
        + "."
        for label, line in zip(classes, counts, strict=False)
    )
    return picture(round(width), round(height), "Predicted classes over true classes", told, parts)


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
