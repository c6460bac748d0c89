"""Texts of one class side by side, those of others apart: the supervised contrastive loss (Khosla et al. 2020)."""

from __future__ import annotations

import torch
from torch import Tensor


def supervised_contrast(vectors: Tensor, labels: Tensor, temperature: float) -> Tensor:
    """Mean over i of −1/|P(i)| Σ_{j∈P(i)} ln [exp(h_i·h_j/τ) / Σ_{k≠i} exp(h_i·h_k/τ)]; P(i): others of i's class.

    The (text, dim) vectors are scaled to length 1 first. Texts that are alone in their class are only contrasted with.
    """
    lengths = vectors.norm(dim=-1, keepdim=True)
    directions = vectors / lengths.masked_fill(lengths == 0, 1.0)
    similarity = directions @ directions.T / temperature
    itself = torch.eye(len(vectors), dtype=torch.bool, device=vectors.device)
    others = similarity.masked_fill(itself, torch.finfo(similarity.dtype).min)  # finite: a text may be all alone
    log_share = similarity - others.logsumexp(-1, keepdim=True)
    positive = (labels.unsqueeze(-1) == labels) & ~itself
    count = positive.sum(-1)
    surprise: Tensor = -log_share.masked_fill(~positive, 0.0).sum(-1) / count.clamp(min=1)
    return surprise.sum() / (count > 0).sum().clamp(min=1)
