"""How explainers are told apart in every chart: by color, by dash and by the shape of their marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

RANDOM = "random"
COLORS = 6  # .s0 to .s5 of style.css
DASHES = ("", "8 4", "2 4", "10 3 2 3", "5 3")
# Strokes of a mark of half-width 1 around its middle, as numbers for an SVG path.
CIRCLE = "m-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0z"
SHAPES = (
    CIRCLE,
    "m-.9 -.9h1.8v1.8h-1.8z",  # square
    "m0 -1.15l1.15 2h-2.3z",  # triangle
    "m0 -1.25l1.25 1.25l-1.25 1.25l-1.25 -1.25z",  # diamond
    "m-1.15 -.85h2.3l-1.15 2z",  # triangle upside down
    "m-.4 -1.1h.8v.7h.7v.8h-.7v.7h-.8v-.7h-.7v-.8h.7z",  # plus
)
CROSS = "m-.7 -1.1l.7 .7l.7 -.7l.4 .4l-.7 .7l.7 .7l-.4 .4l-.7 -.7l-.7 .7l-.4 -.4l.7 -.7l-.7 -.7z"


@dataclass(frozen=True)
class Style:
    """The looks of one series."""

    color: str  # the class that sets --series
    dash: str
    shape: str

    def mark(self, x: float, y: float, size: float = 4, kind: str = "dot") -> str:
        """Draw the series' mark at a place."""
        return (
            f'<path class="{kind}" transform="translate({x:g} {y:g}) scale({size:g})" '
            f'd="M0 0{self.shape}" vector-effect="non-scaling-stroke"/>'
        )

    @property
    def key(self) -> Markup:
        """The mark alone, to stand before a name; the name says all, so it is hidden from those who listen."""
        return Markup(
            f'<svg class="key {self.color}" viewBox="-8 -8 16 16" aria-hidden="true">'
            f'<path d="M0 0{self.shape}" transform="scale(6)" style="fill:var(--series)"/></svg>'
        )


def style_of(number: int) -> Style:
    """Give the looks of the series with this number: no two of the first thirty look the same."""
    return Style(f"s{number % COLORS}", DASHES[number % len(DASHES)], SHAPES[number % len(SHAPES)])


def styles(names: Iterable[str]) -> Mapping[str, Style]:
    """Give each name its looks, in order; random words are always gray crosses."""
    chosen = [name for name in dict.fromkeys(names) if name != RANDOM]
    return {name: style_of(number) for number, name in enumerate(chosen)} | {RANDOM: Style("random", "3 4", CROSS)}
