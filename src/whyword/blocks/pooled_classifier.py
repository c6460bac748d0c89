"""Encode, pool as the encoder does, one linear layer: what the plain baselines share."""

from __future__ import annotations

from torch import Tensor

from ..interfaces.document import Batch
from ..interfaces.method import Encoder, Method, Prediction
from .head import Head


class PooledClassifier(Method):
    """Maximum over time for LSTM and CNN, first token for transformers, else the mean."""

    def __init__(self, encoder: Encoder, classes: int, dropout: float) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = Head(encoder.state_dim, classes, dropout)

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Predict from word vectors."""
        pooled = self.encoder.summarize(self.encoder.encode(embedded, batch)[-1], batch)
        return Prediction(self.head(pooled), pooled)
