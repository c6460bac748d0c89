"""The last layer of every classifier."""

from __future__ import annotations

from torch import Tensor, nn

from .dropout import Dropout


class Head(nn.Module):
    """Dropout on the text vector, then one linear layer."""

    def __init__(self, dim: int, classes: int, dropout: float) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        self.linear = nn.Linear(dim, classes)

    def forward(self, pooled: Tensor) -> Tensor:
        """(batch, dim) to (batch, class) logits."""
        logits: Tensor = self.linear(self.dropout(pooled))
        return logits
