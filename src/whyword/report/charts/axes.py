"""What all charts share: the picture around them, scales, and ticks at round numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from markupsafe import Markup, escape

from ...views.characters import showable

LARGEST = 1.15  # how far a chart grows where there is room
LETTER = 7.2  # width of a letter of 13 px, on the wide side


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
    """Give at most so many multiples of 1, 2 or 5 times a power of ten that lie from low to high."""
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
