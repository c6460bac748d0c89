"""Attention over the encoder's states: the text vector is their weighted sum, the weights are the explanation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from ..blocks.attention import AdditiveAttention, DotProductAttention, attend
from ..blocks.head import Head
from ..interfaces.document import Batch
from ..interfaces.encoder import Encoder
from ..interfaces.method import Method, Prediction


class Attention(Method):
    """LSTM-ATT and BERT-ATT of VAT (additive), DP of Sun & Lu (dot)."""

    own_score = "share"

    @dataclass(frozen=True)
    class Config:
        """Settings of the attention layer."""

        kind: Literal["additive", "dot"] = "additive"
        width: int | None = None  # hidden width of additive attention; None: the width of the states
        scale: float | None = (
            None  # λ that divides the scores; None: 1 for additive, the root of the state width for dot
        )
        dropout: float = 0.2  # on the text vector

    def __init__(self, encoder: Encoder, classes: int, config: Config) -> None:
        super().__init__()
        self.encoder = encoder
        dim = encoder.state_dim
        self.attention: AdditiveAttention | DotProductAttention
        if config.kind == "additive":
            self.attention = AdditiveAttention(dim, config.width or dim, config.scale or 1.0)
        else:
            self.attention = DotProductAttention(dim, config.scale or dim**0.5)
        self.head = Head(dim, classes, config.dropout)

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Predict from word vectors; special tokens of transformers take part in the attention."""
        return self.read_out(*self.attended(embedded, batch))

    def attended(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Give the weights, and the states that they weigh."""
        states = self.encoder.encode(embedded, batch)[-1]
        return self.attention(states, batch.mask), states

    def read_out(self, weights: Tensor, states: Tensor) -> Prediction:
        """Predict from the weighted sum of the states."""
        text_vector = attend(weights, states)
        return Prediction(self.head(text_vector), text_vector, weights)
