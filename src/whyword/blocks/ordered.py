"""The cumulative-logit model (proportional odds, McCullagh 1980): p(y > k) = σ(f(text) - θ_k), with rising θ."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from ..maths.tensors.ordered import NARROWEST, class_logits

PACE = 10.0  # cut points move so much faster than other weights, which are many and move the score together


class CutPoints(nn.Module):
    """Turns one score per text into log-probabilities of ordered classes; its cut points rise whatever is learned."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.first = nn.Parameter(torch.zeros(1))
        self.steps = nn.Parameter(torch.zeros(classes - 2))
        self.place(torch.arange(classes - 1) - (classes - 2) / 2)

    def forward(self, scores: Tensor) -> Tensor:
        """(batch, 1) to (batch, class) log-probabilities."""
        return class_logits(scores - self.values())

    def values(self) -> Tensor:
        """Give θ, (class - 1,)."""
        return PACE * torch.cat([self.first, self.first + softplus(self.steps).cumsum(0)])

    @torch.no_grad()
    def place(self, values: Tensor) -> None:
        """Put the cut points where they should be."""
        values = values.to(self.first) / PACE
        apart = values.diff().clamp(min=NARROWEST)
        self.first.copy_(values[:1])
        self.steps.copy_(apart + (-torch.expm1(-apart)).log())  # the inverse of softplus


class OrderedClasses(nn.Module):
    """Turns log-odds of p(y > k) into log-probabilities of the classes, for encoders whose summary is these."""

    def forward(self, odds: Tensor) -> Tensor:
        """(batch, class - 1) to (batch, class) log-probabilities."""
        return class_logits(odds)
