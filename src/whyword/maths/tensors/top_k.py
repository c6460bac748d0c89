"""Choosing k of many: hard, and relaxed so that gradients pass (L2X, Chen et al. 2018)."""

from __future__ import annotations

import torch
from torch import Tensor

from .masked import masked_softmax


def sample_k_hot(logits: Tensor, mask: Tensor, k: int, temperature: float) -> Tensor:
    """Maximum of k Gumbel-softmax draws over the last axis: close to 1 on k entries at most, 0 where mask is False."""
    uniform = torch.rand(k, *logits.shape, dtype=logits.dtype, device=logits.device)
    gumbel = -(-uniform.clamp(torch.finfo(logits.dtype).tiny, 1 - torch.finfo(logits.dtype).eps).log()).log()
    return masked_softmax((logits + gumbel) / temperature, mask.expand(k, *mask.shape)).amax(0)


def hard_k_hot(scores: Tensor, mask: Tensor, k: int) -> Tensor:
    """Mark the k largest entries of the last axis where mask is True (all of them if fewer); ties to the earlier.

    Scores are rounded first: equal words must tie whatever batch they are computed in.
    """
    order = scores.round(decimals=5).masked_fill(~mask, -torch.inf).argsort(dim=-1, descending=True, stable=True)
    chosen = torch.zeros_like(mask).scatter(-1, order[..., :k], torch.ones_like(mask))
    return chosen & mask
