"""Fall of the explained class's probability without the top k words: VMASK's AOPC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation.top_words import TopWordsMetric, probability_drops, whole_and_without_top
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation


@dataclass(frozen=True)
class ProbabilityDrop(TopWordsMetric):
    """p(ŷ|x) - p(ŷ|x without its top k words); ŷ stays the class that is explained (Chen & Ji 2020)."""

    meaning = "how far the probability of the explained class falls when the top k words are removed"
    name: str = "probability-drop"

    def subsets(self, explanation: Explanation) -> np.ndarray:
        """Ask about the whole text, and about it without its top words."""
        return whole_and_without_top(explanation, self.points)

    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give the fall at each k, from -1 to 1."""
        return probability_drops(explanation, answers, classes)
