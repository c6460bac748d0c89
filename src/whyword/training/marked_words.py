"""Marked words as a term of the loss: a method's attention or gates are drawn to what people marked.

Attention is drawn to the marks of a text, normalized to add up to one (Mathew et al. 2021); gates to their words.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy

from ..interfaces.document import REASON, UNKNOWN, Batch
from ..interfaces.errors import OptionError
from ..interfaces.method import Losses, Method, Phase
from .agreement import agreement_of

SMALLEST = 1e-9  # weight of a marked word


def with_marked_words(phase: Phase, weight: float, method: Method) -> Phase:
    """Add the term to each objective that has a task; texts of which nothing is known take no part in it."""
    if not weight or phase.refinement is not None:
        return phase
    if method.own_score is None:
        raise OptionError(
            "training.rationale_weight draws the word weights of a method to marked words, but this method has none: "
            "choose attention or vmask, or leave it out, as what people would mark is learned beside any method."
        )

    return phase.with_losses(lambda losses: _with_term(losses, weight, method))


def _with_term(losses_of: Losses, weight: float, method: Method) -> Losses:
    def losses(batch: Batch, progress: float) -> dict[str, Tensor]:
        terms = losses_of(batch, progress)
        if "task" in terms and batch.marks is not None:
            told = (batch.marks == REASON if method.own_score == "share" else batch.marks != UNKNOWN).any(1)
            if bool(told.any()):
                marked = batch.select(told.nonzero().squeeze(1))
                weights = method(marked).token_weights
                assert weights is not None
                terms["marks"] = weight * distance_from_marks(weights, marked, method.own_score == "share")
        return terms

    return losses


def distance_from_marks(weights: Tensor, batch: Batch, shares: bool) -> Tensor:
    """Mean over texts of KL(marks ‖ attention), or over known tokens of the cross-entropy of gates."""
    assert batch.marks is not None
    marks = (batch.marks == REASON).to(weights.dtype)
    if shares:
        wanted = marks / marks.sum(1, keepdim=True)
        return (torch.xlogy(wanted, wanted) - wanted * weights.clamp(min=SMALLEST).log()).sum(1).mean()
    known = batch.marks != UNKNOWN
    return binary_cross_entropy(weights[known].clamp(0, 1), marks[known])


@torch.inference_mode()
def agreement_of_weights(method: Method, batches: Sequence[Batch]) -> dict[str, float]:
    """Measure how well a method's word weights agree with marked words; nothing where none is marked."""
    weights = (method(batch).token_weights for batch in batches)
    return agreement_of(zip(batches, weights, strict=True), average=method.own_score == "gate")
