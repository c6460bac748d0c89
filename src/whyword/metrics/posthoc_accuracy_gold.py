"""Whether the top k words alone give the gold label: VAT's post-hoc accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation.top_words import TopWordsMetric, gold_class, top_words
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation
from ..maths.stats.ordered import decided


@dataclass(frozen=True)
class PosthocAccuracyGold(TopWordsMetric):
    """1[g(x's top k words alone) = y]; VAT asks a separate, plainly trained judge g (Zhou et al.)."""

    meaning = "accuracy of the judge on the top k words alone"
    is_share = True
    needs_labels = True
    name: str = "posthoc-accuracy-gold"

    def subsets(self, explanation: Explanation) -> np.ndarray:
        """Ask about the top words alone."""
        return top_words(explanation, self.points)

    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give 0 or 1 at each k; NaN without a label."""
        gold = gold_class(explanation, classes)
        if gold is None:
            return np.full(len(self.points), np.nan)
        right: np.ndarray = decided(answers, explanation.values is not None) == gold
        return right.astype(np.float64)
