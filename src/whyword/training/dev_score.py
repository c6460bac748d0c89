"""How good a method is on dev: what decides between epochs, and the best epoch so far."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..interfaces.document import Batch
from ..interfaces.method import Method
from ..maths.stats.classes import Selection, judge
from ..maths.stats.labels import judge_labels, subset_accuracy
from ..maths.stats.ordered import decided


@dataclass(frozen=True, order=True)
class DevScore:
    """A metric on dev decides, by default accuracy; among equals the lower loss does."""

    score: float
    negative_loss: float
    accuracy: float = field(default=math.nan, compare=False)  # NaN: it is the score

    def __post_init__(self) -> None:
        """Let accuracy be the score where it is not given."""
        if math.isnan(self.accuracy):
            object.__setattr__(self, "accuracy", self.score)


@dataclass(frozen=True)
class Best:
    """The best epoch so far, and how long ago it was."""

    score: DevScore
    phase: str
    epoch: int
    epochs_since_best: int = 0

    def next(self, score: DevScore, phase: str, epoch: int) -> Best:
        """Take another epoch into account."""
        return (
            Best(score, phase, epoch)
            if score > self.score
            else replace(self, epochs_since_best=self.epochs_since_best + 1)
        )


def evaluate(
    method: Method,
    batches: list[Batch],
    device: torch.device,
    logits_of: Callable[[Batch], Tensor] | None = None,
    by: Selection = "accuracy",
) -> DevScore:
    """Measure the metric that decides, mean cross-entropy, and accuracy."""
    method.eval()
    log_probability, labels = [], []
    with torch.inference_mode():
        for cpu_batch in batches:
            batch = cpu_batch.to(device)
            assert cpu_batch.labels is not None
            logits = method(batch).logits if logits_of is None else logits_of(batch)
            several = cpu_batch.labels.dim() == 2
            log_probability.append((logits if several else logits.log_softmax(-1)).cpu().double())
            labels.append(cpu_batch.labels)
    method.train()
    table, gold = torch.cat(log_probability).numpy(), torch.cat(labels).numpy()
    if gold.ndim == 2:
        return _of_labels(table, gold > 0, by)
    score, mean = judge(table, gold, by)
    return DevScore(score, mean, float((decided(np.exp(table), method.ordered) == gold).mean()))


def _of_labels(logits: np.ndarray, labels: np.ndarray, by: Selection) -> DevScore:
    """Measure a model of several labels a text; accuracy is the share of texts all of whose labels are right."""
    score, mean = judge_labels(logits, labels, by)
    return DevScore(score, mean, subset_accuracy(logits >= 0, labels))


def read_best(values: dict[str, Any] | None) -> Best | None:
    """Read what a snapshot holds of the best epoch."""
    if values is None:
        return None
    since = values["stale"] if "stale" in values else values["epochs_since_best"]  # "stale" in older snapshots
    return Best(DevScore(**values["score"]), values["phase"], values["epoch"], since)
