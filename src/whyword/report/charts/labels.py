"""Names beside the marks of a chart, where nothing is in the way."""

from __future__ import annotations

from .axes import LETTER, text

Box = tuple[float, float, float, float]  # left, top, right, bottom
HALO = (
    'style="paint-order:stroke;stroke:var(--ground);stroke-width:4px;stroke-linejoin:round"'  # lines end before names
)


def beside(name: str, x: float, y: float, taken: list[Box], frame: Box) -> str:
    """Write a name beside its mark, inside the frame and off what is taken if there is such a place; take that."""
    width = LETTER * len(name)
    offers = [
        (gap, shift, anchor) for shift in (-9.0, 18.0, -26.0, 35.0) for gap, anchor in ((9.0, "start"), (-9.0, "end"))
    ]
    boxes = []
    for gap, shift, anchor in offers:
        left = x + gap if anchor == "start" else x + gap - width
        boxes.append((left, y + shift - 12, left + width, y + shift + 3))
    inside = [
        i
        for i, box in enumerate(boxes)
        if box[0] >= frame[0] and box[2] <= frame[2] and box[1] >= frame[1] and box[3] <= frame[3]
    ]
    free = [i for i in inside if not any(_overlap(boxes[i], other) for other in taken)]
    chosen = next(iter(free or inside or [0]))
    taken.append(boxes[chosen])
    gap, shift, anchor = offers[chosen]
    return text(x + gap, y + shift, name, anchor)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
