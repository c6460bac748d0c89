"""How far two explainers agree on the same texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explanation
from ..interfaces.metric import Score
from ..maths.stats.correlation import kendall_tau_b, overlap
from ..maths.stats.intervals import mean_interval
from .top_words import top_words


def rank_agreement(one: Sequence[Explanation], other: Sequence[Explanation]) -> Score:
    """Kendall's tau-b of the scores in each text; NaN where all words of a text have the same score."""
    values = [
        kendall_tau_b(first.scores, second.scores, (first.resolution, second.resolution))
        for first, second in _pairs(one, other)
    ]
    meaning = "Kendall's tau-b of two explainers' scores: 1 is the same order of words, 0 no relation, -1 the reverse"
    return _score("rank-agreement", one, other, values, meaning)


def top_agreement(one: Sequence[Explanation], other: Sequence[Explanation], k: int = 5) -> Score:
    """Share of the top k words that two explainers have in common; NaN for texts of k words or fewer."""
    values = [
        overlap(*(top_words(explanation, [k])[0] for explanation in pair)) if len(pair[0].scores) > k else np.nan
        for pair in _pairs(one, other)
    ]
    return _score("top-agreement", one, other, values, f"share of the top {k} words that two explainers have in common")


def _pairs(one: Sequence[Explanation], other: Sequence[Explanation]) -> list[tuple[Explanation, Explanation]]:
    if [e.document.words for e in one] != [e.document.words for e in other]:
        raise OptionError("Two explainers can only agree on the same texts: explain the same list with both.")
    return list(zip(one, other, strict=True))


def _score(
    name: str, one: Sequence[Explanation], other: Sequence[Explanation], values: Sequence[float], meaning: str
) -> Score:
    per_text = np.array(values, dtype=np.float64)
    explainers = " ~ ".join(explanations[0].explainer for explanations in (one, other) if explanations)
    return Score(name, explainers, per_text, mean_interval(per_text), higher_is_better=True, meaning=meaning)
