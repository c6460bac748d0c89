"""Attention weights: how much of the text vector comes from each word's state."""

from __future__ import annotations

from dataclasses import dataclass

from ..attribution.weights import WeightsExplainer


@dataclass(frozen=True)
class Attention(WeightsExplainer):
    """One forward pass per text; a weight has no sign and is the same for every class."""

    own_score = "share"
    plural = "attention weights"
    cost = "1"
    name: str = "attention"
