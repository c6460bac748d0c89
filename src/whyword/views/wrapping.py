"""Where the lines of a text end when it is drawn, by the widths of Helvetica, which Arial and Liberation Sans share."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import bidirectional

from .characters import columns

_THOUSANDTHS = {
    **dict.fromkeys("'", 191),
    **dict.fromkeys("ijl", 222),
    **dict.fromkeys("|", 260),
    **dict.fromkeys(" !,./:;I[\\]ft", 278),
    **dict.fromkeys("()-`r{}", 333),
    **dict.fromkeys('"', 355),
    **dict.fromkeys("*", 389),
    **dict.fromkeys("^", 469),
    **dict.fromkeys("ckvxyzsJ", 500),
    **dict.fromkeys("0123456789abdeghnopquL#$_?", 556),
    **dict.fromkeys("+<=>~", 584),
    **dict.fromkeys("FTZ", 611),
    **dict.fromkeys("ABEKPSVXY&", 667),
    **dict.fromkeys("CDHNRUw", 722),
    **dict.fromkeys("GOQ", 778),
    **dict.fromkeys("Mm", 833),
    **dict.fromkeys("%", 889),
    **dict.fromkeys("W", 944),
    **dict.fromkeys("@", 1015),
}
_BY_COLUMNS = (0, 580, 1000)  # other characters: joined to a letter, about a letter, a square


def width(text: str) -> float:
    """Estimate how wide a text is, in units of the font size."""
    return sum(_THOUSANDTHS.get(character) or _BY_COLUMNS[columns(character)] for character in text) / 1000


def wrap(text: str, room: float) -> Iterator[tuple[int, int]]:
    """Give the [start, end) of each line; room is in units of the font size, spaces may hang over it."""
    start = opportunity = 0
    used = 0.0
    for position, character in enumerate(text):
        if character == "\n":
            yield start, position
            start = opportunity = position + 1
            used = 0.0
            continue
        needed = width(character)
        while used + needed > room and position > start and needed and not character.isspace():
            end = opportunity if opportunity > start else position
            yield start, end
            start = end
            used = width(text[start:position])
        used += needed
        if character.isspace() or columns(character) == 2:
            opportunity = position + 1
    yield start, len(text)


def cut(text: str, room: float) -> str:
    """Shorten a text to one line."""
    if width(text) <= room:
        return text
    used = 0.0
    for position, character in enumerate(text):
        used += width(character)
        if used > room - 1:
            return text[:position] + "…"
    return text


def leftward(text: str) -> bool:
    """Tell whether a text is written from right to left, by its first letter that has a direction."""
    directions = (bidirectional(character) for character in text)
    return next((direction for direction in directions if direction in ("L", "R", "AL")), "L") != "L"
