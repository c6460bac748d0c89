"""One line per explainer with its band of confidence, named where it ends."""

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
