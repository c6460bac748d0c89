"""Area under precision and recall of the marked words, whatever k: average precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluation.top_words import marked_words
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation
from ..interfaces.metric import Metric
from ..maths.stats.average_precision import average_precision


@dataclass(frozen=True)
class RationaleAuprc(Metric):
    """Sum of precision times gain in recall, going down the scores; words that tie are taken together."""

    meaning = "how well the scores put marked words before the others, over all k"
    is_share = True
    needs_rationale = True
    name: str = "rationale-auprc"

    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give one number from 0 to 1; NaN if no word is marked."""
        marked = marked_words(explanation)
        if marked is None:
            return np.array([np.nan])
        return np.array([average_precision(explanation.ranks, marked)])
