"""The contract of every explainer: a text in, one score per word out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from .classifier import Classifier
from .document import Document
from .explanation import Explanation
from .settings import Named


class Explainer(Named, ABC):
    """Gives every word of a text a score; a frozen dataclass whose fields are its settings."""

    needs_open: ClassVar[bool] = False  # True when the model must be one of ours

    @abstractmethod
    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document for its target class, by default the class the model predicts."""
