"""Gates: the probability that a word is kept, of methods that mask words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..attribution.weights import explain_by_weights
from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explainer, Explanation


@dataclass(frozen=True)
class Gate(Explainer):
    """One forward pass per text; a weight has no sign and is the same for every class."""

    needs_open = True
    name: str = "gate"

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        if not isinstance(classifier, OpenClassifier) or classifier.method.own_score != "gate":
            raise OptionError("This model has no gates: choose own, shapley, lime or occlusion.")
        return explain_by_weights(classifier, documents, targets, self.name)
