"""Encode, weigh the states by attention, one layer on their sum: what the attention methods share."""

from __future__ import annotations

from torch import Tensor, nn

from ..interfaces.document import Batch
from ..interfaces.method import Method, Prediction
from .attention import attend


class Attentive(Method):
    """A method that attends (Attending in interfaces/method.py); its weights are the explanation."""

    own_score = "share"
    attention: nn.Module
    head: nn.Module

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Predict from word vectors; special tokens of transformers take part in the attention."""
        return self.classify_from(*self.attention_and_states(embedded, batch))

    def attention_and_states(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Give the weights, and the states that they weigh."""
        states = self.encoder.encode(embedded, batch)[-1]
        return self.attention(states, batch.mask), states

    def classify_from(self, weights: Tensor, states: Tensor) -> Prediction:
        """Predict from the weighted sum of the states."""
        pooled = attend(weights, states)
        return Prediction(self.head(pooled), pooled, weights)
