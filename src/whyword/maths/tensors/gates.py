"""Gates and noise that limit information: their KL divergence from a prior, samples that pass gradients, schedules."""

from __future__ import annotations

import math

import torch
from torch import Generator, Tensor
from torch.nn.functional import logsigmoid


def bernoulli_kl(logits: Tensor, prior: float = 0.5) -> Tensor:
    """KL(Bernoulli(sigmoid(logits)) ‖ Bernoulli(prior)) in nats; for a fair coin this is ln 2 minus the entropy.

    Log-probabilities come from the logits, so values and gradients stay finite at any size of them.
    """
    keep, drop = logits.sigmoid(), (-logits).sigmoid()
    return keep * (logsigmoid(logits) - math.log(prior)) + drop * (logsigmoid(-logits) - math.log1p(-prior))


def sample_hard_gate(logits: Tensor, temperature: float) -> Tensor:
    """Draw gates that are exactly 0 or 1; gradients are those of the relaxed draw (straight-through Gumbel-softmax).

    With two outcomes the difference of two Gumbel draws is one logistic draw (Jang et al. 2017, Maddison et al. 2017).
    """
    relaxed = sample_relaxed(logits, temperature)
    hard = (relaxed > 0.5).to(relaxed.dtype)
    return hard + (relaxed - relaxed.detach())


def sample_relaxed(logits: Tensor, temperature: float) -> Tensor:
    """Draw gates between 0 and 1 that tend to 0 or 1 as the temperature falls."""
    uniform = torch.rand_like(logits).clamp(torch.finfo(logits.dtype).tiny, 1 - torch.finfo(logits.dtype).eps)
    logistic = uniform.log() - (-uniform).log1p()
    return ((logits + logistic) / temperature).sigmoid()


def kl_to_standard_normal(mean: Tensor, deviation: Tensor) -> Tensor:
    """KL(N(u, σ²) ‖ N(0, 1)) of each dimension, in nats: ½ (u² + σ² − 1 − ln σ²)."""
    return 0.5 * (mean.square() + deviation.square() - 1) - deviation.log()


def sample_gaussian(mean: Tensor, deviation: Tensor, generator: Generator | None = None) -> Tensor:
    """Draw u + σ ε with ε ~ N(0, 1), so that gradients reach u and σ (Kingma & Welling 2014)."""
    noise = torch.empty_like(mean).normal_(generator=generator)
    return mean + deviation * noise


def kl_of_mixture(share: Tensor, standardized: Tensor) -> Tensor:
    """KL per dimension from z = λ x + (1 − λ) ε to ε, in nats: −½ [1 + ln (1−λ)² − λ² x̂² − (1−λ)²].

    What passes when a vector is mixed with noise (IBA, Schulz et al. 2020). share is λ in [0, 1),
    standardized is x̂ = (x − mean of ε) / standard deviation of ε.
    """
    rest = (1 - share) ** 2
    return -0.5 * (1 + rest.log() - share**2 * standardized**2 - rest)


def staged_decay(start: float, end: float, stages: int, progress: float) -> float:
    """Go down from start to end in equal steps as progress runs from 0 to 1.

    VMASK's code: 1, 0.901, … 0.109 in ten stages.
    """
    if stages < 2:
        return start
    stage = min(int(progress * stages), stages - 1)
    return start - (start - end) * stage / (stages - 1)


def rising(end: float, progress: float) -> float:
    """Go up linearly from 0 to end with progress (KL annealing, Bowman et al. 2016, as VMASK's paper says)."""
    return end * progress
