"""The last layer of Sun & Lu: one score without bias for two classes, else one per class."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .dropout import Dropout


class PolarityHead(nn.Module):
    """Dropout on the text vector, then W; with two classes the scores are 0 and s, so that p(+) = sigmoid(s)."""

    def __init__(self, dim: int, classes: int, dropout: float) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        self.linear = nn.Linear(dim, 1 if classes == 2 else classes, bias=False)

    def forward(self, pooled: Tensor) -> Tensor:
        """(batch, dim) to (batch, class) logits."""
        scores: Tensor = self.linear(self.dropout(pooled))
        return torch.cat([torch.zeros_like(scores), scores], -1) if scores.shape[-1] == 1 else scores
