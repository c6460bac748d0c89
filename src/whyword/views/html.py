"""An explanation as a fragment of HTML: no script, no network, no style sheet, safe for any text.

Text and background colors are those of the page around it, so it is light on a light page and dark on a dark one,
whether the page follows the system (color-scheme, prefers-color-scheme) or a notebook's own theme. Styles are inline
because notebooks and mail programs drop style sheets from strangers.
"""

from __future__ import annotations

import re
from html import escape

from .characters import showable
from .highlight import UNREAD, Highlight, Paint, Pair, Piece

_BIDI_CONTROL = re.compile("[\u202a-\u202e\u2066-\u2069]")
_NEAR = 9  # pieces from one word to the other: up to about four words between them
_SMALL = 'style="margin:.4em 0;font-size:.85em"'


def render(highlight: Highlight) -> str:
    """Write the class, the text with its words painted, the strongest words, and what the colors mean."""
    heading = " against ".join(f"<strong>{isolated(label)}</strong> {share}" for label, share in highlight.heading)
    lines = [
        '<div class="whyword" style="line-height:1.8;overflow-wrap:anywhere">',
        f'<p style="margin:.4em 0">{heading} · {isolated(highlight.explainer)}</p>',
    ]
    for title, pieces in zip(highlight.headings, highlight.pieces(), strict=True):
        if title:
            lines.append(f"<p {_SMALL}>{title}</p>")
        body = _body(highlight, pieces)
        lines.append(f'<p class="whyword-text" dir="auto" style="margin:.4em 0;white-space:pre-wrap">{body}</p>')
    if groups := highlight.strongest_by_class():
        named = [
            f"{f' {isolated(speaks)}' if speaks else ''}: "
            + ", ".join(f"{isolated(word)} {score}" for word, score in words)
            for speaks, words in groups.items()
        ]
        lines.append(f"<p {_SMALL}>Strongest words{';'.join(named)}</p>")
    lines += [f"<p {_SMALL}>{pair.mark} {isolated(pair.sentence)}</p>" for pair in highlight.pairs]
    legend = " · ".join(painted(isolated(meaning), paint) for meaning, paint in highlight.legend)
    lines.append(f"<p {_SMALL}>{legend}</p>")
    lines += [f"<p {_SMALL}>{escape(showable(note))}</p>" for note in highlight.notes]
    return "\n".join([*lines, "</div>"])


def _body(highlight: Highlight, pieces: list[Piece]) -> str:
    """Paint the words of a text; two that act together stand under one bracket, or bear the same mark if far apart."""
    place = {piece.word: number for number, piece in enumerate(pieces) if piece.word is not None}
    shown = [
        readable(piece.string)
        if piece.score is None
        else painted(readable(piece.string), piece.paint, f"{highlight.written(piece.score)}, {piece.paint.meaning}")
        for piece in pieces
    ]
    covered: set[int] = set()  # pieces that stand under a bracket already
    for pair in highlight.pairs:
        ends = [place[word] for word in (pair.first, pair.second) if word in place]
        stretch = range(ends[0], ends[1] + 1) if len(ends) == 2 else range(0)
        if 0 < len(stretch) <= _NEAR and covered.isdisjoint(stretch):
            covered.update(stretch)
            shown[ends[0]] = _bracket(pair) + shown[ends[0]]
            shown[ends[1]] += f"{_mark(pair.mark)}</span>"
        else:
            for position in ends:
                shown[position] += _mark(pair.mark)
    return "".join(shown)


def _bracket(pair: Pair) -> str:
    line = "2px solid rgb({},{},{})".format(*pair.paint.color)
    style = f"border:{line};border-bottom:0;border-radius:.3em .3em 0 0;padding:.2em .1em 0"
    return f'<span style="{style}" title="{escape(showable(pair.sentence))}">'


def _mark(mark: str) -> str:
    return f'<sup style="font-size:.65em;user-select:none">{mark}</sup>'


def painted(content: str, paint: Paint, title: str = "") -> str:
    """Paint what is safe to show already; the title need not be."""
    if paint.struck:
        return f'<s title="{UNREAD}">{content}</s>'
    style = "background-color:rgba({},{},{},{:g})".format(*paint.color, paint.opacity)
    if paint.thickness:
        style += f";border-bottom:{paint.thickness}px {paint.line}"  # for readers who see no color
    tag = _mark(paint.tag) if paint.tag else ""
    return (
        f'<span style="{style}"' + (f' title="{escape(showable(title))}"' if title else "") + f">{content}{tag}</span>"
    )


def readable(text: str) -> str:
    """Escape a text, and box in every word that holds a bidirectional control, so that it reorders only itself."""
    text = escape(showable(text))
    if not _BIDI_CONTROL.search(text):
        return text
    return "".join(
        f"<bdi>{piece}</bdi>" if _BIDI_CONTROL.search(piece) else piece for piece in re.split(r"(\s+)", text)
    )


def isolated(text: str) -> str:
    """Escape a text and box it in, so that its direction of writing stays its own."""
    return f"<bdi>{escape(showable(text))}</bdi>"
