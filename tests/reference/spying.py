"""A judge that writes down what it is asked, and explanations with scores of one's choice."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from whyword.data.words import split
from whyword.inference.black_box import BlackBox, sub_text
from whyword.interfaces.document import Document, Label
from whyword.interfaces.explanation import Explanation

CLASSES = ("bad", "good")


class Spy:
    """Passes questions on, and remembers each request and each sub-text in it."""

    def __init__(self, judge):
        self.judge, self.classes = judge, judge.classes
        self.requests = 0
        self.asked = []

    def probabilities(self, texts):
        return self.judge.probabilities(texts)

    def probabilities_of_subsets(self, text, kept, removal="delete"):
        return next(self.probabilities_of_many([(text, kept)], removal))

    def probabilities_of_many(self, requests, removal="delete"):
        self.requests += 1
        return self.judge.probabilities_of_many(self._watched(requests), removal)

    def _watched(self, requests):
        for text, kept in requests:
            self.asked += [sub_text(text, row) for row in kept.tolist()]
            yield text, kept


def additive(weights: Mapping[str, float]) -> BlackBox:
    """A model of the classes bad and good whose evidence for good is the sum of its words' weights."""

    def ask(texts: Sequence[str]) -> np.ndarray:
        evidence = torch.tensor([sum(weights.get(word, 0.0) for word in text.split()) for text in texts])
        good = evidence.double().sigmoid().numpy()
        return np.stack([1 - good, good], axis=1)

    return BlackBox(ask, CLASSES)


def explanation(
    text: str, scores: Sequence[float], target: int = 1, label: Label | None = None, marked: str | None = None
) -> Explanation:
    """Explain a text by scores of one's choice; the marked words, all their occurrences, are its rationale."""
    words = split(text)
    spans = [span for span, word in zip(words.spans[0], words.strings, strict=True) if word in (marked or "").split()]
    document = Document(words, label, None if marked is None else (tuple(spans),))
    values = np.array(scores, dtype=np.float64)
    return Explanation(document, values, target, CLASSES, np.array([0.5, 0.5]), "chosen")
