"""Sufficiency on the scale of what is reachable: the top words go last, lower is better (Edin et al. 2024)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..evaluation.aopc import NormalizedAopc
from ..evaluation.top_words import whole_and_only_top
from ..interfaces.explanation import Explanation


@dataclass(frozen=True)
class NormalizedSufficiency(NormalizedAopc):
    """The normalized AOPC of removing words from the lowest score up."""

    meaning = (
        "mean fall of the probability as words go, top last: "
        "0 the lowest that any order of the words reaches, 1 the highest"
    )
    higher_is_better = False
    name: str = "normalized-sufficiency"

    def subsets(self, explanation: Explanation) -> np.ndarray:
        """Ask about the whole text, and about its top words alone."""
        words = len(explanation.scores)
        return whole_and_only_top(explanation, [words - count for count in self.counts(explanation)])
