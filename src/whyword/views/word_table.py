"""A word × label table as a fragment of HTML: a row per word, a column per label, each cell painted by its score."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .characters import showable
from .highlight import hue

_CELL = "padding:.1em .5em;text-align:right;background-color:rgba({},{},{},{:.2f})"


def render(words: Sequence[str], labels: Sequence[str], scores: Sequence[Sequence[float]]) -> str:
    """Write the table; scores are (word, label), painted as shares of the largest: blue speaks for, orange against."""
    largest = max((abs(score) for row in scores for score in row), default=0.0) or 1.0
    head = "".join(f'<th scope="col" style="padding:.1em .5em">{_shown(label)}</th>' for label in labels)
    lines = [
        '<div style="overflow-x:auto"><table class="whyword-table" style="border-collapse:collapse">',
        f"<thead><tr><th></th>{head}</tr></thead>",
    ]
    for word, row in zip(words, scores, strict=True):
        cells = "".join(
            f'<td style="{_CELL.format(*hue(score), abs(score) / largest * 0.8)}">{score:+.3f}</td>' for score in row
        )
        lines.append(f'<tr><th scope="row" style="text-align:left">{_shown(word)}</th>{cells}</tr>')
    return "\n".join([*lines, "</table></div>"])


def _shown(text: str) -> str:
    return f"<bdi>{escape(showable(text))}</bdi>"
