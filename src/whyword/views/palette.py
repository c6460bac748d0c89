"""One color per class."""

from __future__ import annotations

from .highlight import BLUE, ORANGE, Color

PALETTE: tuple[Color, ...] = (
    ORANGE,
    BLUE,
    (144, 48, 240),  # violet
    (16, 112, 48),  # green
    (160, 96, 144),  # mauve
    (112, 96, 224),  # indigo
    (208, 48, 64),  # red
    (208, 32, 176),  # magenta
)


def class_color(number: int) -> Color:
    """Give the color of a class by its number; after eight they repeat."""
    return PALETTE[number % len(PALETTE)]
