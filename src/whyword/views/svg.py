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
from typing import NamedTuple

from .characters import cut, leftward, showable, width, wrap
from .highlight import Color, Highlight, Paint, Pair, Piece, hexadecimal

INK: tuple[Color, Color] = ((31, 35, 40), (230, 237, 243))  # in light, in dark
PAGE: tuple[Color, Color] = ((255, 255, 255), (13, 17, 23))
MOST_LINES = 40  # of each text
_MARGIN = 22
_LARGE, _SMALL = 17, 13  # font sizes
_TINY = 10
_LINE, _SMALL_LINE, _GAP = 30, 24, 8
_BRACKET = 3  # height of a bracket, and distance of one over another
_DASHES = {"solid": "", "dashed": ' stroke-dasharray="4 3"', "dotted": ' stroke-dasharray="1 3"'}
_DARK_PAGE, _DARK_INK = hexadecimal(PAGE[1]), hexadecimal(INK[1])
_DARK = (
    f"@media (prefers-color-scheme: dark) {{ .whyword-page {{ fill: {_DARK_PAGE} }} "
    f".whyword-ink {{ fill: {_DARK_INK} }} .whyword-line {{ stroke: {_DARK_INK} }} }}"
)


def render(highlight: Highlight, width: int) -> str:
    """Draw the class, the text with its words painted and wrapped to the width in pixels, and what the colors mean."""
    sheet = _Sheet(width)
    heading = " against ".join(map(" ".join, highlight.heading)) + f" · {highlight.explainer}"
    sheet.write(heading, _LARGE, bold=True)
    places: dict[int, _Place] = {}
    for title, pieces in zip(highlight.headings, highlight.pieces(), strict=True):
        sheet.y += _GAP
        if title:
            sheet.write(title)
        places |= _draw_text(sheet, highlight, pieces)
    sheet.draw_brackets(highlight.pairs, places)
    sheet.y += _GAP
    sheet.write_legend(highlight.legend)
    for pair in highlight.pairs:
        sheet.write(f"{pair.mark} {pair.sentence}")
    for note in highlight.notes:
        sheet.write(note)
    named = [
        f"{f' {speaks}' if speaks else ''}: " + ", ".join(map(" ".join, words))
        for speaks, words in highlight.strongest_by_class().items()
    ]
    return sheet.finish(heading, f"Strongest words{';'.join(named)}" if named else highlight.notes[0])


class _Place(NamedTuple):
    """Where a word was drawn."""

    left: float
    right: float
    y: float

    @property
    def middle(self) -> float:
        """The middle of the word."""
        return (self.left + self.right) / 2

    def overlaps(self, other: _Place) -> bool:
        """Tell whether a bracket over this would run into one over the other."""
        return self.y == other.y and self.left < other.right and other.left < self.right


def _draw_text(sheet: _Sheet, highlight: Highlight, pieces: list[Piece]) -> dict[int, _Place]:
    """Draw a text; give the places of the words that were drawn, of those cut in two the first part's."""
    pieces = [part for piece in pieces for part in _with_tag(piece)]
    text = "".join(piece.string for piece in pieces)
    lines = list(wrap(text, sheet.inner_width / _LARGE))
    mirrored = leftward(text)
    places: dict[int, _Place] = {}
    for shown in _share_out(pieces, lines[:MOST_LINES]):
        sheet.y += _LINE
        x = 0.0
        for piece in shown:
            title = "" if piece.score is None else f"{highlight.written(piece.score)}, {piece.paint.meaning}"
            length, place = sheet.place(piece, x, title, mirrored)
            x += length
            if piece.word is not None and place is not None:
                places.setdefault(piece.word, place)
    if (left_out := len(lines) - MOST_LINES) > 0:
        sheet.write(f"… {left_out:,} more line{'s' if left_out > 1 else ''}")
    return places


def _with_tag(piece: Piece) -> Iterator[Piece]:
    """Give a piece as it is drawn, and after a word the tag of its class."""
    yield piece._replace(string=_with_plain_line_ends(piece.string))
    if piece.word is not None and piece.paint.tag:
        yield Piece(piece.paint.tag, paint=piece.paint)


def _with_plain_line_ends(text: str) -> str:
    return re.sub("\r\n?", "\n", showable(text)).replace("\t", "    ")


def _share_out(pieces: list[Piece], lines: list[tuple[int, int]]) -> Iterator[list[Piece]]:
    """Give each line its part of the pieces."""
    starts = list(accumulate((len(piece.string) for piece in pieces), initial=0))
    for start, end in lines:
        touched = range(bisect_right(starts, start) - 1, bisect_left(starts, end))
        cuts = [(pieces[i], max(start - starts[i], 0), end - starts[i]) for i in touched]
        yield [piece._replace(string=piece.string[begin:stop]) for piece, begin, stop in cuts]


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

    def write_legend(self, meanings: list[tuple[str, Paint]]) -> None:
        """Write what the colors mean, side by side where they fit."""
        x = float(self.inner_width)
        for meaning, paint in meanings:
            meaning = cut(showable(f"{meaning} {paint.tag}".strip()), self.inner_width / _SMALL)
            length = _SMALL * width(meaning)
            if x + length > self.inner_width:
                x = 0.0
                self.y += _SMALL_LINE
            self._paint(paint, _MARGIN + x, length, _SMALL)
            self._put(meaning, _MARGIN + x, length, _SMALL)
            x += length + _SMALL

    def place(self, piece: Piece, x: float, title: str, mirrored: bool) -> tuple[float, _Place | None]:
        """Put a piece of text at x on the line, counted from the right if mirrored; give its length and its place."""
        text, tag = piece.string, piece.word is None and bool(piece.paint.tag)
        visible = text.strip()
        if not visible:
            return _LARGE * width(text), None
        x += _LARGE * width(text[: len(text) - len(text.lstrip())])
        size = _TINY if tag else _LARGE
        length = size * width(visible)
        left = _MARGIN + (self.inner_width - x - length if mirrored else x)
        if title:
            self._paint(piece.paint, left, length, _LARGE)
        self._put(visible, left, length, size, title, mirrored=mirrored, raised=6 if tag else 0)
        return size * width(text), _Place(left, left + length, self.y)

    def draw_brackets(self, pairs: list[Pair], places: dict[int, _Place]) -> None:
        """Draw a bracket with its mark over two words that act together; on different lines, a piece over each."""
        drawn: list[_Place] = []
        for pair in pairs:
            words = sorted(places[word] for word in (pair.first, pair.second) if word in places)
            whole = len(words) == 2 and words[0].y == words[1].y
            for span in [_Place(words[0].middle, words[1].middle, words[0].y)] if whole else words:
                top = span.y - _LARGE - _BRACKET * sum(span.overlaps(other) for other in drawn)
                drawn.append(span)
                self.parts.append(
                    f'<path d="M{span.left:.1f} {top:.1f}v-{_BRACKET}H{span.right:.1f}v{_BRACKET}" fill="none" '
                    f'stroke="{hexadecimal(pair.paint.color)}" stroke-width="1.6"/>'
                )
                self._put(pair.mark, span.right + 1, 0.0, _TINY, raised=self.y - top)

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

    def _paint(self, paint: Paint, x: float, length: float, size: int) -> None:
        top, bottom = self.y - size, self.y + 0.32 * size
        self.parts.append(
            f'<rect x="{x - 1:.1f}" y="{top:.1f}" width="{length + 2:.1f}" height="{bottom - top:.1f}" rx="2" '
            f'fill="{hexadecimal(paint.color)}" fill-opacity="{paint.opacity:g}"/>'
        )
        if paint.struck:
            self.parts.append(
                f'<path class="whyword-line" d="M{x:.1f} {self.y - 0.3 * size:.1f}h{length:.1f}" '
                f'stroke="{hexadecimal(INK[0])}" stroke-width="1"/>'
            )
        if paint.thickness:
            dashes = _DASHES[paint.line]  # what the color says, for readers who see none
            self.parts.append(
                f'<path class="whyword-line" d="M{x - 1:.1f} {bottom:.1f}h{length + 2:.1f}" '
                f'stroke="{hexadecimal(INK[0])}" stroke-width="{paint.thickness}"{dashes}/>'
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
        raised: float = 0,
    ) -> None:
        y = self.y - raised
        attributes = [f'x="{left + length if mirrored else left:.1f}" y="{y:g}" font-size="{size}"']
        if bold:
            attributes.append('font-weight="bold"')
        elif length:
            attributes.append(f'textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs"')
        if mirrored:
            attributes.append('direction="rtl"')
        if "  " in text:
            attributes.append('xml:space="preserve"')
        tooltip = f"<title>{_escaped(title)}</title>" if title else ""
        self.parts.append(f"<text {' '.join(attributes)}>{tooltip}{_escaped(text)}</text>")


def _escaped(text: str) -> str:
    return escape(showable(text))
