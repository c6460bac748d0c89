"""Word vectors of encoders: the table, how it is looked up, and how to find it."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor, nn

from ..interfaces.document import Batch
from ..interfaces.errors import OptionError
from ..interfaces.method import Encoder
from .heads import Dropout


class WordEmbedding(nn.Module):
    """Looks up word vectors and drops some of their entries in training."""

    def __init__(self, size: int, dim: int, padding: int, dropout: float, frozen: bool) -> None:
        super().__init__()
        self.table = nn.Embedding(size, dim, padding_idx=padding)
        nn.init.uniform_(self.table.weight, -0.1, 0.1)  # as VAT and Sun & Lu do
        self.table.weight.data[padding] = 0.0
        self.table.weight.requires_grad_(not frozen)
        self.dropout = Dropout(dropout)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, time) to (batch, time, dim)."""
        embedded: Tensor = self.dropout(self.table(tokens))
        return embedded


class WordVectorConfig(Protocol):
    """Settings of the word vectors, part of the settings of every such encoder."""

    @property
    def dim(self) -> int:
        """Width of the word vectors; pretrained vectors bring their own."""

    @property
    def dropout(self) -> float:
        """Share of the entries of word vectors set to 0 in training."""

    @property
    def frozen(self) -> bool:
        """Whether word vectors stay as they are."""


class WordEncoder(Encoder):
    """An encoder that looks whole words up in a vocabulary."""

    def __init__(self, config: WordVectorConfig, vocabulary: int, padding: int) -> None:
        super().__init__()
        self.embedding = WordEmbedding(vocabulary, config.dim, padding, config.dropout, config.frozen)
        self.embedding_dim = config.dim

    def embed(self, batch: Batch) -> Tensor:
        """Look up one vector per token."""
        embedded: Tensor = self.embedding(batch.tokens)
        return embedded


def word_table(encoder: Encoder) -> nn.Embedding:
    """Find the table that embed looks tokens up in: the first one of the network; its rows are the token ids."""
    for part in encoder.modules():
        if isinstance(part, nn.Embedding):
            return part
    raise OptionError(
        f"The encoder '{type(encoder).__name__.lower()}' has no table of word vectors, so masked words cannot be "
        "predicted: set method.mlm=0."
    )
