"""Can attention matter at all? Only if the states it weighs differ."""

from __future__ import annotations

from collections.abc import Sequence

from ..interfaces.document import Batch
from ..interfaces.method import Attending, Encoder
from ..maths.tensors.conicity import conicity

ALIKE = 0.95  # conicity above which the states of a text are nearly one


def states_health(method: Attending, encoder: Encoder, batches: Sequence[Batch]) -> dict[str, float]:
    """Measure the conicity of the attended states, averaged over texts."""
    total = 0.0
    for batch in batches:
        _, states = method.attention_and_states(encoder.embed(batch), batch)
        total += float(conicity(states, batch.mask).sum())
    return {"conicity": total / max(1, sum(map(len, batches)))}


def states_warnings(health: dict[str, float], remedy: str) -> list[str]:
    """Say whether the states are too much alike for attention to matter; the method says what to change."""
    if health.get("conicity", 0.0) <= ALIKE:
        return []
    return [
        f"the states of a text are nearly the same (conicity {health['conicity']:.2f}, where 1 is one direction), so "
        f"where the attention goes hardly matters. {remedy}"
    ]
