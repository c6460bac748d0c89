"""What a model can be asked to do with texts; equal jobs run in one batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from ..explaining.stream import prediction
from ..explaining.targets import Target
from ..interfaces.classifier import Classifier, OpenClassifier, predicted_classes
from ..interfaces.document import Document
from ..interfaces.explanation import Explainer, Explanation
from ..interfaces.pausing import pausing
from .models import ServedModel

T = TypeVar("T")

PASSES = ("forward", "classify", "read")  # where a forward pass of a method begins, whoever asks
ASKED = ("predict_proba", "run")  # the function that a black box, or an ONNX file, is asked by


class Job(Protocol):
    """A model and what it computes; the texts of equal jobs can share a batch."""

    @property
    def kind(self) -> str:
        """Jobs of one kind take the same time for the same work."""
        ...

    def work(self, document: Document) -> int:
        """Estimate the work for a text, in any unit; 0 if it takes no time."""
        ...

    def run(self, documents: Sequence[Document], between_steps: Callable[[], None]) -> list[Any]:
        """Give a result for each document; call a function between steps, which may wait, or stop it by raising."""
        ...


@dataclass(frozen=True)
class PredictJob:
    """Which class each text is of."""

    model: ServedModel

    @property
    def kind(self) -> str:
        """Name the model."""
        return self.model.name

    def work(self, document: Document) -> int:
        """Count the words."""
        return 1 + len(document.words)

    def run(self, documents: Sequence[Document], between_steps: Callable[[], None]) -> list[dict[str, Any]]:
        """Give label and probabilities."""
        classifier = in_steps(self.model.predictor, between_steps)
        table = classifier.probabilities([document.words for document in documents])
        chosen = predicted_classes(classifier, table).tolist()
        return [prediction(classifier, row, best) for row, best in zip(table.tolist(), chosen, strict=True)]


@dataclass(frozen=True)
class ExplainJob:
    """Which words speak for the class of each text, or for the target."""

    model: ServedModel
    explainer: Explainer
    target: Target = field(default_factory=Target)

    @property
    def kind(self) -> str:
        """Name the model and the explainer with its settings, as more samples take longer."""
        return f"{self.model.name} {self.explainer}"

    def work(self, document: Document) -> int:
        """Count the words twice over: a longer text takes more forward passes, and longer ones."""
        return (1 + len(document.words)) ** 2

    def run(self, documents: Sequence[Document], between_steps: Callable[[], None]) -> list[Explanation]:
        """Give explanations."""
        with pausing(between_steps):
            return self.target.explain(self.explainer, in_steps(self.model.explained, between_steps), documents)


def in_steps(classifier: Classifier, between_steps: Callable[[], None]) -> Classifier:
    """Give a view of the classifier that calls a function before each forward pass, or each question to a black box.

    The weights are the same; any number of views can be in use, as long as one at a time computes.
    """
    changed: dict[str, Any] = {}
    if getattr(classifier, "reader", None) is not None:
        changed["reader"] = in_steps(classifier.reader, between_steps)  # type: ignore[attr-defined]
    if isinstance(classifier, OpenClassifier):
        changed["method"] = method = copy(classifier.method)
        for name in PASSES:
            setattr(method, name, _after(between_steps, getattr(method, name)))
    else:
        changed |= {
            name: _after(between_steps, getattr(classifier, name)) for name in ASKED if hasattr(classifier, name)
        }
    return replace(classifier, **changed) if changed else classifier  # type: ignore[type-var]


def _after(first: Callable[[], None], function: Callable[..., T]) -> Callable[..., T]:
    def both(*arguments: Any) -> T:
        first()
        return function(*arguments)

    return both
