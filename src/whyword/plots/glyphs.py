"""Words of any script as a figure shows them: in letters that its font has, and the room they take."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font

from ..views.characters import showable

EMPTY_BOX = "□"  # what fonts show for a letter they do not have
LONGEST = 24  # letters of a word that are shown; addresses have more


def drawable(words: tuple[str, ...]) -> list[str]:
    """Cut long words, and put a box in the place of every letter that the font lacks, before matplotlib warns of it."""
    known = get_font(findfont(FontProperties())).get_charmap()
    short = (word if len(word) <= LONGEST else f"{word[: LONGEST - 1]}…" for word in words)
    return ["".join(c if ord(c) in known else EMPTY_BOX for c in showable(word)) for word in short]


def ruler(figure: Figure) -> Callable[[str, float], tuple[float, float, float]]:
    """Make the function that measures a word of a size in points: width, height and depth below the line, in pixels."""
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    return lambda word, size: renderer.get_text_width_height_descent(word, FontProperties(size=size), False)
