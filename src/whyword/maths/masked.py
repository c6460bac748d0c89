"""Sums, means, maxima and softmax over the real tokens of padded batches."""

from __future__ import annotations

import torch
from torch import Tensor


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis among the entries where mask is True; the others get exactly 0."""
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)


def masked_mean(values: Tensor, mask: Tensor) -> Tensor:
    """Mean over the last axis of mask's entries: (batch, time) or (batch, time, dim) to (batch,) or (batch, dim)."""
    weights = mask.to(values.dtype)
    total = weights.sum(-1).clamp(min=1)
    if values.dim() == mask.dim() + 1:
        return torch.einsum("...td,...t->...d", values, weights) / total.unsqueeze(-1)
    return (values * weights).sum(-1) / total


def masked_max(values: Tensor, mask: Tensor) -> Tensor:
    """Maximum over time of the real tokens: (batch, time, dim) to (batch, dim)."""
    return values.masked_fill(~mask.unsqueeze(-1), -torch.inf).amax(-2)


def mean_over_real(values: Tensor, mask: Tensor) -> Tensor:
    """One mean over all real tokens of the batch."""
    return values[mask].mean()
