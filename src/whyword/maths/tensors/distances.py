"""Distances: between distributions, of states from their mean, between the texts of a class and others.

Divergences are in nats, the last axis is the distribution; entries of 0, such as those on padding, add nothing, and
values and gradients stay finite whatever is 0.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from .masked import masked_mean

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


def conicity(states: Tensor, mask: Tensor) -> Tensor:
    """Mean cosine of each state with the mean of all: (batch, time, dim) and the real tokens to (batch,).

    Where all states of a text point the same way, attention over them cannot matter (Mohankumar et al. 2020).
    """
    middle = masked_mean(states, mask).unsqueeze(-2)
    return masked_mean(cosine_similarity(states, middle, dim=-1), mask)


def supervised_contrast(vectors: Tensor, labels: Tensor, temperature: float) -> Tensor:
    """Supervised contrastive loss (Khosla et al. 2020): texts of one class side by side, those of others apart.

    Mean over i of −1/|P(i)| Σ_{j∈P(i)} ln [exp(h_i·h_j/τ) / Σ_{k≠i} exp(h_i·h_k/τ)]; P(i): others of i's class.
    The (text, dim) vectors are scaled to length 1 first. Texts that are alone in their class are only contrasted with.
    Of several labels a text, (text, label), those with exactly the same ones are of one class.
    """
    lengths = vectors.norm(dim=-1, keepdim=True)
    directions = vectors / lengths.masked_fill(lengths == 0, 1.0)
    similarity = directions @ directions.T / temperature
    itself = torch.eye(len(vectors), dtype=torch.bool, device=vectors.device)
    others = similarity.masked_fill(itself, torch.finfo(similarity.dtype).min)  # finite: a text may be all alone
    log_share = similarity - others.logsumexp(-1, keepdim=True)
    same = (labels.unsqueeze(1) == labels).all(-1) if labels.dim() == 2 else labels.unsqueeze(-1) == labels
    positive = same & ~itself
    count = positive.sum(-1)
    surprise: Tensor = -log_share.masked_fill(~positive, 0.0).sum(-1) / count.clamp(min=1)
    return surprise.sum() / (count > 0).sum().clamp(min=1)
