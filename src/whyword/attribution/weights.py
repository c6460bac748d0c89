"""Weights that a method puts on words, as explanations: unsigned, and the same for every class."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document, Words
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explainer, Explanation

if TYPE_CHECKING:
    from torch import Tensor

    ReadScores = Callable[[Sequence[Words]], tuple[list[Tensor] | list[np.ndarray], Tensor, list[int]]]


@dataclass(frozen=True)
class WeightsExplainer(Explainer):
    """One forward pass per text; a weight has no sign and is the same for every class."""

    needs_open = True
    own_score: ClassVar[str]  # of the methods that have such weights
    plural: ClassVar[str]  # what they are called

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        if not isinstance(classifier, OpenClassifier) or classifier.method.own_score != self.own_score:
            raise OptionError(f"This model has no {self.plural}: choose own, shapley, lime or occlusion.")
        return explain_by_weights(classifier, documents, targets, self.name)


def explain_by_weights(
    classifier: OpenClassifier, documents: Sequence[Document], targets: Sequence[int] | None, name: str
) -> list[Explanation]:
    """Explain each document by the weights of one forward pass."""
    return explain_by_scores(classifier, classifier.own_scores, documents, targets, name)


def explain_by_scores(
    classifier: Classifier, read: ReadScores, documents: Sequence[Document], targets: Sequence[int] | None, name: str
) -> list[Explanation]:
    """Explain each document by scores without sign that are read in one forward pass."""
    started = time.perf_counter()
    scores, probabilities, truncated_words = read([document.words for document in documents])
    seconds = (time.perf_counter() - started) / max(1, len(documents))
    table = probabilities.double().numpy()
    chosen = table.argmax(1) if targets is None else targets
    return [
        Explanation(
            document=document,
            scores=np.asarray(scores[i], dtype=np.float64),
            target=int(chosen[i]),
            classes=classifier.classes,
            probabilities=table[i],
            explainer=name,
            signed=False,
            forward_passes=1,
            seconds=seconds,
            truncated_words=truncated_words[i],
        )
        for i, document in enumerate(documents)
    ]
