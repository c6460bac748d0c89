"""Gaussians with independent dimensions: distance from the standard normal, and samples that pass gradients."""

from __future__ import annotations

import torch
from torch import Generator, Tensor


def kl_to_standard_normal(mean: Tensor, deviation: Tensor) -> Tensor:
    """KL(N(u, σ²) ‖ N(0, 1)) of each dimension, in nats: ½ (u² + σ² − 1 − ln σ²)."""
    return 0.5 * (mean.square() + deviation.square() - 1) - deviation.log()


def sample_gaussian(mean: Tensor, deviation: Tensor, generator: Generator | None = None) -> Tensor:
    """Draw u + σ ε with ε ~ N(0, 1), so that gradients reach u and σ (Kingma & Welling 2014)."""
    noise = torch.empty_like(mean).normal_(generator=generator)
    return mean + deviation * noise
