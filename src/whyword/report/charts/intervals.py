"""A value as a dot on its interval, beside the interval of random words; to stand in a row of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from .axes import Scale, label_of, line, picture
from .series import Style

WIDTH, HEIGHT = 160, 40
EDGE = 6

Facts = Mapping[str, Any]


def interval(
    score: Facts,
    bounds: tuple[float, float],
    style: Style,
    floor: Facts | None = None,
    threshold: float | None = None,
    height: float = HEIGHT,
) -> Markup:
    """Draw `value`, `low` and `high` on a scale that the rows of a table share.

    The floor is the interval of random words; a threshold is a line that the interval should lie beside.
    """
    scale = Scale(*bounds, EDGE, WIDTH - EDGE)
    middle = height / 2
    parts = []
    if floor and floor.get("low") is not None and floor.get("high") is not None:
        start, end = scale(floor["low"]), scale(floor["high"])
        parts.append(
            f'<rect class="random" x="{start:g}" y="0" width="{max(end - start, 1):g}" height="{height:g}"'
            ' style="fill:var(--series);opacity:.22"/>'
        )
    if threshold is not None:
        at = scale(threshold)
        parts.append(f'<path class="limit" d="M{at:g} 0V{height:g}"/>')
    elif bounds[0] <= 0 <= bounds[1]:
        parts.append(line(scale(0), 0, scale(0), height, "axis-line"))
    value, low, high = (score.get(key) for key in ("value", "low", "high"))
    if value is None:
        return picture(WIDTH, height, "No value", "Not defined for these texts", parts, "chart inline")
    told, drawn = label_of(round(value, 3)), ""
    if low is not None and high is not None:
        drawn = line(scale(low), middle, scale(high), middle, "line")
        told += f", 95 % interval {label_of(round(low, 3))} to {label_of(round(high, 3))}"
    parts.append(f'<g class="{style.color}">{drawn}{style.mark(scale(value), middle, 4.5)}</g>')
    return picture(WIDTH, height, label_of(round(value, 3)), told, parts, "chart inline")
