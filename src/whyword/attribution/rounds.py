"""Ask about the sub-texts of many texts in rounds, so that each text can stop as soon as it knows enough."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch

from ..interfaces.classifier import Classifier, Removal
from ..interfaces.document import Words


class Inquiry(Protocol):
    """What is being found out about one text."""

    @property
    def words(self) -> Words:
        """The text."""
        ...

    def subsets(self) -> np.ndarray:
        """Choose the words kept in the next sub-texts to ask about, (subset, word) bool; no rows: it is done."""
        ...

    def learn(self, probabilities: np.ndarray, seconds: float) -> None:
        """Take in the answers, (subset, class) float64, and this text's share of the time they took."""
        ...


def ask_in_rounds(classifier: Classifier, inquiries: Sequence[Inquiry], removal: Removal = "delete") -> None:
    """Ask until every inquiry is done; the open ones share the batches of a round."""
    asking = list(inquiries)
    while asking:
        questions = [(inquiry, subsets) for inquiry in asking if len(subsets := inquiry.subsets())]
        requests = ((inquiry.words, torch.from_numpy(subsets)) for inquiry, subsets in questions)
        started = time.perf_counter()
        answers = [answer.double().numpy() for answer in classifier.probabilities_of_many(requests, removal)]
        seconds = time.perf_counter() - started
        sizes = [subsets.sum() + len(subsets) for _, subsets in questions]
        for (inquiry, _), answer, size in zip(questions, answers, sizes, strict=True):
            inquiry.learn(answer, seconds * float(size) / max(1.0, float(sum(sizes))))
        asking = [inquiry for inquiry, _ in questions]
