"""A forest plot of claims: each effect with its interval, in units of what its claim is measured by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whyword.papers.reproduction.claims import FAILS, HOLDS, NOT_TESTED
from whyword.report.charts.axes import Scale, cut, line, text

WIDTH, TOP, ROW, LEFT, RIGHT = 980, 44, 21, 560, 960
MOST = 4.0  # units to either side; what lies beyond ends in an arrow
LETTERS = 84
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#222}.quiet{fill:#666}.grid{stroke:#ddd}.zero{stroke:#555}"
    ".holds{stroke:#0b6e4f;fill:#0b6e4f}.fails{stroke:#b3261e;fill:#b3261e}.not-tested{stroke:#777;fill:#fff}"
    ".bar{stroke-width:2;fill:none}.dot{stroke-width:2}"
)
KEY = (
    "Circle: holds. Square: fails. Diamond: not tested. "
    "In units of the smallest effect that would matter; 95 % intervals, not corrected."
)
SHAPES = {
    HOLDS: "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    FAILS: "m-5 -5h10v10h-10z",
    NOT_TESTED: "m0 -6l6 6l-6 6l-6 -6z",
}


def forest(claims: Sequence[Mapping[str, Any]]) -> str:
    """Draw a line per claim; 0 is its margin, +1 the smallest effect that would matter, and the right is the paper's.

    Of a claim that two rows are within a margin of each other, the ends of the margin are at -1 and +1.
    """
    height = TOP + ROW * len(claims) + 44
    scale = Scale(-MOST, MOST, LEFT, RIGHT)
    parts = [f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>']
    for tick in range(-int(MOST), int(MOST) + 1):
        kind = "grid" if tick else "zero"
        parts.append(line(scale(tick), TOP - 12, scale(tick), height - 34, kind))
        parts.append(text(scale(tick), TOP - 18, f"{tick:+d}" if tick else "0", "middle", "quiet"))
    for number, claim in enumerate(claims):
        parts += _row(claim, TOP + ROW * number + 6, scale)
    parts.append(text(8, height - 12, KEY, kind="quiet"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img"><title>Claims, with their effects</title><style>{STYLE}</style>{"".join(parts)}</svg>\n'
    )


def _row(claim: Mapping[str, Any], y: float, scale: Scale) -> list[str]:
    value, low, high = (None if end is None else in_units(claim, end) for end in _ends(claim["effect"]))
    kind = claim["verdict"].replace(" ", "-")
    parts = [text(8, y + 4, cut(claim["sentence"], LETTERS))]
    if low is not None and high is not None:
        parts.append(line(scale(low), y, scale(high), y, f"bar {kind}"))
        parts += [_arrow(scale(end), y, 1 if end > 0 else -1, kind) for end in (low, high) if abs(end) > MOST]
    if value is not None and abs(value) <= MOST:
        at = f"translate({scale(value):g} {y:g})"
        parts.append(f'<path class="dot {kind}" transform="{at}" d="M0 0{SHAPES[claim["verdict"]]}"/>')
    return parts


def in_units(claim: Mapping[str, Any], number: float) -> float:
    """Measure from the claim's margin, in its relevant effects; of a claim to lie within a margin, in margins."""
    return number / claim["margin"] if claim["within"] else (number - claim["margin"]) / claim["relevant"]


def _ends(effect: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    return effect["value"], effect["low"], effect["high"]


def _arrow(x: float, y: float, side: int, kind: str) -> str:
    return f'<path class="bar {kind}" d="M{x - 5 * side:g} {y - 4:g}L{x:g} {y:g}L{x - 5 * side:g} {y + 4:g}"/>'
