"""Fall of the accuracy without the top k words, against gold labels: VAT's AOPC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation.top_words import TopWordsMetric, gold_class, whole_and_without_top
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation
from ..maths.stats.ordered import decided


@dataclass(frozen=True)
class AccuracyDrop(TopWordsMetric):
    """1[g(x) = y] - 1[g(x without its top k words) = y]; VAT asks a separate, plainly trained judge g (Zhou et al.)."""

    meaning = "how far the judge's accuracy falls when the top k words are removed"
    needs_labels = True
    name: str = "accuracy-drop"

    def subsets(self, explanation: Explanation) -> np.ndarray:
        """Ask about the whole text, and about it without its top words."""
        return whole_and_without_top(explanation, self.points)

    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give -1, 0 or 1 at each k; NaN without a label."""
        gold = gold_class(explanation, classes)
        if gold is None:
            return np.full(len(self.points), np.nan)
        right = (decided(answers, explanation.values is not None) == gold).astype(np.float64)
        drops: np.ndarray = right[0] - right[1:]
        return drops
