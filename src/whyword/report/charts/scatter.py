"""Texts as points on a map, by their true class; hollow where the model was wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from .axes import Scale, picture, spread
from .series import CIRCLE, COLORS, Style, style_of

WIDTH, HEIGHT, EDGE = 520, 400, 10
MOST_POINTS = 500
REST = "other classes"

Points = Sequence[Mapping[str, Any]]  # with x, y, gold and predicted


def scatter(points: Points) -> Markup:
    """Draw the points; the map has no axes, for only nearness means something on it."""
    known = [point for point in points if point.get("x") is not None and point.get("y") is not None][:MOST_POINTS]
    looks = classes(points)
    across = Scale(*spread(point["x"] for point in known), EDGE, WIDTH - EDGE)
    up = Scale(*spread(point["y"] for point in known), HEIGHT - EDGE, EDGE)
    parts = [f'<rect x="0" y="0" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="none" stroke="var(--rule)"/>']
    for point in known:
        style = looks.get(_class(point)) or looks[REST]
        wrong = point.get("gold") is not None and point["gold"] != point.get("predicted")
        mark = style.mark(across(point["x"]), up(point["y"]), 3.8, "thin" if wrong else "dot")
        parts.append(f'<g class="{style.color}">{mark}</g>')
    told = ", ".join(f"{count} texts of {name}" for name, count in _counts(points).most_common(12))
    return picture(WIDTH, HEIGHT, "Map of the texts", f"{told}.", parts)


def classes(points: Points) -> dict[str, Style]:
    """Give the looks of the six most frequent classes; all others share one."""
    often = [name for name, _ in _counts(points).most_common(COLORS)]
    looks = {name: style_of(number) for number, name in enumerate(sorted(often))}
    return looks if len(_counts(points)) <= COLORS else looks | {REST: Style("random", "", CIRCLE)}


def _counts(points: Points) -> Counter[str]:
    return Counter(map(_class, points))


def _class(point: Mapping[str, Any]) -> str:
    return str(point.get("predicted") if point.get("gold") is None else point["gold"])
