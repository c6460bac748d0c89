"""Harmonic mean of precision and recall of the marked words in each text: VAT's F1@k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation.top_words import TopWordsMetric, hits
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation


@dataclass(frozen=True)
class RationaleF1(TopWordsMetric):
    """2 PR / (P + R) in each text, as in table 5 of Zhou et al.: the mean of F1s is not the F1 of the means."""

    meaning = "mean over texts of the F1 of the top k words against the marked ones"
    is_share = True
    needs_rationale = True
    name: str = "rationale-f1"

    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give 0 to 1 at each k; NaN if no word is marked."""
        found, top, marked = hits(explanation, self.points)
        f1: np.ndarray = 2 * found / (top + marked)
        return f1
