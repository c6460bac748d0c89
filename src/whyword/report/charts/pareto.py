"""Accuracy against interpretability: every model a mark with its intervals, and the line none is beyond."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from .axes import Scale, Style, cut, label_of, line, picture, spread, text
from .labels import HALO, Box, beside

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 26, 46
MARK = 6.0
LETTERS = 28  # of a label at most

Point = Mapping[str, Any]  # name, accuracy and interpretability, each with _low and _high or None
FRAME = (LEFT, 0.0, WIDTH, HEIGHT - BOTTOM)  # in which names are written


def pareto(points: Sequence[Point], styles: Mapping[str, Style], measure: str) -> Markup:
    """Draw points that have both numbers; styles go by the name of the method."""
    across = Scale(*_bounds(points, "interpretability"), LEFT, WIDTH - RIGHT)
    up = Scale(*_bounds(points, "accuracy"), HEIGHT - BOTTOM, TOP)
    parts = [*_axes(across, up, measure), *_front(points, across, up)]
    places = [(across(point["interpretability"]), up(point["accuracy"])) for point in points]
    taken: list[Box] = [(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in places]
    labels = []
    for point, (x, y) in zip(points, places, strict=True):
        style = styles[point["method"]]
        bars = []
        if point.get("interpretability_low") is not None:
            ends = across(point["interpretability_low"]), across(point["interpretability_high"])
            bars.append(line(ends[0], y, ends[1], y, "thin"))
        if point.get("accuracy_low") is not None:
            bars.append(line(x, up(point["accuracy_low"]), x, up(point["accuracy_high"]), "thin"))
        parts.append(f'<g class="{style.color}"><g opacity=".55">{"".join(bars)}</g>{style.mark(x, y, MARK)}</g>')
        labels.append(beside(cut(point["name"], LETTERS), x, y, taken, FRAME))
    parts.append(f"<g {HALO}>{''.join(labels)}</g>")
    return picture(WIDTH, HEIGHT, f"Accuracy against {measure}", _described(points, measure), parts)


def front(points: Sequence[Point]) -> list[Point]:
    """Keep the points that no other is at least equal to in both numbers and better in one, most accurate first."""
    return sorted(
        (point for point in points if not any(_beats(other, point) for other in points)),
        key=lambda point: (-point["accuracy"], point["interpretability"]),
    )


def _beats(one: Point, other: Point) -> bool:
    pairs = [(one[name], other[name]) for name in ("accuracy", "interpretability")]
    return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)


def _bounds(points: Sequence[Point], name: str) -> tuple[float, float]:
    """Show all values, and of very wide intervals only a part."""
    values = [point[name] for point in points]
    most = max(max(values) - min(values), 0.02)
    ends = [point.get(f"{name}_{end}") for point in points for end in ("low", "high")]
    return spread(
        [*values, *(min(max(end, min(values) - most), max(values) + most) for end in ends if end is not None)]
    )


def _axes(across: Scale, up: Scale, measure: str) -> Iterable[str]:
    for tick in up.ticks():
        yield line(LEFT, up(tick), WIDTH - RIGHT, up(tick), "grid-line")
        yield text(LEFT - 8, up(tick) + 4, label_of(tick, percent=True), "end", "tick")
    for tick in across.ticks(7):
        yield line(across(tick), TOP, across(tick), HEIGHT - BOTTOM, "grid-line")
        yield text(across(tick), HEIGHT - BOTTOM + 18, label_of(tick), "middle", "tick")
    yield text(LEFT, TOP - 10, "accuracy ↑", "start", "tick")
    yield text(WIDTH - RIGHT, HEIGHT - 8, f"{measure} →", "end", "tick")


def _front(points: Sequence[Point], across: Scale, up: Scale) -> Iterable[str]:
    best = front(points)
    x, y = across.start, up(best[0]["accuracy"])
    steps = [f"M{x:g} {y:g}"]
    for point in best:
        steps.append(f"V{up(point['accuracy']):g}H{across(point['interpretability']):g}")
    steps.append(f"V{up.start:g}")
    yield f'<path class="axis-line" fill="none" stroke-dasharray="5 4" d="{"".join(steps)}"/>'


def _described(points: Sequence[Point], measure: str) -> str:
    """Say the same in words."""
    each = "; ".join(
        f"{point['name']}: accuracy {100 * point['accuracy']:.1f} %, {measure} {point['interpretability']:.3f}"
        for point in points
    )
    return f"{each}. Not beaten in both: {', '.join(point['name'] for point in front(points))}."
