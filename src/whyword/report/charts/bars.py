"""A bar from zero, to stand in a row of a table."""

from __future__ import annotations

from markupsafe import Markup

from .axes import Scale, label_of, picture

WIDTH, HEIGHT = 130, 12


def bar(value: float | None, largest: float, signed: bool = False, color: str = "s0") -> Markup:
    """Draw a number between 0, or minus the largest where there are signs, and the largest."""
    scale = Scale(-largest if signed else 0.0, largest, 0, WIDTH)
    told = "No value" if value is None else label_of(float(f"{value:.3g}"))
    parts = []
    if value is not None:
        start, end = sorted((scale(0), scale(value)))
        against = signed and value < 0
        parts.append(
            f'<rect class="fill {"s1" if against else color}" x="{start:g}" y="1" '
            f'width="{max(end - start, 1):g}" height="{HEIGHT - 2}" rx="1.5"/>'
        )
    return picture(WIDTH, HEIGHT, told, told, parts, "chart inline")
