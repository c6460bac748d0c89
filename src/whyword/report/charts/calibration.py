"""How often the model is right, against how sure it says it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor
from typing import Any

from markupsafe import Markup

from .axes import Scale, label_of, line, picture, text
from .series import style_of

WIDTH, HEIGHT = 400, 360
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 26, 92
BARS = 34  # height of the strip that counts texts


def calibration(bins: Sequence[Mapping[str, Any]]) -> Markup:
    """Draw accuracy over confidence with intervals, the diagonal of perfect honesty, and how many texts there are."""
    filled = [one for one in bins if one.get("texts") and one.get("confidence") is not None]
    start = 0.5 if filled and all((one.get("from") or 0.0) >= 0.5 for one in filled) else 0.0
    least = min([start, *(one["low"] for one in filled if one.get("low") is not None)])
    bottom = floor(5 * least) / 5
    across, up = Scale(start, 1, LEFT, WIDTH - RIGHT), Scale(bottom, 1, HEIGHT - BOTTOM, TOP)
    foot = HEIGHT - BOTTOM
    parts = [text(0, 12, "how often it is right", "start", "tick")]
    for tick in up.ticks(6):
        parts += [line(LEFT, up(tick), WIDTH - RIGHT, up(tick), "grid-line")]
        parts += [text(LEFT - 7, up(tick) + 4, label_of(tick, True), "end", "tick")]
    for tick in across.ticks(6):
        parts += [text(across(tick), foot + 17, label_of(tick, True), "middle", "tick")]
    honest = f"M{across(start):g} {up(start):g}L{across(1):g} {up(1):g}"
    parts.append(f'<path class="random thin" stroke-dasharray="4 4" d="{honest}"/>')
    parts += _strip(filled, across, foot + 26)
    parts += [_bin(one, across, up) for one in filled if one.get("accuracy") is not None]
    parts += [
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, "how sure it says it is; bars count texts", "middle", "tick")
    ]
    told = " ".join(
        f"Confidence {label_of(round(one['confidence'], 3), True)}: right {label_of(round(one['accuracy'], 3), True)}"
        f" of {one['texts']} texts."
        for one in filled
        if one.get("accuracy") is not None
    )
    return picture(WIDTH, HEIGHT, "Accuracy over confidence", told, parts)


def _bin(one: Mapping[str, Any], across: Scale, up: Scale) -> str:
    style = style_of(0)
    x = across(one["confidence"])
    drawn = ""
    if one.get("low") is not None and one.get("high") is not None:
        drawn = line(x, up(one["low"]), x, up(one["high"]), "line")
    return f'<g class="{style.color}">{drawn}{style.mark(x, up(one["accuracy"]), 5)}</g>'


def _strip(filled: Sequence[Mapping[str, Any]], across: Scale, top: float) -> list[str]:
    most = max((one["texts"] for one in filled), default=1)
    parts = []
    for one in filled:
        if one.get("from") is None or one.get("to") is None:
            continue
        left, right = across(one["from"]), across(one["to"])
        height = max(BARS * one["texts"] / most, 1)
        parts.append(
            f'<rect class="random fill" opacity=".5" x="{left + 1:g}" y="{top + BARS - height:.1f}" '
            f'width="{max(right - left - 2, 1):.1f}" height="{height:.1f}"/>'
        )
    return parts
