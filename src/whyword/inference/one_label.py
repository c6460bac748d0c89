"""One label of a model of several a text, as a classifier of two classes: without the label, and with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from ..interfaces.classifier import Classifier, Removal
from ..interfaces.document import Label, Words
from ..interfaces.explanation import Explanation


@dataclass(frozen=True, eq=False)
class OneLabel:
    """Answers whether texts, and their sub-texts, have one label."""

    classifier: Classifier
    number: int  # of the label

    @property
    def classes(self) -> tuple[Label, ...]:
        """Without the label, and with it."""
        return _two(self.classifier.classes[self.number])

    def probabilities(self, texts: Sequence[Words]) -> Tensor:
        """Give (text, 2) probabilities."""
        return self._of(self.classifier.probabilities(texts))

    def probabilities_of_subsets(self, text: Words, kept: Tensor, removal: Removal = "delete") -> Tensor:
        """Give (subset, 2) probabilities of sub-texts."""
        return self._of(self.classifier.probabilities_of_subsets(text, kept, removal))

    def probabilities_of_many(
        self, requests: Iterable[tuple[Words, Tensor]], removal: Removal = "delete"
    ) -> Iterator[Tensor]:
        """Answer for sub-texts of many texts in one stream."""
        return map(self._of, self.classifier.probabilities_of_many(requests, removal))

    def _of(self, probabilities: Tensor) -> Tensor:
        of_label = probabilities[:, self.number]
        return torch.stack([1 - of_label, of_label], 1)


def for_label(explanation: Explanation, number: int) -> Explanation:
    """Give an explanation of a text for one of its labels; weights are the same for every label."""
    if explanation.all_scores is not None:
        return explanation.for_class(explanation.classes[number])
    return replace(explanation, target=number)


def as_one_label(explanation: Explanation) -> Explanation:
    """Give an explanation for one label as one of the two classes of OneLabel, with what people marked for it."""
    label, document = explanation.label, explanation.document
    two = _two(label)
    gold = None if document.labels is None else two[label in document.labels]
    base = explanation.base_value
    return replace(
        explanation,
        document=replace(document.for_label(label), label=gold, labels=None, rationales=None),
        target=1,
        classes=two,
        probabilities=np.array([1 - explanation.probability, explanation.probability]),
        all_scores=np.stack([-explanation.scores, explanation.scores]) if explanation.signed else None,
        base_values=None if base is None else np.array([1 - base, base]),
        labels=None,
    )


def _two(label: Label) -> tuple[Label, Label]:
    return f"not {label}", label
