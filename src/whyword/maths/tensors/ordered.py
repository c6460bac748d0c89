"""Classes that have an order, such as stars: their log-probabilities, and the log-odds of lying above each cut."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import softplus

NARROWEST = 1e-6  # distance of two cut points in log-odds, so that no class has the probability 0


def class_logits(odds: Tensor) -> Tensor:
    """Turn (…, class - 1) log-odds of p(y > k), which fall from class to class, into (…, class) log-probabilities.

    p(y = k) = σ(a) - σ(b) = σ(a) σ(-b) (1 - exp(b - a)) for neighbors a > b, exact where both are near 0 or 1.
    """
    above, below = -softplus(-odds), -softplus(odds)  # log σ, which is exact in ONNX too
    apart = (odds[..., :-1] - odds[..., 1:]).clamp(min=NARROWEST)
    half = (apart / 2).tanh()  # 1 - exp(-x) = 2 t / (1 + t) with t = tanh(x / 2): ONNX has no expm1
    between = above[..., :-1] + below[..., 1:] + (2 * half / (1 + half)).log()
    return torch.cat([below[..., :1], between, above[..., -1:]], -1)


def odds_above(logits: Tensor) -> Tensor:
    """Give the (…, class - 1) log-odds of p(y > k) of (…, class) logits, as softmax reads them."""
    classes = logits.shape[-1]
    cuts = [logits[..., k:].logsumexp(-1) - logits[..., :k].logsumexp(-1) for k in range(1, classes)]
    return torch.stack(cuts, -1)


def scale_odds(logits: Tensor, scale: Tensor | float) -> Tensor:
    """Multiply the log-odds of p(y > k) by a scale: (…, class) logits to (…, class) log-probabilities."""
    return class_logits(odds_above(logits) * scale)
