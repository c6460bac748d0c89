"""One color per class of words, gray for neutral ones and for those of no group."""

from __future__ import annotations

from ..views.colors import BLUE, ORANGE, Color, hexadecimal

CLASSES: tuple[Color, ...] = (ORANGE, BLUE, (0, 130, 90), (150, 70, 150), (170, 130, 0), (60, 60, 60))
NEUTRAL: Color = (130, 130, 130)


def group_color(number: int, classes: int) -> str:
    """Give the color of a class, or of neutral words; after six classes colors come again."""
    return hexadecimal(CLASSES[number % len(CLASSES)] if 0 <= number < classes else NEUTRAL)
