"""What all charts share: the picture around them, scales with ticks at round numbers, and how explainers look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import Protocol

from markupsafe import Markup, escape

from ...views.characters import showable

LARGEST = 1.15  # how far a chart grows where there is space
LETTER = 7.2  # width of a letter of 13 px, on the wide side
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


class Interval(Protocol):
    """A value with its 95 % interval; None where it is not known."""

    @property
    def value(self) -> float | None:
        """The value itself."""

    @property
    def low(self) -> float | None:
        """The lower end."""

    @property
    def high(self) -> float | None:
        """The upper end."""


@dataclass(frozen=True)
class Scale:
    """Places numbers from low to high between two ends in pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Give the place of a number, on one tenth of a pixel; numbers outside stay at the ends."""
        share = 0.5 if self.high == self.low else (value - self.low) / (self.high - self.low)
        return round(self.start + min(max(share, 0.0), 1.0) * (self.end - self.start), 1)

    def ticks(self, most: int = 5) -> list[float]:
        """Give round numbers within the scale."""
        return round_numbers(self.low, self.high, most)


def round_numbers(low: float, high: float, most: int = 5) -> list[float]:
    """Give at most this many multiples of 1, 2 or 5 times a power of ten that lie from low to high."""
    if not (isfinite(low) and isfinite(high)) or high <= low or most < 2:
        return [low]
    least = (high - low) / (most - 1)
    power = 10.0 ** floor(log10(least))
    step = next(step * power for step in (1, 2, 5, 10, 20) if step * power >= least * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)] or [low]


def spread(values: Iterable[float | None], margin: float = 0.06) -> tuple[float, float]:
    """Give the lowest and the highest of the numbers that are there, with some air around them."""
    known = [value for value in values if value is not None and isfinite(value)]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    air = margin * (high - low) or abs(low) * margin or margin
    return low - air, high + air


def label_of(tick: float, percent: bool = False) -> str:
    """Write a tick without needless digits."""
    text = f"{100 * tick:.4g}%" if percent else f"{tick:.4g}"
    return text.replace("-", "−")


def picture(
    width: float, height: float, title: str, description: str, parts: Iterable[str], kind: str = "chart"
) -> Markup:
    """Wrap the parts of a drawing, with a title and the numbers in words for those who cannot see it."""
    inline = kind != "chart"
    size = f'width="{width:g}" height="{height:g}"' if inline else f'style="max-width:{LARGEST * width:g}px"'
    return Markup(
        f'<svg class="{kind}" role="img" viewBox="0 0 {width:g} {height:g}" {size}>'
        f"<title>{safe(title)}</title><desc>{safe(description)}</desc>{''.join(parts)}</svg>"
    )


def text(x: float, y: float, content: str, anchor: str = "start", kind: str = "") -> str:
    """Write a line of text; a stranger's letters cannot reorder what is around them."""
    name = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{name} style="unicode-bidi:isolate">{safe(content)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Draw a straight line."""
    return f'<path class="{kind}" d="M{x1:g} {y1:g}L{x2:g} {y2:g}"/>'


def safe(content: str) -> str:
    """Escape a text, with nothing in it that a page cannot hold."""
    return str(escape(showable(content)))


def cut(content: str, most: int) -> str:
    """Shorten a label."""
    return content if len(content) <= most else content[: most - 1] + "…"


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
