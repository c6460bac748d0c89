"""When to stop, and which weights to keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from ..interfaces.document import Batch
from ..interfaces.method import Method


@dataclass(frozen=True, order=True)
class DevScore:
    """Dev accuracy decides; among equals the lower loss does."""

    accuracy: float
    negative_loss: float


@dataclass(frozen=True)
class Best:
    """The best epoch so far and how long ago it was."""

    score: DevScore
    phase: str
    epoch: int
    epochs_since_best: int = 0  # epochs since then

    def next(self, score: DevScore, phase: str, epoch: int) -> Best:
        """Take another epoch into account."""
        return (
            Best(score, phase, epoch)
            if score > self.score
            else replace(self, epochs_since_best=self.epochs_since_best + 1)
        )


def evaluate(
    method: Method, batches: list[Batch], device: torch.device, logits_of: Callable[[Batch], Tensor] | None = None
) -> DevScore:
    """Measure accuracy and mean cross-entropy."""
    method.eval()
    right, loss, texts = 0.0, 0.0, 0
    with torch.inference_mode():
        for cpu_batch in batches:
            batch = cpu_batch.to(device)
            assert batch.labels is not None
            logits = method(batch).logits if logits_of is None else logits_of(batch)
            right += float((logits.argmax(-1) == batch.labels).sum())
            loss += float(cross_entropy(logits, batch.labels, reduction="sum"))
            texts += len(batch)
    method.train()
    return DevScore(right / texts, -loss / texts)


def copy_weights(method: nn.Module) -> dict[str, Tensor]:
    """Copy all weights."""
    return {name: tensor.detach().clone() for name, tensor in method.state_dict().items()}
