"""Mean fall of the explained class's probability over 0 to k removed words: E-VarM's AOPC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation.top_words import TopWordsMetric, probability_drops, whole_and_without_top
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation


@dataclass(frozen=True)
class MeanProbabilityDrop(TopWordsMetric):
    """1/(k + 1) times the sum of the drops at 1 to k (Ge et al. 2022): at k = 1, half the plain drop."""

    meaning = "mean fall of the probability of the explained class over the removal of 0, 1, ... k top words"
    name: str = "mean-probability-drop"

    def subsets(self, explanation: Explanation) -> np.ndarray:
        """Ask about the whole text, and about it without its top words."""
        return whole_and_without_top(explanation, self.points)

    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give the mean fall up to each k, from -1 to 1."""
        drops = probability_drops(explanation, answers, classes)
        means: np.ndarray = np.cumsum(drops) / (1 + np.asarray(self.points))
        return means
