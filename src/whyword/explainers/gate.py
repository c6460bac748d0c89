"""Gates: the probability that a word is kept, of methods that mask words."""

from __future__ import annotations

from dataclasses import dataclass

from ..attribution.weights import WeightsExplainer


@dataclass(frozen=True)
class Gate(WeightsExplainer):
    """One forward pass per text; a weight has no sign and is the same for every class."""

    own_score = "gate"
    plural = "gates"
    cost = "1"
    name: str = "gate"
