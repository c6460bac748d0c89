"""Texts worth looking at: right and wrong ones, of which the model was most and least sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..inference.windows import part
from ..interfaces.document import Document
from ..interfaces.explanation import Explanation
from ..maths.stats.ties import ranking

EACH = 3  # texts of each kind
LONGEST = 300  # words shown of a text


def gallery(explanations: Mapping[str, Sequence[Explanation]], each: int = EACH) -> list[dict[str, Any]]:
    """Show the explanations of chosen texts side by side, as plain values."""
    first = next(iter(explanations.values()))
    return [
        _item(why, {name: found[number] for name, found in explanations.items()}) for why, number in choose(first, each)
    ]


def choose(explanations: Sequence[Explanation], each: int = EACH) -> list[tuple[str, int]]:
    """Choose texts that have words, each of them once, with the reason for choosing it."""
    groups: dict[str, list[int]] = {"right and ": [], "wrong and ": [], "": []}
    for number, explanation in enumerate(explanations):
        gold = explanation.document.label
        predicted = explanation.classes[int(explanation.probabilities.argmax())]
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


def _item(why: str, explanations: Mapping[str, Explanation]) -> dict[str, Any]:
    first = next(iter(explanations.values()))
    predicted = int(first.probabilities.argmax())
    words = len(first.scores)
    shown = strongest_part(list(explanations.values())) if words > LONGEST else None
    item = {
        "why": why,
        "gold": first.document.label,
        "predicted": first.classes[predicted],
        "probability": float(first.probabilities[predicted]),
        "explanations": {
            name: (e if shown is None else cut(e, shown)).to_dict() | {"signed": e.signed}
            for name, e in explanations.items()
        },
    }
    return item if shown is None else item | {"cut": {"words_shown": len(shown), "words": words}}


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
        std_error=None if explanation.std_error is None else explanation.std_error[shown],
        tied=None if explanation.tied is None else explanation.tied[shown],
        truncated_words=int((shown >= words - explanation.truncated_words).sum()),
    )
