"""How far two distributions are apart, in nats where logarithms are taken; the last axis is the distribution.

Entries of 0, such as those on padding, add nothing; values and gradients stay finite whatever is 0.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

LARGEST_JSD = math.log(2)  # of distributions that share no entry


def total_variation(p: Tensor, q: Tensor) -> Tensor:
    """½ Σ |p − q|, from 0 to 1."""
    return (p - q).abs().sum(-1) / 2


def kullback_leibler(p: Tensor, q: Tensor) -> Tensor:
    """KL(p ‖ q) = Σ p ln(p / q); where q is 0 and p is not, the smallest positive number stands for q."""
    return (p * (_log(p) - _log(q))).sum(-1)


def jensen_shannon(p: Tensor, q: Tensor) -> Tensor:
    """½ KL(p ‖ m) + ½ KL(q ‖ m) with m = ½ (p + q), from 0 to ln 2."""
    middle = (p + q) / 2
    return (kullback_leibler(p, middle) + kullback_leibler(q, middle)) / 2


def max_jensen_shannon(p: Tensor, mask: Tensor) -> Tensor:
    """Give the largest JSD from p that any distribution over the entries where mask is True has.

    JSD is convex, so one that lies on a single entry is furthest: the entry that has least of p.
    """
    least = p.masked_fill(~mask, torch.inf).amin(-1)
    there = least * (_log(least) - ((1 + least) / 2).log()) - ((1 + least) / 2).log()
    return (there + (1 - least) * LARGEST_JSD) / 2


def _log(p: Tensor) -> Tensor:
    return p.clamp(min=torch.finfo(p.dtype).tiny).log()
