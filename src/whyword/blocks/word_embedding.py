"""One vector per vocabulary word, learned or pretrained, frozen or tuned."""

from __future__ import annotations

from torch import Tensor, nn

from .dropout import Dropout


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
