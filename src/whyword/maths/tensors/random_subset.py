"""Subsets drawn at random, row by row."""

from __future__ import annotations

import torch
from torch import Tensor


def some_of(candidates: Tensor) -> Tensor:
    """Draw from each row of a (row, entry) bool table a random number of its candidates, from one up to all of them.

    Every number is equally likely, and every subset of that size; a row without candidates gets none.
    """
    most = candidates.sum(-1, keepdim=True)
    share = torch.rand(most.shape, device=candidates.device)
    wanted = torch.minimum((share * most).long() + 1, most)
    keys = torch.rand(candidates.shape, device=candidates.device).masked_fill(~candidates, 2.0)  # the others last
    return (keys.argsort(-1).argsort(-1) < wanted) & candidates
