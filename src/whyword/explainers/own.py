"""The model's own scores: attention weights, or the probability that a word is kept."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explainer, Explanation


@dataclass(frozen=True)
class Own(Explainer):
    """One forward pass per text; the scores are the same for every class."""

    needs_open = True
    name: str = "own"

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        if not isinstance(classifier, OpenClassifier):
            raise OptionError("A black box has no word scores of its own: choose lime, shapley or occlusion.")
        started = time.perf_counter()
        scores, probabilities, truncated_words = classifier.own_scores([document.words for document in documents])
        seconds = (time.perf_counter() - started) / max(1, len(documents))
        table = probabilities.double().numpy()
        chosen = table.argmax(1) if targets is None else targets
        return [
            Explanation(
                document=document,
                scores=scores[i].double().numpy().astype(np.float64),
                target=int(chosen[i]),
                classes=classifier.classes,
                probabilities=table[i],
                explainer=self.name,
                signed=False,
                forward_passes=1,
                seconds=seconds,
                truncated_words=truncated_words[i],
            )
            for i, document in enumerate(documents)
        ]
