"""Occlusion: how much the probability of the target falls when one word is left out or replaced."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..interfaces.classifier import Classifier, Removal
from ..interfaces.document import Document
from ..interfaces.explanation import Explainer, Explanation
from ..maths.stats.ties import PROBABILITY


@dataclass(frozen=True)
class Occlusion(Explainer):
    """One forward pass per word, and one for the whole text."""

    removal: Removal = "delete"  # what happens to the word left out
    cost = "1 + words"
    name: str = "occlusion"

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        as_taken = _as_taken(classifier)
        requests = ((d.words, as_taken(_whole_and_each_left_out(len(d.words)))) for d in documents)
        explanations: list[Explanation] = []
        started = time.perf_counter()
        for i, answer in enumerate(classifier.probabilities_of_many(requests, self.removal)):
            table = np.asarray(answer, dtype=np.float64)  # (1 + word, class)
            falls = table[0] - table[1:]  # (word, class)
            target = int(table[0].argmax()) if targets is None else int(targets[i])
            now = time.perf_counter()
            explanations.append(
                Explanation(
                    document=documents[i],
                    scores=falls[:, target],
                    target=target,
                    classes=classifier.classes,
                    probabilities=table[0],
                    explainer=self.name,
                    all_scores=falls.T,
                    forward_passes=len(table),
                    seconds=now - started,
                    resolution=PROBABILITY,
                )
            )
            started = now
        return explanations


def _whole_and_each_left_out(words: int) -> np.ndarray:
    return np.concatenate([np.ones((1, words), dtype=bool), ~np.eye(words, dtype=bool)])


def _as_taken(classifier: Classifier) -> Callable[[np.ndarray], Any]:
    """Make tensors of arrays, except for a classifier that computes without torch."""
    if getattr(classifier, "takes_arrays", False):
        return np.asarray
    import torch

    return torch.from_numpy
