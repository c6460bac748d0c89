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


def gather_words(values: Tensor, word_of_token: Tensor, words: int, average: bool) -> Tensor:
    """Gather token values by word: (batch, time) to (batch, words), pieces summed or averaged; 0 for words without any.

    word_of_token is -1 on tokens that belong to no word.
    """
    if not words:
        return values.new_zeros(len(values), 0)
    inside = word_of_token >= 0
    index = word_of_token.clamp(min=0)
    total = values.new_zeros(len(values), words).scatter_add(1, index, values * inside)
    if not average:
        return total
    pieces = values.new_zeros(len(values), words).scatter_add(1, index, inside.to(values.dtype))
    return total / pieces.clamp(min=1)
