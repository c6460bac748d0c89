"""Share of the words a human marked that are among the top k: VAT's R@k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation.top_words import TopWordsMetric, hits
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation


@dataclass(frozen=True)
class RationaleRecall(TopWordsMetric):
    """Marked words among the top k, divided by all marked words (Zhou et al., table 5)."""

    meaning = "share of the words a human marked that are among the top k"
    is_share = True
    needs_rationale = True
    name: str = "rationale-recall"

    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give 0 to 1 at each k; NaN if no word is marked."""
        found, _, marked = hits(explanation, self.points)
        recall: np.ndarray = found / marked
        return recall
