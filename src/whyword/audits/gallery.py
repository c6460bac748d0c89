"""Texts worth looking at, right and wrong, sure and unsure; and how their words are painted on the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite, nan
from statistics import median

import numpy as np
from markupsafe import Markup

from ..inference.windows import part
from ..interfaces.document import Document, Span
from ..interfaces.explanation import Explanation
from ..maths.stats.ties import ranking
from ..views.highlight import Highlight
from ..views.html import isolated, painted, readable
from .data import Cut, GalleryItem

EACH = 3  # texts of each kind
LONGEST = 300  # words shown of a text
MOST_LETTERS = 2_400  # shown of a text
MOST_PAINTED = 60  # the strongest words of a text; the others stay plain
FAINTEST = 0.1
LONGEST_NAME = 60  # letters of a class
MOST_MEANINGS = 30  # in the legend
WEAK = 0.001  # a change of the probability that nobody would notice


def gallery(explanations: Mapping[str, Sequence[Explanation]], each: int = EACH) -> tuple[GalleryItem, ...]:
    """Put the explanations of chosen texts side by side."""
    first = next(iter(explanations.values()))
    return tuple(
        _item(why, {name: explained[number] for name, explained in explanations.items()})
        for why, number in choose(first, each)
    )


def choose(explanations: Sequence[Explanation], each: int = EACH) -> list[tuple[str, int]]:
    """Choose texts that have words, each of them once, with the reason for choosing it."""
    groups: dict[str, list[int]] = {"right and ": [], "wrong and ": [], "": []}
    for number, explanation in enumerate(explanations):
        gold = explanation.document.label
        predicted = explanation.classes[explanation.predicted]
        if len(explanation.scores):
            groups["" if gold is None else "right and " if gold == predicted else "wrong and "].append(number)
    if groups["right and "] or groups["wrong and "]:
        groups.pop("")  # a few texts without a label are no kind of their own
    chosen = []
    for why, numbers in groups.items():
        sureness = np.array([float(explanations[number].probabilities.max()) for number in numbers])
        order = [numbers[place] for place in ranking(sureness)]
        chosen += [(why + "sure", number) for number in order[:each]]
        chosen += [(why + "unsure", number) for number in reversed(order[each:][-each:])]
    return chosen


def _item(why: str, explanations: Mapping[str, Explanation]) -> GalleryItem:
    first = next(iter(explanations.values()))
    predicted = first.predicted
    words, long = len(first.scores), None
    if words > LONGEST:
        shown = strongest_part(list(explanations.values()))
        explanations = {name: cut(explanation, shown) for name, explanation in explanations.items()}
        long = Cut(len(shown), words)
    gold, label = first.document.label, first.classes[predicted]
    return GalleryItem(why, gold, label, float(first.probabilities[predicted]), explanations, long)


def strongest_part(explanations: Sequence[Explanation], longest: int = LONGEST) -> np.ndarray:
    """Find the stretch of words that holds most of the scores, all explainers weighing the same."""
    strength = np.zeros(len(explanations[0].scores))
    for explanation in explanations:
        size = np.abs(explanation.scores)
        strength += size / max(float(size.sum()), np.finfo(float).tiny)
    before = np.concatenate([[0.0], strength.cumsum()])
    start = int((before[longest:] - before[:-longest]).argmax())
    return np.arange(start, min(start + longest, len(strength)))


def cut(explanation: Explanation, shown: np.ndarray) -> Explanation:
    """Keep a stretch of the words, with the text they stand in."""
    document = explanation.document
    words = len(explanation.scores)
    return replace(
        explanation,
        document=Document(part(document.words, shown), document.label),
        scores=explanation.scores[shown],
        all_scores=None if explanation.all_scores is None else explanation.all_scores[:, shown],
        std_error=None if explanation.std_error is None else explanation.std_error[shown],
        tied=None if explanation.tied is None else explanation.tied[shown],
        grouped=None if explanation.grouped is None else explanation.grouped[shown],
        forbidden_words=None if explanation.forbidden_words is None else explanation.forbidden_words[shown],
        truncated_words=int((shown >= words - explanation.truncated_words).sum()),
        base_value=None,  # a part does not add up
        base_values=None,
        interactions=(),
    )


def paint(explanation: Explanation) -> Markup:
    """Paint the words of an explanation in the colors of the classes they speak for, and name the strongest ones."""
    highlight = _loudest(_bounded(explanation))
    lines = []
    for heading, passages in zip(highlight.headings, highlight.passages(FAINTEST), strict=True):
        body = "".join(
            readable(string) if score is None else painted(readable(string), paint, highlight.told(score, paint))
            for string, score, paint in passages
        )
        lines += [f'<p class="small soft">{heading}</p>'] * bool(heading)
        lines.append(f'<p class="text" dir="auto">{body}</p>')
    words = ", ".join(
        f"{isolated(word)} {isolated(highlight.told(score, paint))}" for word, score, paint in highlight.strongest()
    )
    lines += [f'<p class="small soft">{words}</p>'] * bool(words)
    lines += [f'<p class="small soft">{isolated(note)}</p>' for note in (*highlight.notes, *_too_weak(highlight))]
    return Markup("\n".join(lines))


def legend(explanations: Iterable[Explanation]) -> list[Markup]:
    """Say what the colors mean: a class each, and weights last; lines differ from text to text."""
    paints = {meaning: paint for explanation in explanations for meaning, paint in _bounded(explanation).legend}
    order = sorted(paints.items(), key=lambda item: (not item[1].speaks, item[0]))[:MOST_MEANINGS]
    return [
        Markup(painted(isolated(meaning), replace(paint, line="solid" if paint.speaks else paint.line)))
        for meaning, paint in order
    ]


def _too_weak(highlight: Highlight) -> list[str]:
    """Warn where paint, which is relative to the strongest word, makes much of nothing."""
    largest = max((abs(score) for score in highlight.scores if isfinite(score)), default=0.0)
    weak = highlight.signed and 0 < largest < WEAK
    return [f"Every score is below {WEAK:g}: by itself hardly any word matters."] if weak else []


def _bounded(explanation: Explanation) -> Highlight:
    """Build what is painted from no more letters and words than the page can bear."""
    words = explanation.document.words
    spans: list[list[Span]] = [[] for _ in words.texts]
    scores: list[float] = []
    speaks_for: list[int | None] = []
    forbidden: list[int] = []
    unread = [False] * len(words) if explanation.forbidden_words is None else explanation.forbidden_words.tolist()
    of_words = (words.segments, explanation.scores.tolist(), explanation.speaks_for, unread)
    for span, segment, score, number, is_forbidden in list(zip(explanation.spans, *of_words, strict=True))[:LONGEST]:
        if span[1] <= MOST_LETTERS:
            forbidden += [len(scores)] * is_forbidden
            spans[segment].append(span)
            scores.append(score if isfinite(score) else nan)
            speaks_for.append(number)
    return Highlight(
        texts=tuple(text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS] + " …" for text in words.texts),
        spans=tuple(map(tuple, spans)),
        scores=tuple(scores),
        signed=explanation.signed,
        label=str(explanation.label)[:LONGEST_NAME],
        probability=explanation.probability,
        explainer=explanation.explainer,
        truncated_words=explanation.truncated_words,
        windows=explanation.windows,
        tied=0 if explanation.tied is None else int(explanation.tied.sum()),
        grouped=0 if explanation.grouped is None else int(explanation.grouped.sum()),
        classes=tuple(str(label)[:LONGEST_NAME] for label in explanation.classes),
        target=explanation.target,
        speaks_for=tuple(speaks_for),
        given=None if explanation.labels is None else explanation.target in explanation.labels,
        error=explanation.error,
        forbidden=tuple(forbidden),
    )


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
