"""A small network that looks at one word vector at a time and says how much the word counts."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..interfaces.document import Batch


class WordGate(nn.Module):
    """One hidden layer, one number per token: Linear, tanh, Linear (VMASK's inference network)."""

    def __init__(self, embedding_dim: int, width: int, bias: bool = True) -> None:
        super().__init__()
        self.hidden = nn.Linear(embedding_dim, width)
        self.output = nn.Linear(width, 1, bias=bias)

    def forward(self, embedded: Tensor) -> Tensor:
        """(…, embedding_dim) to (…)."""
        logits: Tensor = self.output(torch.tanh(self.hidden(embedded))).squeeze(-1)
        return logits


class Units:
    """What gets one gate: each word with all its pieces, or each token by itself."""

    def __init__(self, batch: Batch, whole_words: bool) -> None:
        self.index: Tensor | None = None  # (batch, time): the unit of each token; None: tokens are the units
        if whole_words:
            words = int(batch.word_of_token.max().clamp(min=-1)) + 1 if batch.word_of_token.numel() else 0
            alone = words + torch.arange(batch.tokens.shape[1], device=batch.tokens.device)
            self.index = torch.where(batch.is_word, batch.word_of_token, alone)
            self.count = words + batch.tokens.shape[1]

    def pool(self, values: Tensor) -> Tensor:
        """Average over the tokens of a unit: (batch, time) to (batch, unit)."""
        if self.index is None:
            return values
        return values.new_zeros(len(values), self.count).scatter_add(1, self.index, values) / self.sizes(values)

    def sizes(self, like: Tensor) -> Tensor:
        """Count the tokens of each unit, at least 1: (batch, time) to (batch, unit)."""
        if self.index is None:
            return torch.ones_like(like)
        return like.new_zeros(len(like), self.count).scatter_add(1, self.index, torch.ones_like(like)).clamp(min=1)

    def spread(self, values: Tensor) -> Tensor:
        """Give every token the value of its unit: (batch, unit) to (batch, time)."""
        return values if self.index is None else values.gather(1, self.index)
