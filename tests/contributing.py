"""A model of the words w0, w1, … in closed form that carries contributions, as good or as bad as a test wants them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from whyword.data.words import split
from whyword.inference.black_box import BlackBox
from whyword.interfaces.classifier import Contributions
from whyword.interfaces.document import Document


def words(count):
    return Document(split(" ".join(f"w{number}" for number in range(count))))


def keeps(texts, count):
    """Read back which words the texts keep, (text, word) float."""
    kept = np.zeros((len(texts), count))
    for row, text in enumerate(texts):
        kept[row, [int(word[1:]) for word in text.split()]] = 1
    return kept


@dataclass(frozen=True, eq=False)
class Contributing(BlackBox):
    """Answers by ask, (text, word) to (text, class), and says that each text of all words has these contributions."""

    known: np.ndarray = field(default_factory=lambda: np.zeros((2, 0)))  # (class, word)
    base: np.ndarray = field(default_factory=lambda: np.zeros(2))  # (class,)
    method: Any = None
    has_contributions: bool = True
    offsets: Any = None

    def contributions(self, texts):
        table = torch.from_numpy(np.tile(self.base + self.known.sum(1), (len(texts), 1)))
        return Contributions([self.known] * len(texts), table, self.base, [0] * len(texts))

    def batches(self, texts):
        raise NotImplementedError

    def own_scores(self, texts):
        raise NotImplementedError

    def truncated_words(self, texts):
        return [0] * len(texts)

    def known_words(self, texts):
        return None

    def windows(self, texts):
        return [[] for _ in texts]


def contributing(ask, count, known, has_contributions=True):
    """Make a model of two classes; ask and known, (word,), are for the second."""

    def predict(texts):
        good = np.asarray(ask(keeps(texts, count)))
        return np.stack([1 - good, good], axis=1)

    base = predict([""])[0]
    return Contributing(
        predict, ("bad", "good"), known=np.stack([-known, known]), base=base, has_contributions=has_contributions
    )
