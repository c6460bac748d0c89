"""The colors of words: blue speaks for the class, orange against it, and stronger is more intense.

The pair can be told apart with every common kind of color blindness. Paint is translucent, so it lies equally well on
a light and on a dark page, and never so thick that the text on it falls below a contrast of 4.5 to 1 (WCAG AA).
"""

from __future__ import annotations

Color = tuple[int, int, int]

BLUE: Color = (0, 114, 178)
ORANGE: Color = (196, 80, 0)
MOST_OPAQUE = 0.55


def hue(strength: float) -> Color:
    """Choose blue for what speaks for the class, orange for what speaks against it."""
    return ORANGE if strength < 0 else BLUE


def opacity(strength: float) -> float:
    """Say how thick the paint behind a word is, in proportion to its strength."""
    return round(MOST_OPAQUE * abs(strength), 3)


def underline(strength: float) -> int:
    """Say how thick the line under a word is, for readers who see no color: 0 in the weak third, then 1, then 2."""
    return min(int(3 * abs(strength)), 2)


def blend(color: Color, share: float, ground: Color) -> Color:
    """Mix a share of a color into the ground it lies on."""
    red, green, blue = (round(share * top + (1 - share) * below) for top, below in zip(color, ground, strict=True))
    return red, green, blue


def hexadecimal(color: Color) -> str:
    """Write a color as #rrggbb."""
    return "#{:02x}{:02x}{:02x}".format(*color)
