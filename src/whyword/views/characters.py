"""Which characters of a stranger's text can be shown as they are, how wide they are, and where lines end.

Widths are those of Helvetica, which Arial and Liberation Sans share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import bidirectional, category, east_asian_width

# Control characters (they steer a terminal, and XML cannot hold them), halves of surrogate pairs, non-characters.
_UNSHOWABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
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


def showable(text: str) -> str:
    """Put U+FFFD in the place of every character that is not safe to show; tabs and line ends stay."""
    return _UNSHOWABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def columns(character: str) -> int:
    """Count the columns a character takes in a terminal: 2 for Chinese and emoji, 0 for accents that join a letter."""
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def width(text: str) -> float:
    """Estimate how wide a text is, in units of the font size."""
    return sum(_THOUSANDTHS.get(character) or _BY_COLUMNS[columns(character)] for character in text) / 1000


def wrap(text: str, length: float) -> Iterator[tuple[int, int]]:
    """Give the [start, end) of each line; length is in units of the font size, spaces may hang over it."""
    start = opportunity = 0
    used = 0.0
    for position, character in enumerate(text):
        if character == "\n":
            yield start, position
            start = opportunity = position + 1
            used = 0.0
            continue
        needed = width(character)
        while used + needed > length and position > start and needed and not character.isspace():
            end = opportunity if opportunity > start else position
            yield start, end
            start = end
            used = width(text[start:position])
        used += needed
        if character.isspace() or columns(character) == 2:
            opportunity = position + 1
    yield start, len(text)


def cut(text: str, length: float) -> str:
    """Shorten a text to one line."""
    if width(text) <= length:
        return text
    used = 0.0
    for position, character in enumerate(text):
        used += width(character)
        if used > length - 1:
            return text[:position] + "…"
    return text


def leftward(text: str) -> bool:
    """Tell whether a text is written from right to left, by its first letter that has a direction."""
    directions = (bidirectional(character) for character in text)
    return next((direction for direction in directions if direction in ("L", "R", "AL")), "L") != "L"
