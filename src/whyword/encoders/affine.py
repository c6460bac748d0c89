"""Affine: each word vector passes one linear layer, then the mean (Sun & Lu 2020, their DP-A encoder)."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from ..blocks.word_encoder import WordEncoder
from ..interfaces.document import Batch
from ..interfaces.settings import check_above_zero, check_share_below_one
from ..maths.tensors.masked import masked_mean


class Affine(WordEncoder):
    """Words without context, in a learned basis."""

    @dataclass(frozen=True)
    class Config:
        """Settings of the affine encoder."""

        dim: int = 100  # width of the word vectors; pretrained vectors bring their own
        hidden: int = 100  # width of the layer
        dropout: float = 0.2  # share of the entries of word vectors set to 0 in training
        frozen: bool = False  # keep the word vectors as they are

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_above_zero(self, "dim", "hidden")
            check_share_below_one(self, "dropout")

    learning_rate = 5e-3

    def __init__(self, config: Config, vocabulary: int, padding: int) -> None:
        super().__init__(config, vocabulary, padding)
        self.layer = nn.Linear(config.dim, config.hidden)
        self.layer_dims = (config.hidden,)

    def encode(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, ...]:
        """Map each vector by itself."""
        return (self.layer(embedded),)

    def summarize(self, states: Tensor, batch: Batch) -> Tensor:
        """Average over the real tokens."""
        return masked_mean(states, batch.mask)
