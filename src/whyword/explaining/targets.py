"""For what a text is explained: the predicted class, a named one, one against another, every class, or the score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data.words import split
from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document, Label
from ..interfaces.errors import OptionError
from ..interfaces.explanation import NO_SCORE, Explainer, Explanation
from .any_model import class_number

PREDICTED, ALL, SCORE = (
    "predicted",
    "all",
    "score",
)  # targets that are no class, unless the model has a class of that name

Explain = Callable[[Sequence[Document], int | None], list[Explanation]]  # for the class of that number, or as predicted


@dataclass(frozen=True)
class Target:
    """The numbers of classes."""

    number: int | None = None  # None: the class predicted for each text
    against: int | None = None
    every: bool = False
    score: bool = False  # the expected score of ordered classes

    @property
    def named(self) -> bool:
        """Whether the scores are to be those of a certain class."""
        return self.every or self.score or self.number is not None

    def explain(self, explain: Explain, documents: Sequence[Document]) -> list[Explanation]:
        """Explain documents for the target; explainers that score one class at a time are asked about each class."""
        explanations = explain(documents, self.number)
        if not self.every and not self.score and self.against is None:
            return explanations
        for explanation in explanations:
            self.check(explanation)
        if any(explanation.all_scores is None for explanation in explanations):
            explanations = _with_all_scores(explanations, explain, documents)
        if self.score:
            return [explanation.for_score() for explanation in explanations]
        if self.against is None or self.number is None:
            return explanations
        names = explanations[0].classes if explanations else ()
        return [explanation.for_class(names[self.number], names[self.against]) for explanation in explanations]

    def check(self, explanation: Explanation) -> None:
        """Refuse weights where a user has asked for the scores of a certain class."""
        if self.named and not explanation.signed:
            raise OptionError(
                f"'{explanation.explainer}' gives weights, which are the same for every class: leave out target and "
                "against, or choose an explainer with signed scores, such as occlusion, lime or shapley."
            )

    def views(self, explanation: Explanation) -> list[Explanation]:
        """Give what is to be shown of a text: its explanation or, if every class was asked for, one for each.

        Where a text may have several labels and no class was named, one for each that is predicted, if there is any.
        """
        if self.every:
            return [explanation.for_class(label) for label in explanation.classes]
        if self.number is not None or not explanation.labels or explanation.all_scores is None:
            return [explanation]
        likeliest = sorted(explanation.labels, key=lambda number: -explanation.probabilities[number])
        return [explanation.for_class(explanation.classes[number]) for number in likeliest]


def read_target(
    classes: Sequence[Label],
    target: Label | None = None,
    against: Label | None = None,
    values: Sequence[float] | None = None,
) -> Target:
    """Find the classes that a user named; values are their places on a scale, where they have an order."""
    names = [str(name) for name in classes]
    special = str(target) if str(target) not in names else None
    if special == SCORE and values is None:
        raise OptionError(NO_SCORE)
    number = None if target is None or special in (PREDICTED, ALL, SCORE) else class_number(classes, target)
    other = None if against is None else class_number(classes, against)
    if other is not None and number is None:
        raise OptionError(f"To explain a class against '{against}', name that class as target too.")
    if other is not None and other == number:
        raise OptionError(f"'{target}' cannot be explained against itself: name another class of {', '.join(names)}.")
    return Target(number, other, special == ALL, special == SCORE)


def check_before_reading(target: Target, explainer: Explainer, classifier: Classifier) -> None:
    """Refuse weights before any text is read: a text without words tells, in one forward pass of a model of ours."""
    if target.named and isinstance(classifier, OpenClassifier):
        (explanation,) = explainer.explain(classifier, [Document(split(""))])
        target.check(explanation)


def _with_all_scores(
    explanations: Sequence[Explanation], explain: Explain, documents: Sequence[Document]
) -> list[Explanation]:
    """Put the scores of each class side by side, from an explanation of each."""
    classes = range(len(explanations[0].classes))
    columns = zip(*(explain(documents, number) for number in classes), strict=True)
    return [
        replace(
            explanation,
            all_scores=np.stack([one.scores for one in each]),
            base_values=_base_values([one.base_value for one in each]),
            forward_passes=sum(one.forward_passes for one in each),
            seconds=sum(one.seconds for one in each),
        )
        for explanation, each in zip(explanations, columns, strict=True)
    ]


def _base_values(values: Sequence[float | None]) -> np.ndarray | None:
    known = [value for value in values if value is not None]
    return np.array(known) if len(known) == len(values) else None
