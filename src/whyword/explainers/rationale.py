"""What a person would mark: learned from marked texts, read beside the classifier, and no reason of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..attribution.weights import explain_by_scores
from ..interfaces.classifier import Classifier, knows_rationales
from ..interfaces.document import Document
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explainer, Explanation


@dataclass(frozen=True)
class Rationale(Explainer):
    """One forward pass per text: the probability that a person marks a word, without sign, the same for every class."""

    needs_open = True
    of_people = True
    cost = "1"
    name: str = "rationale"

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        if not knows_rationales(classifier):
            raise OptionError(
                "This model has not learned what people would mark: train it on texts with marked words (a column "
                "rationale, or --rationales FILE), or choose own, shapley or occlusion."
            )
        return explain_by_scores(classifier, classifier.would_mark, documents, targets, self.name)
