"""Subsets as rows of boolean tables: the k largest, random ones, distinct ones."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from .masked import masked_softmax


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


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the distinct rows of a (row, column) bool table and, for each row, the number of its equal."""
    packed = np.packbits(rows, axis=1) if rows.shape[1] else np.zeros((len(rows), 1), dtype=np.uint8)
    keys = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first], inverse.reshape(-1)
