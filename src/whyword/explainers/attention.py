"""Attention weights: how much of the text vector comes from each word's state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..attribution.weights import explain_by_weights
from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explainer, Explanation


@dataclass(frozen=True)
class Attention(Explainer):
    """One forward pass per text; a weight has no sign and is the same for every class."""

    needs_open = True
    name: str = "attention"

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        if not isinstance(classifier, OpenClassifier) or classifier.method.own_score != "share":
            raise OptionError("This model has no attention weights: choose own, shapley, lime or occlusion.")
        return explain_by_weights(classifier, documents, targets, self.name)
