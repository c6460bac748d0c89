"""A vector becomes a Gaussian whose distance from the standard normal is what it tells (variational bottleneck)."""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn
from torch.nn.functional import softplus

SMALLEST = 1e-6  # added to deviations, so that their logarithm stays finite


class GaussianBottleneck(nn.Module):
    """Two networks of one hidden layer each: the mean u and the standard deviation σ of every dimension."""

    def __init__(self, dim: int, hidden: int, size: int, deviation: Literal["softplus", "exp"]) -> None:
        super().__init__()
        self.mean = _network(dim, hidden, size)
        self.raw_deviation = _network(dim, hidden, size)
        self.form = deviation

    def forward(self, vectors: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, dim) to (batch, size) means and (batch, size) standard deviations."""
        raw = self.raw_deviation(vectors)
        deviation = softplus(raw) if self.form == "softplus" else raw.exp()
        return self.mean(vectors), deviation + SMALLEST


def _network(dim: int, hidden: int, size: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(dim, hidden), nn.Tanh(), nn.Linear(hidden, size))
