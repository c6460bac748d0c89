"""Share of the top k words that a human marked: VAT's P@k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation.top_words import TopWordsMetric, hits
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation


@dataclass(frozen=True)
class RationalePrecision(TopWordsMetric):
    """Marked words among the top k, divided by k, or by the length of a shorter text (Zhou et al., table 5)."""

    meaning = "share of the top k words that a human marked as the reason"
    is_share = True
    needs_rationale = True
    name: str = "rationale-precision"

    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give 0 to 1 at each k; NaN if no word is marked."""
        found, top, _ = hits(explanation, self.points)
        precision: np.ndarray = found / top
        return precision
