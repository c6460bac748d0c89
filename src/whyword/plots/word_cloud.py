"""The words that matter most, large where the score is high and dark where they are frequent: VMASK's figure 3."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from ..interfaces.explanation import WordImportance
from ..views.highlight import Color, blend, hexadecimal
from .drawing import Box, drawable, ruler

SIZE = (8.0, 5.0)  # inches
DPI = 100  # boxes are measured at this resolution
MARGIN = 12  # pixels at the edge
CAPTION = 34  # pixels below the cloud
GAP = 6  # pixels between words
SMALLEST, LARGEST = 9.0, 46.0  # points
RARE: Color = (86, 140, 190)  # 3.5 to 1 on white, enough for large letters
FREQUENT: Color = (8, 38, 78)


def word_cloud(importance: WordImportance, top: int = 80) -> Figure:
    """Draw the top words from the center outwards; a word that fits nowhere even when all shrink is left out."""
    shown = importance.top(top)
    words = drawable(shown.words)
    figure = Figure(figsize=SIZE, dpi=DPI)
    weights = _share(shown.scores)
    for shrink in (1.0, 0.85, 0.7, 0.6, 0.5, 0.4):
        sizes = [max(SMALLEST * min(1.0, 1.4 * shrink), LARGEST * shrink * weight) for weight in 0.2 + 0.8 * weights]
        places = _place(words, sizes, figure)
        if all(place is not None for place in places):
            break
    width, height = (side * DPI for side in SIZE)
    darkness = _share(np.log(np.maximum(shown.frequencies, 1)))
    for word, size, place, dark in zip(words, sizes, places, darkness, strict=True):
        if place is not None:
            color = hexadecimal(blend(FREQUENT, float(dark), RARE))
            x, y = place
            figure.text(
                x / width, y / height, word, fontsize=size, color=color, va="baseline", ha="left", parse_math=False
            )
    figure.text(0.5, 0.025, _caption(shown), fontsize=8, color="#555555", ha="center", parse_math=False)
    return figure


def _caption(shown: WordImportance) -> str:
    if not len(shown):
        return "no words"
    lowest, highest = shown.scores.min(), shown.scores.max()
    rarest, commonest = shown.frequencies.min(), shown.frequencies.max()
    return (
        f"larger: higher score ({lowest:.3f} to {highest:.3f}, {shown.source})    "
        f"darker: more frequent ({rarest:,} to {commonest:,} times)"
    )


def _place(words: list[str], sizes: list[float], figure: Figure) -> list[tuple[float, float] | None]:
    """Give the left end of each word's baseline, in pixels; None for a word that fits nowhere."""
    measure = ruler(figure)
    right, top = SIZE[0] * DPI - MARGIN, SIZE[1] * DPI - MARGIN
    center_x, center_y = (MARGIN + right) / 2, (MARGIN + CAPTION + top) / 2
    ways = _spiral(right - MARGIN, top - MARGIN - CAPTION)
    taken: list[Box] = []
    places: list[tuple[float, float] | None] = []
    for word, size in zip(words, sizes, strict=True):
        width, height, descent = measure(word, size)
        left = center_x + ways[:, 0] - width / 2
        bottom = center_y + ways[:, 1] - height / 2
        free = (left >= MARGIN) & (left + width <= right) & (bottom >= MARGIN + CAPTION) & (bottom + height <= top)
        for box in taken:
            free &= (
                (left >= box[2] + GAP)
                | (left + width <= box[0] - GAP)
                | (bottom >= box[3] + GAP)
                | (bottom + height <= box[1] - GAP)
            )
        if not free.any():
            places.append(None)
            continue
        first = int(free.argmax())
        x, y = float(left[first]), float(bottom[first])
        taken.append((x, y, x + width, y + height))
        places.append((x, y + descent))
    return places


def _spiral(width: float, height: float) -> np.ndarray:
    """Offsets from the center outwards, (step, 2) in pixels, in the shape of the page."""
    angle = np.sqrt(np.linspace(0.0, 1.0, 4000)) * 2 * np.pi * 40  # steps of equal length along the curve
    radius = angle / angle[-1] * 0.72  # the corners lie 0.71 of a side away
    return np.stack([radius * width * np.cos(angle), radius * height * np.sin(angle)], axis=1)


def _share(values: np.ndarray) -> np.ndarray:
    """Stretch values to reach from 0 to 1; all 1 if they are equal."""
    spread = np.ptp(values) if len(values) else 0.0
    return (values - values.min()) / spread if spread else np.ones(len(values))
