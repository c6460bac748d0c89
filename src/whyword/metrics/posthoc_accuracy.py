"""Whether the top k words alone give the explained class: post-hoc accuracy of VMASK and E-VarM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation.top_words import TopWordsMetric, explained_class, top_words
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation
from ..maths.stats.ordered import decided


@dataclass(frozen=True)
class PosthocAccuracy(TopWordsMetric):
    """1[f(x's top k words alone) = ŷ], ŷ being the class that is explained: the model's own prediction, as a rule."""

    meaning = "share of texts whose top k words alone are given the explained class"
    is_share = True
    name: str = "posthoc-accuracy"

    def subsets(self, explanation: Explanation) -> np.ndarray:
        """Ask about the top words alone."""
        return top_words(explanation, self.points)

    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give 0 or 1 at each k."""
        same: np.ndarray = decided(answers, explanation.values is not None) == explained_class(explanation, classes)
        return same.astype(np.float64)
