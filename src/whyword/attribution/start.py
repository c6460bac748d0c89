"""What estimators start from: the contributions of a model that has them, near the scores and free of sampling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from torch import Tensor

from ..interfaces.classifier import Classifier
from ..interfaces.document import Words
from .surrogate import Surrogate, surrogate_with_shapley

StartName = Literal["own"]


@runtime_checkable
class Contributing(Protocol):
    """A classifier that may give contributions, in probability: they add up to what a text changes."""

    @property
    def has_contributions(self) -> bool:
        """Whether it gives them."""
        ...

    def contributions(self, texts: Sequence[Words]) -> tuple[list[np.ndarray], Tensor | np.ndarray, np.ndarray]:
        """Give (class, word) contributions of each text, (text, class) probabilities and (class,) of the empty text."""
        ...


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

    def surrogate(self, target: int) -> Surrogate:
        """Give the additive surrogate whose Shapley values are the scores of a class."""
        return surrogate_with_shapley(self.scores[target], float(self.base_values[target]))


def starts(classifier: Classifier, texts: Sequence[Words], name: StartName | None) -> list[Start | None]:
    """Give what is known of each text: its contributions, where the classifier has them and they are asked for."""
    if name is None or not isinstance(classifier, Contributing) or not classifier.has_contributions:
        return [None] * len(texts)
    scores, _, base_values = classifier.contributions(texts)
    return [Start(table, base_values) if table.shape[1] > 1 else None for table in scores]
