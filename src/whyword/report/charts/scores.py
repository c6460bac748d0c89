"""Scores of explainers: curves with bands, and the small pictures in the rows of a table, bars and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from markupsafe import Markup

from .axes import LETTER, Interval, Scale, Style, cut, label_of, line, picture, spread, text

WIDTH, HEIGHT = 460, 300
LEFT, TOP, BOTTOM = 42, 12, 44
LONGEST_LABEL = 20
MOST_BANDS = 6  # more bands than these hide each other
LABEL_STEP = 16  # between the names of two lines
# In the rows of a table
BAR_WIDTH, BAR_HEIGHT = 130, 12
ROW_WIDTH, ROW_HEIGHT = 160, 40
EDGE = 6


class Point(Interval, Protocol):
    """A point of a curve."""

    @property
    def at(self) -> float:
        """Its place on the x axis."""


@dataclass(frozen=True)
class Curve:
    """A line through points, those without a value left out."""

    name: str
    style: Style
    points: Sequence[Point]

    @property
    def known(self) -> list[tuple[float, float]]:
        """Place and value of the points that have a value."""
        return [(point.at, point.value) for point in self.points if point.value is not None]

    @property
    def band(self) -> list[tuple[float, float, float]]:
        """Place and ends of the interval of the points that have a value and an interval."""
        return [
            (point.at, point.low, point.high)
            for point in self.points
            if point.value is not None and point.low is not None and point.high is not None
        ]


def curves(title: str, lines: Sequence[Curve], x_label: str, percent: bool = False) -> Markup:
    """Draw the lines; percent writes the places on the x axis as shares of a whole."""
    lines = [curve for curve in lines if curve.known]
    longest = max((len(cut(curve.name, LONGEST_LABEL)) for curve in lines), default=0)
    right = WIDTH - LETTER * longest - 16
    places = sorted({at for curve in lines for at, _ in curve.known})
    across = Scale(places[0] if places else 0, places[-1] if places else 1, LEFT, right)
    banded = len(lines) <= MOST_BANDS
    shown = [value for curve in lines for _, value in curve.known]
    if banded:
        shown += [end for curve in lines for _, *ends in curve.band for end in ends]
    low, high = spread([*shown, 0.0])
    up = Scale(low, high, HEIGHT - BOTTOM, TOP)
    parts = [*_frame(across, up, places, x_label, percent, right)]
    if banded:
        parts += [_band(curve, across, up) for curve in lines]
    parts += [_line(curve, across, up) for curve in lines]
    parts += _labels(lines, up, right)
    return picture(WIDTH, HEIGHT, title, _described(lines, percent), parts)


def _frame(across: Scale, up: Scale, places: list[float], x_label: str, percent: bool, right: float) -> list[str]:
    parts = []
    for tick in up.ticks(7):
        parts.append(line(LEFT, up(tick), right, up(tick), "axis-line" if tick == 0 else "grid-line"))
        parts.append(text(LEFT - 7, up(tick) + 4, label_of(tick), "end", "tick"))
    taken = -99.0
    for place in places if len(places) <= 12 else across.ticks():
        if across(place) - taken > (26 if percent else 16):
            parts.append(text(across(place), HEIGHT - BOTTOM + 17, label_of(place, percent), "middle", "tick"))
            taken = across(place)
    return [*parts, text((LEFT + right) / 2, HEIGHT - 6, x_label, "middle", "tick")]


def _band(curve: Curve, across: Scale, up: Scale) -> str:
    if len(curve.band) < 2:
        return ""
    there = [f"{across(at):g} {up(high):g}" for at, _, high in curve.band]
    back = [f"{across(at):g} {up(low):g}" for at, low, _ in reversed(curve.band)]
    return f'<path class="band {curve.style.color}" d="M{"L".join([*there, *back])}z"/>'


def _line(curve: Curve, across: Scale, up: Scale) -> str:
    places = [(across(at), up(value)) for at, value in curve.known]
    path = "L".join(f"{x:g} {y:g}" for x, y in places)
    marks = "".join(curve.style.mark(x, y, 3.4) for x, y in places)
    dash = f' stroke-dasharray="{curve.style.dash}"' if curve.style.dash else ""
    return f'<g class="{curve.style.color}"><path class="line" d="M{path}"{dash}/>{marks}</g>'


def _labels(lines: Sequence[Curve], up: Scale, right: float) -> list[str]:
    """Name each line at its end, moved apart where two ends are too close."""
    ends = sorted((up(curve.known[-1][1]), number) for number, curve in enumerate(lines))
    parts, lowest = [], -99.0
    overflow = max(0.0, LABEL_STEP * len(ends) - (HEIGHT - BOTTOM - TOP))
    step = LABEL_STEP * (1 - overflow / (LABEL_STEP * len(ends))) if ends else LABEL_STEP
    places = []
    for y, number in ends:
        lowest = max(y, lowest + step)
        places.append((lowest, y, number))
    excess = max(0.0, lowest - (HEIGHT - BOTTOM + 4))
    ceiling = HEIGHT - BOTTOM + 4.0
    for place, y, number in reversed(places):
        at = min(place, ceiling) if excess else place
        ceiling = at - step
        curve = lines[number]
        if abs(at - y) > 2:
            parts.append(
                f'<path class="thin {curve.style.color}" opacity=".6" d="M{right + 3:g} {y:g}L{right + 9:g} {at:g}"/>'
            )
        parts.append(text(right + 12, round(at + 4, 1), cut(curve.name, LONGEST_LABEL)))
    return parts


def _described(lines: Sequence[Curve], percent: bool) -> str:
    sentences = []
    for curve in lines:
        numbers = ", ".join(f"{label_of(at, percent)}: {label_of(round(value, 3))}" for at, value in curve.known)
        sentences.append(f"{curve.name}: {numbers}.")
    return " ".join(sentences)


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
    height: float = ROW_HEIGHT,
) -> Markup:
    """Draw `value`, `low` and `high` on a scale that the rows of a table share.

    The floor is the interval of random words; a threshold is a line that the interval should lie beside.
    """
    scale = Scale(*bounds, EDGE, ROW_WIDTH - EDGE)
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
        return picture(ROW_WIDTH, height, "No value", "Not defined for these texts", parts, "chart inline")
    described, drawn = label_of(round(value, 3)), ""
    if low is not None and high is not None:
        drawn = line(scale(low), middle, scale(high), middle, "line")
        described += f", 95 % interval {label_of(round(low, 3))} to {label_of(round(high, 3))}"
    parts.append(f'<g class="{style.color}">{drawn}{style.mark(scale(value), middle, 4.5)}</g>')
    return picture(ROW_WIDTH, height, label_of(round(value, 3)), described, parts, "chart inline")
