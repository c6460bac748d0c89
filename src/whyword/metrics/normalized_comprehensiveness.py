"""Comprehensiveness on the scale of what is reachable: the top words go first (Edin et al. 2024)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..evaluation.aopc import NormalizedAopc
from ..evaluation.top_words import whole_and_without_top
from ..interfaces.explanation import Explanation


@dataclass(frozen=True)
class NormalizedComprehensiveness(NormalizedAopc):
    """The normalized AOPC of removing words from the highest score down."""

    meaning = (
        "mean fall of the probability as words go, top first: "
        "0 the lowest that any order of the words reaches, 1 the highest"
    )
    name: str = "normalized-comprehensiveness"

    def subsets(self, explanation: Explanation) -> np.ndarray:
        """Ask about the whole text, and about it without its top words."""
        return whole_and_without_top(explanation, self.counts(explanation))
