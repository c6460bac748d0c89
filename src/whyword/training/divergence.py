"""Training that diverged is stopped and told, with what to do: no model of it would be of use."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..interfaces.errors import DivergedError
from ..interfaces.method import Phase

TIMES = (
    10.0  # the loss of guessing; runs that learn stayed below 7, those whose learning rate is too high reach millions
)
IN_A_ROW = 2  # epochs: a loss may be high for one


def check_loss(loss: float, name: str, phase: Phase, epoch: int) -> float:
    """Refuse a loss that is no number; epochs count from 0."""
    if not math.isfinite(loss):
        raise DivergedError(f"The loss '{name}' became {loss} in epoch {epoch + 1}: give {_remedy(phase)}.")
    return loss


def check_epochs(
    records: Sequence[Mapping[str, Any]], phase: Phase, epochs: int, guessing: float, learning_rate: float
) -> None:
    """Stop where the loss is far above that of guessing, in training and on dev, in two epochs in a row or the last."""
    if phase.refinement is not None:
        return
    latest = [record for record in records if record["phase"] == phase.name][-IN_A_ROW:]
    if len(latest) < min(IN_A_ROW, epochs):
        return
    if all(min(record["losses"].get("task", math.inf), record["dev_loss"]) > TIMES * guessing for record in latest):
        raise DivergedError(
            f"Training diverged: in epoch {latest[-1]['epoch']} the loss on dev is {latest[-1]['dev_loss']:,.4g}, and "
            f"guessing has {guessing:.2g}. Give {_remedy(phase)} (it is {learning_rate:g})."
        )


def _remedy(phase: Phase) -> str:
    """Name the setting that is to be smaller."""
    return (
        "a smaller training.learning_rate or clip"
        if phase.refinement is None
        else f"a smaller {phase.name}.learning_rate"
    )
