"""What estimators start from: the contributions of a model that has them, near the scores and free of sampling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..interfaces.classifier import Classifier, has_contributions
from ..interfaces.document import Words
from .surrogate import Surrogate, surrogate_with_shapley

StartName = Literal["own"]


@dataclass(frozen=True, eq=False)
class Start:
    """Scores that are known before any sub-text is asked about."""

    scores: np.ndarray  # (class, word) in probability, near Shapley values
    base_values: np.ndarray  # (class,) probabilities of the empty text
    passes: int = 1  # that they have cost

    @property
    def likeliest(self) -> int:
        """The class of the highest probability."""
        return int((self.base_values + self.scores.sum(axis=1)).argmax())

    def of_groups(self, members: np.ndarray) -> Start:
        """Add up the scores of words that are scored as one; members, (word,), are the numbers of their groups."""
        return replace(self, scores=np.stack([np.bincount(members, row) for row in self.scores]))

    def surrogate(self, target: int) -> Surrogate:
        """Give the additive surrogate whose Shapley values are the scores of a class."""
        return surrogate_with_shapley(self.scores[target], float(self.base_values[target]))


def starts(classifier: Classifier, texts: Sequence[Words], name: StartName | None) -> list[Start | None]:
    """Give what is known of each text: its contributions, where the classifier has them and they are asked for."""
    if name is None or not has_contributions(classifier):
        return [None] * len(texts)
    known = classifier.contributions(texts)
    # the width of a batch moves the seventh digit, which must not decide what is asked about
    return [Start(scores.round(6), known.base) if scores.shape[1] > 1 else None for scores in known.scores]
