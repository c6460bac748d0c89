"""A method, an encoder, an explainer, a metric and an adapter, found by the entry points in pyproject.toml."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from torch.nn.functional import cross_entropy

from whyword.adapters import Adapter, BlackBox, ForeignModel
from whyword.encoders import WordEncoder
from whyword.explainers import Explainer, Explanation
from whyword.methods import PooledClassifier
from whyword.metrics import Metric


class SmoothLabels(PooledClassifier):
    """The plain classifier, told that its labels may be wrong (Szegedy et al. 2016)."""

    @dataclass(frozen=True)
    class Config:
        smoothing: float = 0.1  # probability that a label is any class
        dropout: float = 0.2  # on the text vector

    def __init__(self, encoder, classes, config):
        super().__init__(encoder, classes, config.dropout)
        self.config = config

    def losses(self, batch, progress):
        return {"task": cross_entropy(self(batch).logits, batch.labels, label_smoothing=self.config.smoothing)}


class MaxBag(WordEncoder):
    """A text is the maximum of its word vectors."""

    @dataclass(frozen=True)
    class Config:
        dim: int = 50  # width of the word vectors
        dropout: float = 0.2  # share of the entries of word vectors set to 0 in training
        frozen: bool = False  # keep the word vectors as they are

    def __init__(self, config, vocabulary, padding):
        super().__init__(config, vocabulary, padding)
        self.layer_dims = (config.dim,)

    def encode(self, embedded, batch):
        return (embedded,)

    def summarize(self, states, batch):
        return states.masked_fill(~batch.mask.unsqueeze(-1), -1e9).amax(1)


@dataclass(frozen=True)
class FirstWords(Explainer):
    """The earlier a word, the higher its score: a baseline that reads nothing."""

    slope: float = 1.0  # how fast the scores fall

    def explain(self, classifier, documents, targets=None):
        table = classifier.probabilities([document.words for document in documents]).double().numpy()
        targets = table.argmax(1) if targets is None else targets
        return [
            Explanation(
                document=document,
                scores=np.exp(-self.slope * np.linspace(0, 1, len(document.words))),
                target=int(target),
                classes=classifier.classes,
                probabilities=row,
                explainer=self.name,
                signed=False,
                forward_passes=1,
            )
            for document, target, row in zip(documents, targets, table, strict=True)
        ]


@dataclass(frozen=True)
class Concentration(Metric):
    """How much of an explanation its top words carry."""

    meaning = "share of all scores that the top k words have, without their signs"
    k: int = 5  # top words

    def values(self, explanation, answers, classes):
        scores = np.abs(explanation.scores[explanation.ranking])
        return np.array([scores[: self.k].sum() / scores.sum() if scores.sum() else 1.0])


class WordCount(Adapter):
    """A file with a number: texts of more words are long, others short."""

    forms = "FILE.count"

    @classmethod
    def recognizes(cls, model):
        return isinstance(model, str) and model.endswith(".count")

    @classmethod
    def open(cls, model, access):
        most = int(Path(model).read_text(encoding="utf-8"))

        def predict_proba(texts):
            long = np.array([1 / (1 + 2.0 ** (most - len(text.split()))) for text in texts])
            return np.stack([1 - long, long], axis=1)

        return ForeignModel(BlackBox(predict_proba, ("short", "long")), name=Path(model).stem, kind="word-count")
