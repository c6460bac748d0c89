"""Words that may be read but are to move no answer: a text must be answered as it is without them.

The term is Jeffreys' divergence between the two answers, Σ (p - q)(log p - log q), and the task is learned on the texts
without these words too, so that there is something to agree on that does not need them.
"""

from __future__ import annotations

from torch import Tensor

from ..blocks.subtexts import keep_words
from ..interfaces.document import Batch
from ..interfaces.method import Losses, Method, Phase


def with_ignored_words(phase: Phase, weight: float, method: Method) -> Phase:
    """Add to each objective that has a task what the ignored words of a batch change in its answers."""
    if not weight or phase.refinement is not None:
        return phase
    return phase.with_losses(lambda losses: _with_ignored_words(losses, weight, method))


def _with_ignored_words(losses_of: Losses, weight: float, method: Method) -> Losses:
    def losses(batch: Batch, progress: float) -> dict[str, Tensor]:
        terms = losses_of(batch, progress)
        if "task" not in terms or batch.ignored is None:
            return terms
        chosen = batch.ignored.any(1).nonzero()[:, 0]
        if not len(chosen):
            return {**terms, "forbidden": terms["task"] * 0.0}
        texts = batch.select(chosen)
        assert texts.ignored is not None
        without = keep_words(texts, ~texts.ignored, method.unknown_token)
        differing = answers_differ(method(texts).logits, method(without).logits, method.multi_label).sum() / len(batch)
        terms["without forbidden"] = losses_of(without, progress)["task"] * (len(chosen) / len(batch))
        terms["forbidden"] = weight * differing
        return terms

    return losses


def answers_differ(one: Tensor, other: Tensor, multi_label: bool) -> Tensor:
    """Give Jeffreys' divergence between two answers, by their (text, class) logits: (text,); summed over labels."""
    if multi_label:
        return ((one.sigmoid() - other.sigmoid()) * (one - other)).sum(1)
    gap = one.log_softmax(1) - other.log_softmax(1)
    return ((one.softmax(1) - other.softmax(1)) * gap).sum(1)
