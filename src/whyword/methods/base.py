"""The plain classifier that every method is compared with: encode, pool, one linear layer."""

from __future__ import annotations

from dataclasses import dataclass

from ..blocks.heads import PooledClassifier
from ..interfaces.method import Encoder
from ..interfaces.settings import check_share_below_one


class Base(PooledClassifier):
    """Pools as the encoder does: maximum over time for LSTM and CNN, first token for transformers, else the mean."""

    @dataclass(frozen=True)
    class Config:
        """Settings of the plain classifier."""

        dropout: float = 0.2  # on the text vector; authors' VMASK code

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_share_below_one(self, "dropout")

    def __init__(self, encoder: Encoder, classes: int, config: Config) -> None:
        super().__init__(encoder, classes, config.dropout)
