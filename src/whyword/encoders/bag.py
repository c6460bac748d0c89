"""Bag of embeddings: a text is the mean of its word vectors."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from ..blocks.word_encoder import WordEncoder
from ..interfaces.document import Batch
from ..interfaces.settings import check_above_zero, check_share_below_one
from ..maths.tensors.masked import masked_mean


class Bag(WordEncoder):
    """Words without context."""

    @dataclass(frozen=True)
    class Config:
        """Settings of the bag."""

        dim: int = 100  # width of the word vectors; pretrained vectors bring their own
        dropout: float = 0.2  # share of the entries of word vectors set to 0 in training
        frozen: bool = False  # keep the word vectors as they are

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_above_zero(self, "dim")
            check_share_below_one(self, "dropout")

    learning_rate = 5e-3

    def __init__(self, config: Config, vocabulary: int, padding: int) -> None:
        super().__init__(config, vocabulary, padding)
        self.layer_dims = (config.dim,)

    def encode(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, ...]:
        """Leave the vectors as they are."""
        return (embedded,)

    def summarize(self, states: Tensor, batch: Batch) -> Tensor:
        """Average over the real tokens."""
        return masked_mean(states, batch.mask)
