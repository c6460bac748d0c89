"""Texts of the gallery with their words painted, from plain facts, each bounded in size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite, nan
from statistics import median
from typing import Any

from markupsafe import Markup

from ..views.highlight import Highlight
from ..views.html import isolated, painted, readable

MOST_LETTERS = 2_400
MOST_WORDS = 300
MOST_PAINTED = 60  # the strongest words of a text; the others stay plain
FAINTEST = 0.1
WEAK = 0.001  # a change of the probability that nobody would notice


def highlighted(explanation: Mapping[str, Any]) -> Markup:
    """Paint the words of an explanation, as Explanation.to_dict gives it, and name the strongest ones."""
    highlight = _loudest(_highlight(explanation))
    lines = []
    for heading, passages in zip(highlight.headings, highlight.passages(FAINTEST), strict=True):
        body = "".join(
            readable(string) if score is None else painted(readable(string), strength, highlight.written(score))
            for string, score, strength in passages
        )
        lines += [f'<p class="small soft">{heading}</p>'] * bool(heading)
        lines.append(f'<p class="text" dir="auto">{body}</p>')
    words = ", ".join(f"{isolated(word)} {highlight.written(score)}" for word, score, _ in highlight.strongest())
    lines += [f'<p class="small soft">{words}</p>'] * bool(words)
    lines += [f'<p class="small soft">{note}</p>' for note in (*highlight.notes, *_too_weak(highlight))]
    return Markup("\n".join(lines))


def legend(label: str, signed: bool) -> Markup:
    """Say what the paint means."""
    meanings = Highlight((), (), (), signed, label, 0.0, "").legend
    return Markup(" ").join(Markup(painted(isolated(meaning), strength)) for meaning, strength in meanings)


def _too_weak(highlight: Highlight) -> list[str]:
    """Warn where paint, which is relative to the strongest word, makes much of nothing."""
    largest = max((abs(score) for score in highlight.scores if isfinite(score)), default=0.0)
    weak = highlight.signed and 0 < largest < WEAK
    return [f"Every score is below {WEAK:g}: by itself hardly any word matters."] if weak else []


def _highlight(explanation: Mapping[str, Any]) -> Highlight:
    """Build what the views paint from; no text is longer than the page can bear."""
    texts = [explanation.get("text") or ""]
    if explanation.get("text_pair") is not None:
        texts.append(explanation["text_pair"])
    spans, scores = explanation.get("spans") or [], explanation.get("scores") or []
    segments = explanation.get("segments") or [0] * len(spans)
    places: list[list[tuple[int, int]]] = [[] for _ in texts]
    kept: list[list[float]] = [[] for _ in texts]
    for (start, end), score, segment in list(zip(spans, scores, segments, strict=False))[:MOST_WORDS]:
        if end <= min(len(texts[segment]), MOST_LETTERS):
            places[segment].append((start, end))
            kept[segment].append(nan if score is None else score)
    tied = explanation.get("tied")
    return Highlight(
        texts=tuple(_cut(text) for text in texts),
        spans=tuple(map(tuple, places)),
        scores=tuple(score for scores in kept for score in scores),
        signed=bool(explanation.get("signed", True)),
        label=str(explanation.get("label")),
        probability=explanation.get("probability") or 0.0,
        explainer=str(explanation.get("explainer")),
        truncated_words=explanation.get("truncated_words") or 0,
        windows=explanation.get("windows") or 1,
        tied=sum(map(bool, tied)) if tied else 0,
    )


def _cut(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS] + " …"


def _loudest(highlight: Highlight) -> Highlight:
    """Leave only the strongest words a score that stands out."""
    strengths = highlight.strengths
    order = sorted(range(len(strengths)), key=lambda position: -abs(strengths[position]))
    quiet = {position for position in order[MOST_PAINTED:] if strengths[position]}
    if not quiet:
        return highlight
    middle = 0.0 if highlight.signed else median(score for score in highlight.scores if isfinite(score))
    scores = (middle if position in quiet else score for position, score in enumerate(highlight.scores))
    return replace(highlight, scores=tuple(scores))
