"""What the figures share: words in letters that the font has, their size, places that are free, colors of groups."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font

from ..views.characters import showable
from ..views.highlight import Color, class_color, hexadecimal

EMPTY_BOX = "□"  # what fonts show for a letter they do not have
LONGEST = 24  # letters of a word that are shown; addresses have more
NEUTRAL: Color = (130, 130, 130)

Box = tuple[float, float, float, float]  # left, bottom, right, top


def drawable(words: tuple[str, ...]) -> list[str]:
    """Cut long words, and put a box in the place of every letter that the font lacks, before matplotlib warns of it."""
    known = get_font(findfont(FontProperties())).get_charmap()
    short = (word if len(word) <= LONGEST else f"{word[: LONGEST - 1]}…" for word in words)
    return ["".join(c if ord(c) in known else EMPTY_BOX for c in showable(word)) for word in short]


def ruler(figure: Figure) -> Callable[[str, float], tuple[float, float, float]]:
    """Make the function that measures a word of a size in points: width, height and depth below the line, in pixels."""
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    return lambda word, size: renderer.get_text_width_height_descent(word, FontProperties(size=size), False)


def overlap(one: Box, other: Box) -> bool:
    """Say whether two boxes cover a place in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def group_color(number: int, classes: int) -> str:
    """Give the color of a class, the same as in all views, or that of neutral words."""
    return hexadecimal(class_color(number) if 0 <= number < classes else NEUTRAL)
