"""Faithfulness against cost: every explainer a mark with its interval, and random words as the floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log10

from markupsafe import Markup

from .axes import Interval, Scale, Style, cut, label_of, line, picture, spread, text
from .labels import HALO, Box, beside

WIDTH, HEIGHT = 560, 330
LEFT, RIGHT, TOP, BOTTOM = 52, 18, 30, 46
MARK = 7.0
LETTERS = 24  # of a name at most
FRAME = (LEFT, 0.0, WIDTH, HEIGHT - BOTTOM)


@dataclass(frozen=True)
class Ranked:
    """An explainer: its share of the best one's faithfulness, and its forward passes per text."""

    name: str
    style: Style
    share: Interval
    passes: float


def ranking(rows: Sequence[Ranked], floor: float | None, near: float | None, title: str) -> Markup:
    """Draw rows that have a share; the floor is that of random words, near a line from which on a share is close."""
    known = [(row, value) for row in rows if (value := row.share.value) is not None]
    least = min([0.0, floor or 0.0, *(value for _, value in known)])
    up = Scale(*spread([least, 1.0], 0.08), HEIGHT - BOTTOM, TOP)
    powers = range(max(1, ceil(log10(max([10.0, *(row.passes for row, _ in known)])))) + 1)
    across = Scale(-0.12, powers[-1] + 0.12, LEFT, WIDTH - RIGHT)
    parts = []
    for tick in up.ticks(6):
        parts.append(line(LEFT, up(tick), WIDTH - RIGHT, up(tick), "grid-line"))
        parts.append(text(LEFT - 8, up(tick) + 4, label_of(tick, percent=True), "end", "tick"))
    for power in powers:
        parts.append(line(across(power), TOP, across(power), HEIGHT - BOTTOM, "grid-line"))
        parts.append(text(across(power), HEIGHT - BOTTOM + 18, f"{10**power:,}", "middle", "tick"))
    parts.append(text(LEFT, TOP - 12, "share of the best explainer's faithfulness ↑", "start", "tick"))
    parts.append(text(WIDTH - RIGHT, HEIGHT - 8, "forward passes a text (logarithm) →", "end", "tick"))
    if near is not None:
        parts.append(line(LEFT, up(near), WIDTH - RIGHT, up(near), "limit"))
    if floor is not None:
        drawn = line(LEFT, up(floor), WIDTH - RIGHT, up(floor), "thin")
        parts.append(f'<g class="random" stroke-dasharray="3 4">{drawn}</g>')
        parts.append(text(WIDTH - RIGHT, up(floor) - 6, "random words", "end", "tick"))
    places = [(across(log10(max(1.0, row.passes))), up(value)) for row, value in known]
    taken: list[Box] = [(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in places]
    names = []
    for (row, _), (x, y) in zip(known, places, strict=True):
        ends = row.share.low, row.share.high
        bar = "" if ends[0] is None or ends[1] is None else line(x, up(ends[0]), x, up(ends[1]), "line")
        parts.append(f'<g class="{row.style.color}">{bar}{row.style.mark(x, y, MARK)}</g>')
        names.append(beside(cut(row.name, LETTERS), x, y, taken, FRAME))
    parts.append(f"<g {HALO}>{''.join(names)}</g>")
    described = "; ".join(f"{row.name}: {100 * value:.0f} % at {row.passes:,.0f} passes" for row, value in known)
    return picture(WIDTH, HEIGHT, title, f"{described}." if described else "Nothing to show.", parts)
