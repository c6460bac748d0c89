"""Fall of the explained class's probability without the top shares of the text: ERASER."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation.top_words import TopSharesMetric, probability_drops, whole_and_without_top
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation


@dataclass(frozen=True)
class Comprehensiveness(TopSharesMetric):
    """p(ŷ|x) - p(ŷ|x without its top words), the mean over shares of the text (DeYoung et al. 2020)."""

    meaning = "mean fall of the probability of the explained class when the top shares of the words are removed"
    name: str = "comprehensiveness"

    def subsets(self, explanation: Explanation) -> np.ndarray:
        """Ask about the whole text, and about it without its top words."""
        return whole_and_without_top(explanation, self.counts(explanation))

    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give the fall at each share, from -1 to 1."""
        return probability_drops(explanation, answers, classes)
