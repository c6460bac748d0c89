"""Small batches, corpora and models to test with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from whyword.blocks.heads import Head
from whyword.data.batching import Corpus
from whyword.data.dataset import labels
from whyword.data.planted import planted
from whyword.data.tokenizers.word_level import WordLevelTokenizer, learn_vocabulary
from whyword.encoders.lstm import Lstm
from whyword.inference.fitted import FittedClassifier
from whyword.interfaces.document import Batch
from whyword.interfaces.method import Encoder, Method, Phase, Prediction
from whyword.methods.attention import Attention
from whyword.training.loop import TrainingRun
from whyword.training.optimizer import Training

VOCABULARY = 12  # of random batches; id 0 is padding
SETTINGS = Training(epochs=2, batch_size=8, learning_rate=0.02, patience=None)


def random_batch(lengths: Sequence[int], classes: int = 2) -> Batch:
    """Pad texts of random words, one token each."""
    generator = np.random.default_rng(len(lengths) + sum(lengths))
    tokens, word = np.zeros((2, len(lengths), max(lengths)), dtype=np.int64)
    word -= 1
    for row, length in enumerate(lengths):
        tokens[row, :length] = generator.integers(1, VOCABULARY, length)
        word[row, :length] = np.arange(length)
    mask = word >= 0
    segments = np.zeros_like(tokens)
    chosen = generator.integers(0, classes, len(lengths))
    return Batch(*(torch.from_numpy(table) for table in (tokens, mask, word, segments, chosen)))


@dataclass(frozen=True)
class Sample:
    """A tiny planted data set, tokenized."""

    tokenizer: WordLevelTokenizer
    train: Corpus
    dev: Corpus
    classes: tuple[str | int, ...]


def sample(options: str = "train=20,dev=10,test=1") -> Sample:
    """Read a tiny planted data set."""
    dataset = planted(options)
    tokenizer = learn_vocabulary([document.words for document in dataset.train])
    classes = labels(dataset.train)
    train, dev = (Corpus.read(documents, classes, tokenizer) for documents in (dataset.train, dataset.dev))
    return Sample(tokenizer, train, dev, classes)


def attention_on_lstm(size: int, dropout: float = 0.0, bidirectional: bool = False) -> Attention:
    """A small attention model."""
    encoder = Lstm(Lstm.Config(dim=5, hidden=4, dropout=dropout, bidirectional=bidirectional), size, 0)
    return Attention(encoder, 2, Attention.Config(dropout=dropout))


def fitted(method: Method, tokenizer: WordLevelTokenizer) -> FittedClassifier:
    """Pretend that a method has been trained."""
    return FittedClassifier(method, tokenizer, tuple(range(method.head.linear.out_features)))


def training_run(method: Method, data: Sample, settings: Training = SETTINGS, seed: int = 0) -> TrainingRun:
    """Start a run on the CPU."""
    return TrainingRun(method, settings, data.train, data.dev, seed, torch.device("cpu"))


class Planned(Method):
    """A pooled classifier whose training plan is given to it."""

    def __init__(self, encoder: Encoder, plan: Callable[["Planned"], Sequence[Phase]], dropout: float = 0.0) -> None:
        super().__init__()
        self.encoder = encoder
        self.hidden = nn.Linear(encoder.state_dim, 6)
        self.head = Head(6, 2, dropout)
        self.make_plan = plan

    def classify(self, embedded: torch.Tensor, batch: Batch) -> Prediction:
        states = self.encoder.summarize(self.encoder.encode(embedded, batch)[-1], batch)
        pooled = torch.tanh(self.hidden(states))
        return Prediction(self.head(pooled), pooled)

    def plan(self, epochs: int) -> Sequence[Phase]:
        return self.make_plan(self)


def weights(module: nn.Module) -> dict[str, torch.Tensor]:
    """Copy all weights."""
    return {name: tensor.clone() for name, tensor in module.state_dict().items()}


def equal_weights(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> bool:
    """Whether all weights agree to the last bit."""
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)
