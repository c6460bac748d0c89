"""The page of a comparison of two models: the old view of each text beside the new one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..report.template import fill
from ..views.characters import showable
from ..views.highlight import NEGLIGIBLE, Highlight, hue, opacity, underline

if TYPE_CHECKING:
    from .difference import ModelDifference, TextDifference

ON_PAGE = 100  # texts
MOVED = 5  # words listed under a text
SHOWN_WORDS = 20
SCALE = "scores are shares of a text's score: divided by the sum of their absolute values"
_BIDI_CONTROL = re.compile("[\u202a-\u202e\u2066-\u2069]")  # a stranger's text must not reorder the page


@dataclass(frozen=True)
class Piece:
    """A piece of a text: a word with a style, or plain text."""

    text: str
    style: str = ""
    title: str = ""
    mark: str = ""  # "left" or "entered", for a word that is at the top of one model only


def render(difference: ModelDifference, min_count: int) -> str:
    """Show the numbers, the words that moved most, and the most changed texts."""
    values = {
        "difference": difference,
        "words": difference.most_moved(SHOWN_WORDS, min_count),
        "changes": [_change(text, difference) for text in difference.most_changed(ON_PAGE)],
        "min_count": min_count,
        "scale": SCALE,
    }
    return fill("whyword.diffs", "difference.html", values)


def _change(text: TextDifference, difference: ModelDifference) -> dict[str, object]:
    old = _passages(text, text.old_scores, text.old_top & ~text.new_top, "left", difference.signed)
    new = _passages(text, text.new_scores, text.new_top & ~text.old_top, "entered", difference.signed)
    return {
        "text": text,
        "sides": [("Old", difference.old, old), ("New", difference.new, new)],
        "moved": text.moved(MOVED),
    }


def _passages(
    text: TextDifference, scores: np.ndarray, only_here: np.ndarray, mark: str, signed: bool
) -> list[list[Piece]]:
    """Cut each text into pieces; words that neither stand out nor moved stay in one piece."""
    words = text.document.words
    highlight = Highlight(words.texts, words.spans, tuple(scores.tolist()), signed, "", 0.0, "")
    marks = iter([mark if here else "" for here in only_here])
    passages = []
    for runs in highlight.runs():
        pieces = []
        for string, score, strength in runs:
            word_mark = "" if score is None else next(marks)
            if score is None or abs(strength) < NEGLIGIBLE:
                pieces.append(Piece(_safe(string)))
            else:
                pieces.append(Piece(_safe(string), _style(strength), highlight.written(score), word_mark))
        passages.append(_joined(pieces))
    return passages


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Join plain pieces that stand side by side."""
    joined: list[Piece] = []
    for piece in pieces:
        if joined and not joined[-1].style and not piece.style:
            joined[-1] = Piece(joined[-1].text + piece.text)
        else:
            joined.append(piece)
    return joined


def _safe(string: str) -> str:
    return _BIDI_CONTROL.sub("", showable(string))


def _style(strength: float) -> str:
    style = "background-color:rgba({},{},{},{:g})".format(*hue(strength), opacity(strength))
    if thickness := underline(strength):  # for readers who see no color
        style += f";border-bottom:{thickness}px {'dashed' if strength < 0 else 'solid'}"
    return style
