"""The words that matter most, large where the score is high and dark where they are frequent: VMASK's figure 3.

Words that speak for a class have its color and stand under its name; weights and gates, not for a class, are gray.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
from matplotlib.figure import Figure

from ..interfaces.explanation import WordImportance
from ..views.highlight import Color, blend, class_color, hexadecimal
from .drawing import Box, drawable, ruler

SIZE = (8.0, 5.0)  # inches
DPI = 100  # boxes are measured at this resolution
MARGIN = 12  # pixels at the edge
CAPTION = 34  # pixels below the cloud
TITLE = 34  # pixels above the cloud of a class
GAP = 6  # pixels between words
SMALLEST, LARGEST = 9.0, 46.0  # points
RARE: Color = (130, 130, 130)  # 3.8 to 1 on white, enough for large letters
FREQUENT: Color = (30, 30, 30)
BLACK: Color = (0, 0, 0)
ACROSS, MOST_CLASSES = 3, 12  # clouds in a row, and in all


def word_cloud(importance: WordImportance, top: int = 80) -> Figure:
    """Draw the top words from the center outwards, those of each class in a cloud of its own under its name.

    A word that fits nowhere even when all shrink is left out.
    """
    classes = list(importance.by_class().values())
    clouds = [part.top(top) for part in classes[:MOST_CLASSES]]
    width, height, boxes = _layout(len(clouds), clouds[0].label is not None)
    figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI)
    words = [drawable(cloud.words) for cloud in clouds]
    weights = _per_cloud(_share(np.concatenate([cloud.scores for cloud in clouds])), clouds)
    for shrink in (1.0, 0.85, 0.7, 0.6, 0.5, 0.4):
        sizes = [
            [max(SMALLEST * min(1.0, 1.4 * shrink), LARGEST * shrink * weight) for weight in 0.2 + 0.8 * shares]
            for shares in weights
        ]
        places = [
            _place(strings, points, figure, box) for strings, points, box in zip(words, sizes, boxes, strict=True)
        ]
        if all(place is not None for cloud in places for place in cloud):
            break
    frequencies = np.concatenate([cloud.frequencies for cloud in clouds])
    darkness = _per_cloud(_share(np.log(np.maximum(frequencies, 1))), clouds)
    for number, cloud in enumerate(clouds):
        rare, frequent = _colors(cloud)
        for word, size, place, dark in zip(words[number], sizes[number], places[number], darkness[number], strict=True):
            if place is not None:
                x, y = place
                color = hexadecimal(blend(frequent, float(dark), rare))
                figure.text(
                    x / width, y / height, word, fontsize=size, color=color, va="baseline", ha="left", parse_math=False
                )
    for cloud, (left, _, right, above) in zip(clouds, boxes, strict=True):
        if cloud.label is not None:
            says = "speaks for" if len(cloud) else "no word speaks for"
            figure.text(
                (left + right) / 2 / width,
                (above + TITLE / 3) / height,
                f"{says} {drawable((str(cloud.label),))[0]}",
                fontsize=13,
                fontweight="bold",
                color=hexadecimal(_colors(cloud)[0]),
                ha="center",
                parse_math=False,
            )
    figure.text(
        0.5, 12.5 / height, _caption(clouds, len(classes)), fontsize=8, color="#555555", ha="center", parse_math=False
    )
    return figure


def _layout(clouds: int, titled: bool) -> tuple[float, float, list[Box]]:
    """Give the width and height of the figure and the place of each cloud, in pixels."""
    across = clouds if clouds <= ACROSS else 2 if clouds == 4 else ACROSS
    shrink = (1.0, 0.75, 0.65)[across - 1]  # clouds side by side are smaller, though not by as much as they are many
    wide, high = SIZE[0] * DPI * shrink, (SIZE[1] * DPI - CAPTION) * shrink
    down = ceil(clouds / across)
    boxes = [
        (
            wide * (number % across) + MARGIN,
            CAPTION + high * (down - 1 - number // across) + MARGIN,
            wide * (number % across + 1) - MARGIN,
            CAPTION + high * (down - number // across) - (TITLE if titled else MARGIN),
        )
        for number in range(clouds)
    ]
    return wide * across, CAPTION + high * down, boxes


def _colors(cloud: WordImportance) -> tuple[Color, Color]:
    """Give the colors of the rarest and the most frequent words: shades of the color of their class."""
    if cloud.label is None:
        return RARE, FREQUENT
    color = class_color(cloud.classes.index(cloud.label))
    return color, blend(color, 0.5, BLACK)


def _per_cloud(values: np.ndarray, clouds: Sequence[WordImportance]) -> list[np.ndarray]:
    return np.split(values, np.cumsum([len(cloud) for cloud in clouds])[:-1])


def _caption(clouds: Sequence[WordImportance], classes: int) -> str:
    if not any(map(len, clouds)):
        return "no words"
    scores = np.concatenate([cloud.scores for cloud in clouds])
    frequencies = np.concatenate([cloud.frequencies for cloud in clouds])
    caption = (
        f"larger: higher score ({scores.min():.3f} to {scores.max():.3f}, {clouds[0].source})    "
        f"darker: more frequent ({frequencies.min():,} to {frequencies.max():,} times)"
    )
    return caption if len(clouds) == classes else f"{caption}    the first {len(clouds)} of {classes} classes"


def _place(words: list[str], sizes: list[float], figure: Figure, page: Box) -> list[tuple[float, float] | None]:
    """Give the left end of each word's baseline on the page, in pixels; None for a word that fits nowhere."""
    measure = ruler(figure)
    ways = _spiral(page[2] - page[0], page[3] - page[1])
    taken: list[Box] = []
    places: list[tuple[float, float] | None] = []
    for word, size in zip(words, sizes, strict=True):
        width, height, descent = measure(word, size)
        left = (page[0] + page[2] - width) / 2 + ways[:, 0]
        bottom = (page[1] + page[3] - height) / 2 + ways[:, 1]
        free = (left >= page[0]) & (left + width <= page[2]) & (bottom >= page[1]) & (bottom + height <= page[3])
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
