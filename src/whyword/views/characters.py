"""Which characters of a stranger's text can be shown as they are, and how much room they take."""

from __future__ import annotations

import re
from unicodedata import category, east_asian_width

# Control characters (they steer a terminal, and XML cannot hold them), halves of surrogate pairs, non-characters.
_UNSHOWABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def showable(text: str) -> str:
    """Put U+FFFD in the place of every character that is not safe to show; tabs and line ends stay."""
    return _UNSHOWABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def columns(character: str) -> int:
    """Count the columns a character takes in a terminal: 2 for Chinese and emoji, 0 for accents that join a letter."""
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
