"""What can be asked of a model about texts; equal questions are answered in one batch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..inference.windows import explain_in_windows
from ..interfaces.document import Document
from ..interfaces.explainer import Explainer
from ..interfaces.explanation import Explanation
from .models import ServedModel


class ClientGone(Exception):  # noqa: N818
    """All who asked have gone."""


class Question(Protocol):
    """A model and what it is asked; equal ones can be answered together."""

    @property
    def kind(self) -> str:
        """Questions of one kind take the same time for the same work."""
        ...

    def work(self, document: Document) -> int:
        """Say how much there is to do for a text, in units of nothing; 0 if it need not be divided into turns."""
        ...

    def answer(self, documents: Sequence[Document], wanted: Callable[[], bool]) -> list[Any]:
        """Answer for each document; raise NobodyWaits once the answer is no longer wanted."""
        ...


@dataclass(frozen=True)
class Predict:
    """Which class each text is of."""

    model: ServedModel

    @property
    def kind(self) -> str:
        """Name the model."""
        return self.model.name

    def work(self, document: Document) -> int:
        """Count nothing: a forward pass is quick."""
        return 0

    def answer(self, documents: Sequence[Document], wanted: Callable[[], bool]) -> list[dict[str, Any]]:
        """Give label and probabilities."""
        classifier = self.model.predictor
        table = classifier.probabilities([document.words for document in documents])
        names = list(map(str, classifier.classes))
        return [
            {
                "label": classifier.classes[best],
                "probability": row[best],
                "probabilities": dict(zip(names, row, strict=True)),
            }
            for row, best in zip(table.tolist(), table.argmax(1).tolist(), strict=True)
        ]


@dataclass(frozen=True)
class Explain:
    """Which words speak for the class of each text, or for the target."""

    model: ServedModel
    explainer: Explainer
    target: int | None = None

    @property
    def kind(self) -> str:
        """Name the model and the explainer."""
        return f"{self.model.name} {self.explainer.name}"

    def work(self, document: Document) -> int:
        """Count the words twice over: a longer text takes more forward passes, and longer ones."""
        return (1 + len(document.words)) ** 2

    def answer(self, documents: Sequence[Document], wanted: Callable[[], bool]) -> list[Explanation]:
        """Give explanations; look before each forward pass whether somebody still waits."""
        classifier = self.model.explained
        here = threading.get_ident()

        def look(*_: object) -> None:
            if threading.get_ident() == here and not wanted():  # predictions pass through the same method elsewhere
                raise ClientGone

        hook = classifier.method.register_forward_pre_hook(look)
        try:
            return explain_in_windows(self.explainer, classifier, documents, self.target)
        finally:
            hook.remove()
