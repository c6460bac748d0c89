"""What encoders of whole words share: a table of word vectors, which embed looks up."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from ..interfaces.document import Batch
from ..interfaces.method import Encoder
from .word_embedding import WordEmbedding


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
