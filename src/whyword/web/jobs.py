"""What a model can be asked to do with texts; equal jobs run in one batch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ..explaining.stream import prediction
from ..explaining.targets import Target
from ..interfaces.classifier import Classifier, OpenClassifier, predicted_classes
from ..interfaces.document import Document
from ..interfaces.explanation import Explainer, Explanation
from .errors import ClientGoneError
from .models import ServedModel

ASKED = ("predict_proba", "run")  # the function that a black box, or an ONNX file, is asked by


class Job(Protocol):
    """A model and what it computes; the texts of equal jobs can share a batch."""

    @property
    def kind(self) -> str:
        """Jobs of one kind take the same time for the same work."""
        ...

    def work(self, document: Document) -> int:
        """Estimate the work for a text, in any unit; 0 if it need not be divided into turns."""
        ...

    def run(self, documents: Sequence[Document], wanted: Callable[[], bool]) -> list[Any]:
        """Give a result for each document; raise ClientGoneError once it is no longer wanted."""
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
        """Count nothing: a forward pass is quick."""
        return 0

    def run(self, documents: Sequence[Document], wanted: Callable[[], bool]) -> list[dict[str, Any]]:
        """Give label and probabilities."""
        classifier = self.model.predictor
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
        """Name the model and the explainer."""
        return f"{self.model.name} {self.explainer.name}"

    def work(self, document: Document) -> int:
        """Count the words twice over: a longer text takes more forward passes, and longer ones."""
        return (1 + len(document.words)) ** 2

    def run(self, documents: Sequence[Document], wanted: Callable[[], bool]) -> list[Explanation]:
        """Give explanations; check before each forward pass that a client still waits."""
        classifier = self.model.explained
        this_thread = threading.get_ident()

        def check(*_: object) -> None:
            # predictions run through the same method in another thread
            if threading.get_ident() == this_thread and not wanted():
                raise ClientGoneError

        with _checked(classifier, check) as checked:
            return self.target.explain(self.explainer, checked, documents)


@contextmanager
def _checked(classifier: Classifier, check: Callable[..., None]) -> Iterator[Classifier]:
    """Give the classifier so that it calls a function before each forward pass, or each question to a black box."""
    if isinstance(classifier, OpenClassifier):
        hook = classifier.method.register_forward_pre_hook(check)
        try:
            yield classifier
        finally:
            hook.remove()
        return
    name = next((name for name in ASKED if hasattr(classifier, name)), None)
    if name is None:
        yield classifier
        return
    ask = getattr(classifier, name)

    def check_and_ask(*question: Any) -> Any:
        check()
        return ask(*question)

    yield replace(classifier, **{name: check_and_ask})  # type: ignore[type-var]
