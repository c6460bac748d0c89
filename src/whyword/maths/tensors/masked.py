"""Masks of padded batches: softmax, sums and maxima over real tokens; the k largest and random subsets."""

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


def share_out(values: Tensor, owner: Tensor | None, average: bool = False) -> Tensor:
    """Divide the value of words that share a piece among them equally, or give it to each; (…, word) both.

    owner names for each word the one that has the value, itself as a rule; None: all have their own.
    """
    if owner is None:
        return values
    shared = values.gather(-1, owner.expand_as(values))
    if average:
        return shared
    sizes = torch.zeros_like(owner).scatter_add(-1, owner, torch.ones_like(owner)).gather(-1, owner)
    return shared / sizes


def sample_k_hot(logits: Tensor, mask: Tensor, k: int, temperature: float) -> Tensor:
    """Maximum of k Gumbel-softmax draws over the last axis (L2X, Chen et al. 2018): near 1 on at most k entries.

    It is 0 where mask is False.
    """
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


def some_of(candidates: Tensor) -> Tensor:
    """Draw from each row of a (row, entry) bool table a random number of its candidates, from one up to all of them.

    Every number is equally likely, and every subset of that size; a row without candidates gets none.
    """
    most = candidates.sum(-1, keepdim=True)
    share = torch.rand(most.shape, device=candidates.device)
    wanted = torch.minimum((share * most).long() + 1, most)
    keys = torch.rand(candidates.shape, device=candidates.device).masked_fill(~candidates, 2.0)  # the others last
    return (keys.argsort(-1).argsort(-1) < wanted) & candidates
