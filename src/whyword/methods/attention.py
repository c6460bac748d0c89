"""Attention over the encoder's states: the text vector is their weighted sum, the weights are the explanation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..blocks.attention import AdditiveAttention, Attentive, DotProductAttention
from ..blocks.heads import Head
from ..interfaces.method import Encoder
from ..interfaces.settings import check_above_zero, check_share_below_one


class Attention(Attentive):
    """LSTM-ATT and BERT-ATT of VAT (additive), DP of Sun & Lu (dot)."""

    attention: AdditiveAttention | DotProductAttention

    @dataclass(frozen=True)
    class Config:
        """Settings of the attention layer."""

        kind: Literal["additive", "dot"] = "additive"
        width: int | None = None  # hidden width of additive attention; None: the width of the states
        scale: float | None = (
            None  # λ that divides the scores; None: 1 for additive, the root of the state width for dot
        )
        dropout: float = 0.2  # on the text vector

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_above_zero(self, "width", "scale")
            check_share_below_one(self, "dropout")

    def __init__(self, encoder: Encoder, classes: int, config: Config) -> None:
        super().__init__()
        self.encoder = encoder
        dim = encoder.state_dim
        if config.kind == "additive":
            self.attention = AdditiveAttention(dim, config.width or dim, config.scale or 1.0)
        else:
            self.attention = DotProductAttention(dim, config.scale or dim**0.5)
        self.head = Head(dim, classes, config.dropout)
