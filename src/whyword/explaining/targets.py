"""For what a text is explained: the predicted class, a named one, one against another, every class, or the score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..data.words import split
from ..inference.windows import explain_in_windows
from ..interfaces.classifier import Classifier, OpenClassifier, is_multi_label, predicted_labels
from ..interfaces.document import Document, Label
from ..interfaces.errors import OptionError, unknown_name
from ..interfaces.explanation import NO_SCORE, Explainer, Explanation

PREDICTED, ALL, SCORE = "predicted", "all", "score"  # no classes, unless the model has a class of that name

Explain = Callable[[Explainer, Classifier, Sequence[Document], int | None], list[Explanation]]  # as explain_in_windows


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

    def explain(
        self,
        explainer: Explainer,
        classifier: Classifier,
        documents: Sequence[Document],
        explain: Explain = explain_in_windows,
    ) -> list[Explanation]:
        """Explain documents for the target; explainers that score one class at a time are asked about each class.

        Of several labels a text, those that are predicted are scored, unless another target was named.
        """
        if self.every or self.score:
            explainer = explainer.scoring("all")
        elif self.against is not None and self.number is not None:
            explainer = explainer.scoring((self.number, self.against))
        explanations = _with_labels(classifier, explain(explainer, classifier, documents, self.number))
        if self.every or self.score or self.against is not None:
            for explanation in explanations:
                self.check(explanation)
        if any(one.signed and one.all_scores is None for one in explanations):
            again = partial(explain, explainer, classifier)
            explanations = _with_scores(explanations, list(map(self._wanted, explanations)), again, documents)
        if self.score:
            return [explanation.for_score() for explanation in explanations]
        if self.against is None or self.number is None:
            return explanations
        names = classifier.classes
        return [explanation.for_class(names[self.number], names[self.against]) for explanation in explanations]

    def _wanted(self, explanation: Explanation) -> tuple[int, ...]:
        """Give the numbers of the classes that must be scored, beside the one that is."""
        if self.every or self.score:
            return tuple(range(len(explanation.classes)))
        if self.number is not None:
            return () if self.against is None else (self.number, self.against)
        return explanation.labels or ()

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
        All views of a text are painted on one scale, so that a class nothing speaks for looks pale beside the others.
        """
        if self.every:
            return _on_one_scale([explanation.for_class(label) for label in explanation.classes])
        if self.number is not None or not explanation.labels or explanation.all_scores is None:
            return [explanation]
        likeliest = sorted(explanation.labels, key=lambda number: -explanation.probabilities[number])
        return _on_one_scale([explanation.for_class(explanation.classes[number]) for number in likeliest])


def _on_one_scale(views: Sequence[Explanation]) -> list[Explanation]:
    largest = max((float(np.abs(view.scores).max(initial=0.0)) for view in views), default=0.0)
    return [replace(view, full_paint=largest or None) for view in views]


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


def class_number(classes: Sequence[Label], label: Label) -> int:
    """Find a class by its label, also when an integer label is given as a word."""
    names = [str(name) for name in classes]
    if str(label) not in names:
        raise unknown_name(str(label), "the classes of this model", names)
    return names.index(str(label))


def check_before_reading(target: Target, explainer: Explainer, classifier: Classifier) -> None:
    """Refuse weights before any text is read: a text without words tells, in one forward pass of a model of ours."""
    if target.named and isinstance(classifier, OpenClassifier):
        (explanation,) = explainer.explain(classifier, [Document(split(""))])
        target.check(explanation)


def _with_labels(classifier: Classifier, explanations: list[Explanation]) -> list[Explanation]:
    """Say which labels are predicted for each text, where a text may have several."""
    if not explanations or not is_multi_label(classifier):
        return explanations
    table = predicted_labels(classifier, np.stack([one.probabilities for one in explanations]))
    return [
        replace(one, labels=tuple(np.flatnonzero(row).tolist())) for one, row in zip(explanations, table, strict=True)
    ]


def _with_scores(
    explanations: Sequence[Explanation],
    wanted: Sequence[Sequence[int]],
    explain: Callable[[Sequence[Document], int | None], list[Explanation]],
    documents: Sequence[Document],
) -> list[Explanation]:
    """Put the scores of the wanted classes of each text side by side, from an explanation of each."""
    found: list[dict[int, Explanation]] = [{one.target: one} for one in explanations]
    for number in sorted({number for classes in wanted for number in classes}):
        rows = [i for i, classes in enumerate(wanted) if number in classes and number not in found[i]]
        for i, explanation in zip(rows, explain([documents[i] for i in rows], number) if rows else (), strict=True):
            found[i][number] = explanation
    return [
        _together(one, [by_class[number] for number in classes], classes) if len(classes) else one
        for one, by_class, classes in zip(explanations, found, wanted, strict=True)
    ]


def _together(explanation: Explanation, each: Sequence[Explanation], classes: Sequence[int]) -> Explanation:
    """Put the explanations of a text for some classes together."""
    count = len(explanation.classes)
    asked = {one.target: one for one in (explanation, *each)}.values()
    base_values = _base_values([one.base_value for one in each])
    return replace(
        explanation,
        all_scores=np.stack([one.scores for one in each]),
        scored=None if len(classes) == count else tuple(classes),
        base_values=base_values if len(classes) == count else None,
        forward_passes=sum(one.forward_passes for one in asked),
        seconds=sum(one.seconds for one in asked),
    )


def _base_values(values: Sequence[float | None]) -> np.ndarray | None:
    known = [value for value in values if value is not None]
    return np.array(known) if len(known) == len(list(values)) else None
