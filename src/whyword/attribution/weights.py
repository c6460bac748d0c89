"""Weights that a method puts on words, as explanations: unsigned, and the same for every class."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explainer, Explanation


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
    started = time.perf_counter()
    scores, probabilities, truncated_words = classifier.own_scores([document.words for document in documents])
    seconds = (time.perf_counter() - started) / max(1, len(documents))
    table = probabilities.double().numpy()
    chosen = table.argmax(1) if targets is None else targets
    return [
        Explanation(
            document=document,
            scores=scores[i].double().numpy(),
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
