"""Intersection over union of the top k words and those a human marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation.top_words import TopWordsMetric, hits
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation


@dataclass(frozen=True)
class RationaleIou(TopWordsMetric):
    """Words that are both among the top k and marked, divided by those that are either."""

    meaning = "overlap of the top k words with the marked ones, as a share of both together"
    is_share = True
    needs_rationale = True
    name: str = "rationale-iou"

    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give 0 to 1 at each k; NaN if no word is marked."""
        found, top, marked = hits(explanation, self.points)
        share: np.ndarray = found / (top + marked - found)
        return share
