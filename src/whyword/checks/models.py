"""An untrained model that is opinionated enough to be explained."""

from __future__ import annotations

from ..encoders.lstm import Lstm
from ..inference.fitted import FittedClassifier
from ..interfaces.document import Tokenizer
from ..methods.attention import Attention
from .learning import MakeMethod
from .promise import seeded
from .samples import sample_words

LABELS = ("bad", "fair", "good")
LOUDER = 3.0  # random weights times this: probabilities then depend on every word well above rounding


def sample_classifier() -> FittedClassifier:
    """Give a model with its own scores, word by word, for three classes."""
    return untrained(_attention, sample_words())


def untrained(make: MakeMethod, tokenizer: Tokenizer) -> FittedClassifier:
    """Give a classifier whose weights are random, but large enough for every word to count."""
    with seeded():
        method = make(tokenizer, len(LABELS)).eval()
    for parameter in method.parameters():
        parameter.data *= LOUDER
    return FittedClassifier(method, tokenizer, LABELS)


def _attention(tokenizer: Tokenizer, classes: int) -> Attention:
    encoder = Lstm(Lstm.Config(dim=8, hidden=8), tokenizer.size, tokenizer.padding)
    return Attention(encoder, classes, Attention.Config())
