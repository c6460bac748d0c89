"""Attention over the states of a text: one weight per token, weights that add up to one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..maths.tensors.masked import masked_softmax


class AdditiveAttention(nn.Module):
    """e_t = v · tanh(W h_t) / λ (Bahdanau et al. 2015 without a query; VAT).

    Several heads share W and have a v each (Lin et al. 2017); the weight of a token is their mean.
    """

    def __init__(self, state_dim: int, width: int, scale: float, heads: int = 1) -> None:
        super().__init__()
        self.scale = scale  # λ
        self.hidden = nn.Linear(state_dim, width, bias=False)
        self.query = nn.Linear(width, heads, bias=False)

    def scores(self, states: Tensor) -> Tensor:
        """(batch, time, dim) to (batch, time) before the softmax; with several heads (batch, time, head)."""
        scores: Tensor = self.query(torch.tanh(self.hidden(states))).squeeze(-1) / self.scale
        return scores

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """(batch, time) weights, 0 where mask is False."""
        if self.query.out_features > 1:
            return self.by_head(states, mask).mean(1)
        return masked_softmax(self.scores(states), mask)

    def by_head(self, states: Tensor, mask: Tensor) -> Tensor:
        """(batch, head, time) weights of every head."""
        scores = self.scores(states).view(*mask.shape, -1).transpose(1, 2)
        return masked_softmax(scores, mask.unsqueeze(1))


class DotProductAttention(nn.Module):
    """e_t = h_t · v / λ with a learned query v (Sun & Lu 2020, their DP; λ = √dim is the usual scaling)."""

    def __init__(self, state_dim: int, scale: float) -> None:
        super().__init__()
        self.scale = scale  # λ
        self.query = nn.Parameter(torch.randn(state_dim))

    def scores(self, states: Tensor) -> Tensor:
        """(batch, time, dim) to (batch, time) before the softmax."""
        return states @ self.query / self.scale

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """(batch, time) weights, 0 where mask is False."""
        return masked_softmax(self.scores(states), mask)


def attend(weights: Tensor, states: Tensor) -> Tensor:
    """Weighted sum of the states: (batch, time), (batch, time, dim) to (batch, dim)."""
    return torch.einsum("bt,btd->bd", weights, states)
