"""The page of a comparison of two models: the old view of each text beside the new one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..maths.stats.ties import ranking
from ..report.template import fill
from ..views.characters import showable
from ..views.colors import hue, opacity, underline
from ..views.highlight import NEGLIGIBLE, Highlight

MOVED = 5  # words listed under a text
_BIDI_CONTROL = re.compile("[\u202a-\u202e\u2066-\u2069]")  # a stranger's text must not reorder the page


def render(facts: Mapping[str, Any]) -> str:
    """Fill the page from the plain values of a ModelDifference."""
    changes = [
        {
            **change,
            "sides": [
                {"which": side.title(), "name": facts[side], "passages": list(_passages(change, side, facts["signed"]))}
                for side in ("old", "new")
            ],
            "moved": _moved(change),
        }
        for change in facts["changes"]
    ]
    return fill("difference.html", {**facts, "changes": changes})


def _passages(change: Mapping[str, Any], side: str, signed: bool) -> Iterator[list[dict[str, Any]]]:
    """Cut each text into pieces with a style and a mark; words that neither stand out nor moved stay in one piece."""
    texts = tuple(change[name] for name in ("text", "text_pair") if name in change)
    spans = tuple(
        tuple(
            (start, end) for (start, end), where in zip(change["spans"], change["segments"], strict=True) if where == n
        )
        for n in range(len(texts))
    )
    highlight = Highlight(texts, spans, tuple(change[f"{side}_scores"]), signed, "", 0.0, "")
    other = "new" if side == "old" else "old"
    only_here = iter(
        [here and not there for here, there in zip(change[f"{side}_top"], change[f"{other}_top"], strict=True)]
    )
    for runs in highlight.runs():
        pieces: list[dict[str, Any]] = []
        for string, score, strength in runs:
            stands_out = score is not None and abs(strength) >= NEGLIGIBLE
            marked = score is not None and next(only_here) and stands_out
            text = _BIDI_CONTROL.sub("", showable(string))
            if stands_out and score is not None:
                mark = ("left" if side == "old" else "entered") if marked else ""
                pieces.append(
                    {"text": text, "style": _style(strength), "title": highlight.written(score), "mark": mark}
                )
            elif pieces and not pieces[-1]["style"]:
                pieces[-1]["text"] += text
            else:
                pieces.append({"text": text, "style": ""})
        yield pieces


def _style(strength: float) -> str:
    style = "background-color:rgba({},{},{},{:g})".format(*hue(strength), opacity(strength))
    if thickness := underline(strength):  # for readers who see no color
        style += f";border-bottom:{thickness}px {'dashed' if strength < 0 else 'solid'}"
    return style


def _moved(change: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows = [
        {"word": word, "old": old, "new": new}
        for word, old, new in zip(change["words"], change["old_scores"], change["new_scores"], strict=True)
        if old != new
    ]
    order = ranking(np.array([abs(row["new"] - row["old"]) for row in rows]))
    return [rows[place] for place in order[:MOVED]]
