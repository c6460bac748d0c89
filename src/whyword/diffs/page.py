"""The page of a comparison of two models: the old view of each text beside the new one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..interfaces.document import Label
from ..report.template import fill
from ..views.characters import showable
from ..views.highlight import Highlight, Paint, class_color

if TYPE_CHECKING:
    from .deciding import WordDecision
    from .difference import ModelDifference, TextDifference

ON_PAGE = 100  # texts
MOVED = 5  # words listed under a text
MOVED_TEXTS = 5  # towards people, and as many away from them
SHOWN_WORDS = 20
CHIP = 0.5  # strength of the paint behind the name of a class
SCALE = "scores are shares of a text's score: divided by the sum of their absolute values"
_BIDI_CONTROL = re.compile("[\u202a-\u202e\u2066-\u2069]")  # a stranger's text must not reorder the page


@dataclass(frozen=True)
class Piece:
    """A piece of a text: a word with a style, or plain text."""

    text: str
    style: str = ""
    title: str = ""
    mark: str = ""  # "left" or "entered", for a word that is at the top of one model only
    tag: str = ""  # first letters of the class that the word speaks for, where there are more than two


def render(difference: ModelDifference, min_count: int) -> str:
    """Show the numbers, the words that moved most and those that turned, and the most changed texts."""
    classes, changes = difference.classes, difference.most_changed(ON_PAGE)
    moved = [*difference.moved_closer(MOVED_TEXTS), *difference.moved_away(MOVED_TEXTS)]
    values = {
        "difference": difference,
        "words": difference.most_moved(SHOWN_WORDS, min_count),
        "turned": difference.turned(min_count)[:SHOWN_WORDS],
        "changes": [_change(text, difference) for text in changes],
        "decided": _decided(difference, min_count),
        "moves": [
            (heading, [_change(text, difference) for text in texts])
            for heading, texts in (
                ("Moved furthest towards people", difference.moved_closer(MOVED_TEXTS)),
                ("Moved furthest away", difference.moved_away(MOVED_TEXTS)),
            )
            if texts
        ],
        "min_count": min_count,
        "scale": SCALE,
        "legend": _legend([view for text in [*changes, *moved] for view in _views(text, difference)]),
        "chips": {label: _style(Paint(CHIP, class_color(number))) for number, label in enumerate(classes)},
    }
    return fill("whyword.diffs", "difference.html", values)


def _decided(difference: ModelDifference, min_count: int) -> list[tuple[str, list[WordDecision]]]:
    """Give the words that stopped deciding and those that took over, and the forbidden ones, each with a heading."""
    lists = [
        ("Words that stopped deciding", difference.stopped(min_count)),
        ("Words that decide now", difference.started(min_count)),
        ("Forbidden words", difference.forbidden()),
    ]
    return [(heading, rows[:SHOWN_WORDS]) for heading, rows in lists if rows]


def _views(text: TextDifference, difference: ModelDifference) -> tuple[Highlight, Highlight]:
    """Give what is painted: the text as the old and as the new model sees it."""
    old = _view(text, text.old_scores, text.old_classes, difference)
    return old, _view(text, text.new_scores, text.new_classes, difference)


def _view(
    text: TextDifference, scores: np.ndarray, speaks: Sequence[Label | None], difference: ModelDifference
) -> Highlight:
    words, classes = text.document.words, difference.classes
    return Highlight(
        texts=words.texts,
        spans=words.spans,
        scores=tuple(scores.tolist()),
        signed=difference.signed,
        label=str(text.old_label),
        probability=text.old_probability,
        explainer=difference.explainer,
        classes=tuple(map(str, classes)),
        target=classes.index(text.old_label),
        speaks_for=tuple(None if label is None else classes.index(label) for label in speaks),
    )


def _legend(views: Sequence[Highlight]) -> list[Piece]:
    """Give what the colors mean, each painted, but without the lines that tell the old class from others."""
    paints = {meaning: paint for view in views for meaning, paint in view.legend}
    return [
        Piece(
            _safe(meaning),
            _style(replace(paint, strength=CHIP, line="solid" if paint.speaks else paint.line)),
            tag=paint.tag,
        )
        for meaning, paint in sorted(paints.items())
    ]


def _change(text: TextDifference, difference: ModelDifference) -> dict[str, object]:
    old, new = _views(text, difference)
    left, entered = text.old_top & ~text.new_top, text.new_top & ~text.old_top
    return {
        "text": text,
        "sides": [
            ("Old", difference.old, _passages(old, left, "left")),
            ("New", difference.new, _passages(new, entered, "entered")),
        ],
        "moved": text.moved(MOVED),
    }


def _passages(view: Highlight, only_here: np.ndarray, mark: str) -> list[list[Piece]]:
    """Cut each text into pieces; words that do not stand out stay in one piece with the text around them."""
    passages = []
    for pieces in view.pieces():
        shown = []
        for string, score, paint, word in pieces:
            if score is None or word is None:
                shown.append(Piece(_safe(string)))
                continue
            title = f"{view.written(score)}, {_safe(paint.meaning)}"
            shown.append(Piece(_safe(string), _style(paint), title, mark if only_here[word] else "", paint.tag))
        passages.append(shown)
    return passages


def _safe(string: str) -> str:
    return _BIDI_CONTROL.sub("", showable(string))


def _style(paint: Paint) -> str:
    style = "background-color:rgba({},{},{},{:g})".format(*paint.color, paint.opacity)
    if paint.thickness:  # for readers who see no color
        style += f";border-bottom:{paint.thickness}px {paint.line}"
    return style
