"""All that explainers and metrics may see of a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeGuard, get_args, runtime_checkable

import numpy as np

from ..maths.stats.thresholds import decide
from .document import Batch, Label, Words

if TYPE_CHECKING:
    from torch import Tensor

    from .method import Method

Removal = Literal["delete", "pad", "unknown", "mask"]
REMOVALS: tuple[Removal, ...] = get_args(Removal)

HALF = 0.5  # from which on a label is one of several, where no threshold was tuned
ROUNDED = 0.01  # how far the probabilities of classes that exclude each other may be from adding up to 1


def exclusive(probabilities: np.ndarray) -> bool:
    """Say whether all rows, (…, class), add up to 1, as they do where classes exclude each other."""
    return bool((abs(probabilities.sum(-1) - 1) < ROUNDED).all())


@runtime_checkable
class Classifier(Protocol):
    """A closed model: enough for occlusion, LIME, Shapley values and removal metrics."""

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels, in the order of the probabilities."""
        ...

    def probabilities(self, texts: Sequence[Words]) -> Tensor:
        """Give (text, class) probabilities."""
        ...

    def probabilities_of_subsets(self, text: Words, kept: Tensor, removal: Removal = "delete") -> Tensor:
        """Give (subset, class) probabilities of sub-texts; kept, (subset, word) bool, marks the words that stay.

        The others are deleted, so that the text closes up, or each of their tokens is replaced where it stands by
        padding, by the unknown word, or by the mask token.
        """
        ...

    def probabilities_of_many(
        self, requests: Iterable[tuple[Words, Tensor]], removal: Removal = "delete"
    ) -> Iterator[Tensor]:
        """Answer probabilities_of_subsets for many texts in one stream of batches, in order."""
        ...


def predicted_classes(classifier: Classifier, probabilities: Tensor | np.ndarray) -> np.ndarray:
    """Give the (text,) number of the class that a model predicts: the most probable, unless it has thresholds.

    Where classes have an order, the median: up to it lies half of the probability.
    """
    offsets, ordered = getattr(classifier, "offsets", None), class_values(classifier) is not None
    return decide(np.asarray(probabilities, dtype=np.float64), offsets, ordered)


def class_values(classifier: Classifier) -> tuple[float, ...] | None:
    """Say where each class stands on a scale: its number or, of names, its rank; None where classes have no order."""
    values: tuple[float, ...] | None = getattr(classifier, "values", None)
    return values


def predicts_likeliest(classifier: Classifier) -> bool:
    """Whether the predicted class is the most probable one, as explainers take it to be."""
    return getattr(classifier, "offsets", None) is None and class_values(classifier) is None


def is_multi_label(classifier: Classifier) -> bool:
    """Whether a text may have several labels: their probabilities do not add up to 1."""
    return bool(getattr(classifier, "multi_label", False))


def predicted_labels(classifier: Classifier, probabilities: Tensor | np.ndarray) -> np.ndarray:
    """Give (text, label) bool: of a model of several labels a text, those whose probability reaches its threshold."""
    thresholds = getattr(classifier, "thresholds", None)
    chosen: np.ndarray = np.asarray(probabilities, dtype=np.float64) >= (HALF if thresholds is None else thresholds)
    return chosen


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each word adds to the probability of each class; with the base they add up to the probabilities."""

    scores: list[np.ndarray]  # per text: (class, word) float64
    probabilities: Tensor  # (text, class)
    base: np.ndarray  # (class,) probabilities of a text without words
    truncated_words: list[int]  # per text
    would_mark: list[np.ndarray] | None = None  # per text (word,), where the model has learned what people would mark


@runtime_checkable
class ContributingClassifier(Classifier, Protocol):
    """A model that may carry contributions: learned with it, or learned for it afterwards."""

    @property
    def has_contributions(self) -> bool:
        """Whether the model carries contributions."""
        ...

    def contributions(self, texts: Sequence[Words]) -> Contributions:
        """Give what each word adds to the probability of each class, from one pass over each text."""
        ...


def has_contributions(classifier: Classifier) -> TypeGuard[ContributingClassifier]:
    """Say whether a model carries contributions."""
    return isinstance(classifier, ContributingClassifier) and classifier.has_contributions


@runtime_checkable
class ReadingClassifier(Classifier, Protocol):
    """A model that may have learned what people would mark as a reason, whatever decides its own answers."""

    @property
    def has_rationales(self) -> bool:
        """Whether it has."""
        ...

    def would_mark(self, texts: Sequence[Words]) -> tuple[list[np.ndarray], Tensor, list[int]]:
        """Give how likely a person is to mark each word of a text, (text, class) probabilities, and truncated words."""
        ...


def knows_rationales(classifier: Classifier) -> TypeGuard[ReadingClassifier]:
    """Say whether a model has learned what people would mark."""
    return isinstance(classifier, ReadingClassifier) and classifier.has_rationales


@runtime_checkable
class WindowedClassifier(Classifier, Protocol):
    """A model of which it is known how much of a text it reads."""

    def truncated_words(self, texts: Sequence[Words]) -> list[int]:
        """Count the words at the end of each text that the encoder's limit cuts off."""
        ...

    def windows(self, texts: Sequence[Words]) -> list[list[np.ndarray]]:
        """Give the numbers of the words in each overlapping window that the encoder can read; none if a text fits."""
        ...


@runtime_checkable
class OpenClassifier(ContributingClassifier, WindowedClassifier, Protocol):
    """A model of ours: its weights, gradients and own scores can be looked at."""

    @property
    def method(self) -> Method:
        """The trained method."""
        ...

    def batches(self, texts: Sequence[Words]) -> Iterator[tuple[np.ndarray, Batch]]:
        """Cut texts into batches of similar length, each with the positions of its texts in the input."""
        ...

    def own_scores(self, texts: Sequence[Words]) -> tuple[list[Tensor], Tensor, list[int]]:
        """Give the own score of each word, (word,) per text, (text, class) probabilities, and truncated words."""
        ...
