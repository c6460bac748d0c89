"""The promise of every encoder: words become vectors (embed), then vectors in context (encode)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from torch import Tensor, nn

from .document import Batch


class Encoder(nn.Module, ABC):
    """Reads a batch in two steps, so that a method can act on the word vectors in between."""

    Config: ClassVar[type[Any]]  # frozen dataclass of its settings
    revision: ClassVar[int] = 1  # raised by hand when changed code or a changed default gives other models
    learning_rate: ClassVar[float] = 1e-3  # when the user names no other
    epochs: ClassVar[int] = 30  # at most, when the user names no other number
    token_kind: ClassVar[str] = "words"  # "words", or "pieces" when a pretrained tokenizer cuts words up

    embedding_dim: int
    layer_dims: tuple[int, ...]  # width of each layer that encode returns

    @abstractmethod
    def embed(self, batch: Batch) -> Tensor:
        """Look up one vector per token: (batch, time, embedding_dim)."""

    @abstractmethod
    def encode(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, ...]:
        """Put the vectors in context: one (batch, time, layer_dim) per layer, the top layer last."""

    @abstractmethod
    def summarize(self, states: Tensor, batch: Batch) -> Tensor:
        """Pool the top layer to one vector per text, as this encoder's plain classifier does: (batch, state_dim)."""

    @property
    def state_dim(self) -> int:
        """Width of the top layer."""
        return self.layer_dims[-1]
