"""Small pictures that stand in a row of a table: a bar from zero, and a value as a dot on its interval."""

from __future__ import annotations

from markupsafe import Markup

from .axes import Interval, Scale, Style, label_of, line, picture

BAR_WIDTH, BAR_HEIGHT = 130, 12
WIDTH, HEIGHT = 160, 40
EDGE = 6


def bar(value: float | None, largest: float, signed: bool = False, color: str = "s0") -> Markup:
    """Draw a number between 0, or minus the largest where there are signs, and the largest."""
    scale = Scale(-largest if signed else 0.0, largest, 0, BAR_WIDTH)
    described = "No value" if value is None else label_of(float(f"{value:.3g}"))
    parts = []
    if value is not None:
        start, end = sorted((scale(0), scale(value)))
        against = signed and value < 0
        parts.append(
            f'<rect class="fill {"s1" if against else color}" x="{start:g}" y="1" '
            f'width="{max(end - start, 1):g}" height="{BAR_HEIGHT - 2}" rx="1.5"/>'
        )
    return picture(BAR_WIDTH, BAR_HEIGHT, described, described, parts, "chart inline")


def interval(
    score: Interval,
    bounds: tuple[float, float],
    style: Style,
    floor: Interval | None = None,
    threshold: float | None = None,
    height: float = HEIGHT,
) -> Markup:
    """Draw `value`, `low` and `high` on a scale that the rows of a table share.

    The floor is the interval of random words; a threshold is a line that the interval should lie beside.
    """
    scale = Scale(*bounds, EDGE, WIDTH - EDGE)
    middle = height / 2
    parts = []
    if floor is not None and floor.low is not None and floor.high is not None:
        start, end = scale(floor.low), scale(floor.high)
        parts.append(
            f'<rect class="random" x="{start:g}" y="0" width="{max(end - start, 1):g}" height="{height:g}"'
            ' style="fill:var(--series);opacity:.22"/>'
        )
    if threshold is not None:
        at = scale(threshold)
        parts.append(f'<path class="limit" d="M{at:g} 0V{height:g}"/>')
    elif bounds[0] <= 0 <= bounds[1]:
        parts.append(line(scale(0), 0, scale(0), height, "axis-line"))
    value, low, high = score.value, score.low, score.high
    if value is None:
        return picture(WIDTH, height, "No value", "Not defined for these texts", parts, "chart inline")
    described, drawn = label_of(round(value, 3)), ""
    if low is not None and high is not None:
        drawn = line(scale(low), middle, scale(high), middle, "line")
        described += f", 95 % interval {label_of(round(low, 3))} to {label_of(round(high, 3))}"
    parts.append(f'<g class="{style.color}">{drawn}{style.mark(scale(value), middle, 4.5)}</g>')
    return picture(WIDTH, height, label_of(round(value, 3)), described, parts, "chart inline")
