"""Gates that are on with some probability: entropy, distance from a prior, and samples that pass gradients."""

from __future__ import annotations

import math

import torch
from torch import Tensor
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
