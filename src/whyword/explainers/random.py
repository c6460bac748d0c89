"""Random scores: the floor that every explanation has to beat."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..interfaces.classifier import Classifier
from ..interfaces.document import Document
from ..interfaces.explanation import Explainer, Explanation


@dataclass(frozen=True)
class Random(Explainer):
    """Uniform scores from 0 to 1, a function of the seed and the text alone."""

    seed: int = 0
    cost = "1"
    name: str = "random"

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        table = classifier.probabilities([document.words for document in documents]).double().numpy()
        chosen = table.argmax(1) if targets is None else targets
        return [
            Explanation(
                document=document,
                scores=self._scores(document),
                target=int(chosen[i]),
                classes=classifier.classes,
                probabilities=table[i],
                explainer=self.name,
                signed=False,
                seed=self.seed,
                forward_passes=1,
            )
            for i, document in enumerate(documents)
        ]

    def _scores(self, document: Document) -> np.ndarray:
        key = zlib.crc32("\0".join(document.words.texts).encode("utf-8", "surrogatepass"))
        return np.random.default_rng([self.seed, key]).random(len(document.words))
