"""Do all states of a text point the same way? Then attention over them cannot matter (Mohankumar et al. 2020)."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import cosine_similarity

from .masked import masked_mean


def conicity(states: Tensor, mask: Tensor) -> Tensor:
    """Mean cosine of each state with the mean of all: (batch, time, dim) and the real tokens to (batch,)."""
    middle = masked_mean(states, mask).unsqueeze(-2)
    return masked_mean(cosine_similarity(states, middle, dim=-1), mask)
