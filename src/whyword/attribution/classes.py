"""Which classes are scored, and their scores, from answers that hold all classes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..interfaces.classifier import Classifier, exclusive, is_multi_label, predicted_labels
from ..interfaces.explanation import Scored

MOST_SCORED = 20  # classes: of more, those of the highest probability, unless others are named


def choose_classes(
    probabilities: np.ndarray, target: int, scored: Scored = None, classifier: Classifier | None = None
) -> np.ndarray:
    """Choose the classes of a text that are scored, (chosen,) numbers in ascending order; the target always is.

    All are, up to 20 classes. Of more, those that are named, else the predicted labels and the likeliest up to 20.
    """
    count = len(probabilities)
    if scored == "all" or count <= MOST_SCORED:
        return np.arange(count)
    if scored is not None:
        return np.unique([target, *scored])
    labels = np.zeros(0, dtype=np.int64)
    if classifier is not None and is_multi_label(classifier):
        labels = np.flatnonzero(predicted_labels(classifier, probabilities[None])[0])
    likeliest = np.argsort(-probabilities, kind="stable")
    first = np.array(list(dict.fromkeys([target, *labels.tolist(), *likeliest[: MOST_SCORED + 1].tolist()])))
    return np.sort(first[: max(MOST_SCORED, 1 + len(labels))])


class ScoredClasses:
    """The classes of a text that are scored: only their columns of the answers are kept, a few of 1,000."""

    def __init__(self, target: int | None, scored: Scored = None, classifier: Classifier | None = None) -> None:
        self.target = target  # None: the likeliest, once the whole text is answered
        self.probabilities = np.zeros(0)  # (class,) of the whole text
        self.classes = np.zeros(0, dtype=np.int64)  # (kept,) numbers of the classes that are scored
        self._scored = scored
        self._classifier = classifier
        self._exclusive = True  # whether all answers so far are of classes that exclude each other

    def keep(self, probabilities: np.ndarray) -> np.ndarray:
        """Give the columns of answers, (subset, class), that are kept; the first answer of all is of the whole text."""
        if not len(self.probabilities):
            self.probabilities = probabilities[0].copy()
            self.target = int(self.probabilities.argmax()) if self.target is None else self.target
            self.classes = choose_classes(self.probabilities, self.target, self._scored, self._classifier)
        self._exclusive = self._exclusive and exclusive(probabilities)
        return probabilities if self.numbers is None else probabilities[:, self.classes]

    @property
    def column(self) -> int:
        """The column of the target."""
        return int(np.searchsorted(self.classes, self.target or 0))

    @property
    def numbers(self) -> tuple[int, ...] | None:
        """The numbers of the classes that are scored; None: all are."""
        return None if len(self.classes) == len(self.probabilities) else tuple(self.classes.tolist())

    def scores(self, of_target: np.ndarray, of_column: Callable[[int], np.ndarray]) -> np.ndarray:
        """Give the scores of all classes that are scored, (kept, word)."""
        derived = self._exclusive and len(self.probabilities) <= MOST_SCORED  # else the rounding of all adds up
        return scores_of_classes(of_target, self.column, len(self.classes), of_column, derived)


def scores_of_classes(
    scores: np.ndarray, target: int, classes: int, of_class: Callable[[int], np.ndarray], exclusive: bool = True
) -> np.ndarray:
    """Give (class, word) scores from those of the target, (word,).

    Where classes exclude each other, probabilities add up to 1, so what a word does for all classes together is 0: the
    last class needs no estimate.
    """
    table = np.zeros((classes, len(scores)))
    table[target] = scores
    others = [number for number in range(classes) if number != target]
    derived = others[-1:] if exclusive else []
    for other in others[: len(others) - len(derived)] if len(scores) else ():
        table[other] = of_class(other)
    table[derived] = -table.sum(axis=0)
    return table
