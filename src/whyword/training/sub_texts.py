"""Sub-text training: the task is learned on random sub-texts too, so that removing words asks nothing unheard of.

Hase et al. 2021; Madsen et al. 2024.
"""

from __future__ import annotations

from torch import Tensor

from ..blocks.subtexts import random_sub_texts
from ..interfaces.document import Batch
from ..interfaces.method import Losses, Phase


def with_sub_texts(phase: Phase, weight: float, unknown: int) -> Phase:
    """Add to each objective that has a task its loss on a random sub-text of each text and on the words left out."""
    if not weight or phase.refinement is not None:
        return phase
    return phase.with_losses(lambda losses: _with_sub_texts(losses, weight, unknown))


def _with_sub_texts(losses_of: Losses, weight: float, unknown: int) -> Losses:
    def losses(batch: Batch, progress: float) -> dict[str, Tensor]:
        terms = losses_of(batch, progress)
        if "task" in terms:
            terms["sub-texts"] = weight * losses_of(random_sub_texts(batch, unknown), progress)["task"]
        return terms

    return losses
