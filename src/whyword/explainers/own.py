"""The model's own scores: contributions where it carries them, else its attention weights or its gates."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..attribution.weights import explain_by_weights
from ..interfaces.classifier import Classifier, OpenClassifier, has_contributions
from ..interfaces.document import Document
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explainer, Explanation
from ..maths.stats.ties import PROBABILITY


@dataclass(frozen=True)
class Own(Explainer):
    """One forward pass per text. Contributions are signed, for every class, and add up; weights are none of these."""

    needs_open = True  # or contributions
    cost = "1"
    name: str = "own"

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        if not has_contributions(classifier):
            if not isinstance(classifier, OpenClassifier):
                raise OptionError(
                    "A black box has no word scores of its own: choose lime, shapley or occlusion, or learn them with  "
                    "whyword learn-explainer MODEL TEXTS -o EXPLAINER."
                )
            return explain_by_weights(classifier, documents, targets, self.name)
        started = time.perf_counter()
        found = classifier.contributions([document.words for document in documents])
        seconds = (time.perf_counter() - started) / max(1, len(documents))
        table = np.asarray(found.probabilities, dtype=np.float64)
        chosen = table.argmax(1) if targets is None else np.asarray(targets)
        return [
            Explanation(
                document=document,
                scores=found.scores[i][chosen[i]],
                target=int(chosen[i]),
                classes=classifier.classes,
                probabilities=table[i],
                explainer=self.name,
                all_scores=found.scores[i],
                base_value=float(found.base[chosen[i]]),
                base_values=found.base,
                forward_passes=1,
                seconds=seconds,
                truncated_words=found.truncated_words[i],
                resolution=PROBABILITY,
                would_mark=None if found.would_mark is None else found.would_mark[i],
            )
            for i, document in enumerate(documents)
        ]
