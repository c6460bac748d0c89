"""Whether a top word opposes the answer: without it the explained class becomes likelier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation.top_words import TopWordsMetric, probability_drops
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation
from ..maths.stats.ties import ROUNDED_PROBABILITY


@dataclass(frozen=True)
class Direction(TopWordsMetric):
    """1[p(ŷ|x without w) > p(ŷ|x) for a word w among the top k], each word removed alone; rounding is no rise.

    Only the order of the scores counts, so that weights without a sign are judged by their top word too.
    """

    meaning = "share of texts in which one of the top k words opposes the answer: without it the class is likelier"
    is_share = True
    higher_is_better = False
    k: int = 1
    longest: int = 3
    name: str = "direction"

    def subsets(self, explanation: Explanation) -> np.ndarray:
        """Ask about the whole text, and about it without each of its top words."""
        words = len(explanation.scores)
        top = explanation.ranking[: max(self.points)]
        return np.concatenate([np.ones((1, words), dtype=bool), ~np.eye(words, dtype=bool)[top]])

    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give 0 or 1 at each k; 0 for a text of no words."""
        drops = probability_drops(explanation, answers, classes)
        opposes = np.zeros(len(self.points), dtype=bool)
        opposes[: len(drops)] = drops < -ROUNDED_PROBABILITY
        any_opposes: np.ndarray = np.logical_or.accumulate(opposes)
        return any_opposes.astype(np.float64)
