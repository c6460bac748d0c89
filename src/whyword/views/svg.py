"""An explanation as a picture that stands alone: for papers, slides, and pages that allow no HTML.

It brings its own background, light or dark as the reader's system asks, because a page that shows a picture may be
either. Every piece of text is given its length, so the paint fits whatever font the reader has.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from html import escape
from itertools import accumulate

from .characters import cut, leftward, showable, width, wrap
from .highlight import Color, Highlight, Run, hexadecimal, hue, opacity, underline

INK: tuple[Color, Color] = ((31, 35, 40), (230, 237, 243))  # in light, in dark
PAGE: tuple[Color, Color] = ((255, 255, 255), (13, 17, 23))
MOST_LINES = 40  # of each text
_MARGIN = 22
_LARGE, _SMALL = 17, 13  # font sizes
_LINE, _SMALL_LINE, _GAP = 30, 24, 8
_DARK_PAGE, _DARK_INK = hexadecimal(PAGE[1]), hexadecimal(INK[1])
_DARK = (
    f"@media (prefers-color-scheme: dark) {{ .whyword-page {{ fill: {_DARK_PAGE} }} "
    f".whyword-ink {{ fill: {_DARK_INK} }} .whyword-line {{ stroke: {_DARK_INK} }} }}"
)


def render(highlight: Highlight, width: int) -> str:
    """Draw the class, the text with its words painted and wrapped to the width in pixels, and what the colors mean."""
    sheet = _Sheet(width)
    heading = f"{highlight.label} {highlight.probability:.1%} · {highlight.explainer}"
    sheet.write(heading, _LARGE, bold=True)
    for title, passages in zip(highlight.headings, highlight.passages(), strict=True):
        sheet.y += _GAP
        if title:
            sheet.write(title)
        _draw_text(sheet, highlight, passages)
    sheet.y += _GAP
    sheet.write_legend(highlight.legend)
    for note in highlight.notes:
        sheet.write(note)
    strongest = ", ".join(f"{word} {highlight.written(score)}" for word, score, _ in highlight.strongest())
    return sheet.finish(heading, f"Strongest words: {strongest}" if strongest else highlight.notes[0])


def _draw_text(sheet: _Sheet, highlight: Highlight, passages: list[Run]) -> None:
    passages = [(_with_plain_line_ends(string), score, strength) for string, score, strength in passages]
    text = "".join(string for string, _, _ in passages)
    lines = list(wrap(text, sheet.inner_width / _LARGE))
    mirrored = leftward(text)
    for runs in _share_out(passages, lines[:MOST_LINES]):
        sheet.y += _LINE
        x = 0.0
        for string, score, strength in runs:
            title = "" if score is None else highlight.written(score)
            x += sheet.place(string, x, strength, title, mirrored)
    if (left_out := len(lines) - MOST_LINES) > 0:
        sheet.write(f"… {left_out:,} more line{'s' if left_out > 1 else ''}")


def _with_plain_line_ends(text: str) -> str:
    return re.sub("\r\n?", "\n", showable(text)).replace("\t", "    ")


def _share_out(passages: list[Run], lines: list[tuple[int, int]]) -> Iterator[list[Run]]:
    """Give each line its part of the passages."""
    starts = list(accumulate((len(string) for string, _, _ in passages), initial=0))
    for start, end in lines:
        touched = range(bisect_right(starts, start) - 1, bisect_left(starts, end))
        cuts = [(passages[i], max(start - starts[i], 0), end - starts[i]) for i in touched]
        yield [(string[begin:stop], score, strength) for (string, score, strength), begin, stop in cuts]


class _Sheet:
    """A picture that grows downward as it is written."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.inner_width = max(width - 2 * _MARGIN, _LARGE)
        self.y = _MARGIN - _SMALL
        self.parts: list[str] = []

    def write(self, text: str, size: int = _SMALL, bold: bool = False) -> None:
        """Write one line, cut to the width."""
        self.y += _LINE if size == _LARGE else _SMALL_LINE
        text = cut(showable(text), self.inner_width / size * (0.93 if bold else 1))  # bold letters are wider
        self._put(text, _MARGIN, size * width(text), size, bold=bold)

    def write_legend(self, meanings: list[tuple[str, float]]) -> None:
        """Write what the colors mean, side by side where they fit."""
        x = float(self.inner_width)
        for meaning, strength in meanings:
            meaning = cut(showable(meaning), self.inner_width / _SMALL)
            length = _SMALL * width(meaning)
            if x + length > self.inner_width:
                x = 0.0
                self.y += _SMALL_LINE
            self._paint(strength, _MARGIN + x, length, _SMALL)
            self._put(meaning, _MARGIN + x, length, _SMALL)
            x += length + _SMALL

    def place(self, text: str, x: float, strength: float, title: str, mirrored: bool) -> float:
        """Put a piece of text at x on the line, counted from the right if mirrored, and give its length."""
        visible = text.strip()
        if visible:
            x += _LARGE * width(text[: len(text) - len(text.lstrip())])
            length = _LARGE * width(visible)
            left = _MARGIN + (self.inner_width - x - length if mirrored else x)
            if title:
                self._paint(strength, left, length, _LARGE)
            self._put(visible, left, length, _LARGE, title, mirrored=mirrored)
        return _LARGE * width(text)

    def finish(self, title: str, description: str) -> str:
        """Put the page behind all that was written."""
        height = self.y + _MARGIN
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height}" '
                f'viewBox="0 0 {self.width} {height}" role="img" '
                'font-family="Helvetica, Arial, Liberation Sans, sans-serif">',
                f"<title>{_escaped(title)}</title>",
                f"<desc>{_escaped(description)}</desc>",
                f"<style>{_DARK}</style>",
                f'<rect class="whyword-page" x="0.5" y="0.5" width="{self.width - 1}" height="{height - 1}" rx="8" '
                f'fill="{hexadecimal(PAGE[0])}" stroke="gray" stroke-opacity="0.4"/>',
                f'<g class="whyword-ink" fill="{hexadecimal(INK[0])}">',
                *self.parts,
                "</g>",
                "</svg>\n",
            ]
        )

    def _paint(self, strength: float, x: float, length: float, size: int) -> None:
        top, bottom = self.y - size, self.y + 0.32 * size
        self.parts.append(
            f'<rect x="{x - 1:.1f}" y="{top:.1f}" width="{length + 2:.1f}" height="{bottom - top:.1f}" rx="2" '
            f'fill="{hexadecimal(hue(strength))}" fill-opacity="{opacity(strength):g}"/>'
        )
        if thickness := underline(strength):
            dashes = ' stroke-dasharray="4 3"' if strength < 0 else ""  # tells the direction without color
            self.parts.append(
                f'<path class="whyword-line" d="M{x - 1:.1f} {bottom:.1f}h{length + 2:.1f}" '
                f'stroke="{hexadecimal(INK[0])}" stroke-width="{thickness}"{dashes}/>'
            )

    def _put(
        self,
        text: str,
        left: float,
        length: float,
        size: int,
        title: str = "",
        bold: bool = False,
        mirrored: bool = False,
    ) -> None:
        attributes = [f'x="{left + length if mirrored else left:.1f}" y="{self.y}" font-size="{size}"']
        if bold:
            attributes.append('font-weight="bold"')
        elif length:
            attributes.append(f'textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs"')
        if mirrored:
            attributes.append('direction="rtl"')
        if "  " in text:
            attributes.append('xml:space="preserve"')
        tooltip = f"<title>{title}</title>" if title else ""
        self.parts.append(f"<text {' '.join(attributes)}>{tooltip}{_escaped(text)}</text>")


def _escaped(text: str) -> str:
    return escape(showable(text))
