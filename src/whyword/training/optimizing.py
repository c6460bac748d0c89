"""One optimizer per objective, with its learning-rate schedule and clipping."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from ..interfaces.document import Batch
from ..interfaces.method import Objective
from .distributed import Processes
from .settings import Training


class ObjectiveOptimizer:
    """Takes the steps of one objective: freezes what it does not train, sums its losses, clips, updates."""

    def __init__(self, objective: Objective, settings: Training, learning_rate: float) -> None:
        self.objective = objective
        self.settings = settings
        self.trained = [parameter for parameter in objective.parameters if parameter.requires_grad]
        own = {parameter: rate for part, rate in objective.learning_rates for parameter in part.parameters()}
        self.by_rate: dict[float, list[nn.Parameter]] = {}
        for parameter in self.trained:
            self.by_rate.setdefault(own.get(parameter, objective.learning_rate or learning_rate), []).append(parameter)
        self.optimizer = _optimizer(self.by_rate, settings, objective.weight_decay)

    def step(
        self, method: nn.Module, batch: Batch, progress: float, share: float, processes: Processes
    ) -> dict[str, Tensor]:
        """Update the weights on one batch; share is the part of the whole batch that this process holds."""
        for group, rate in zip(self.optimizer.param_groups, self.by_rate, strict=True):
            group["lr"] = rate * schedule_factor(self.settings, progress)
        frozen = _freeze_all_but(method, self.trained)
        losses = self.objective.losses(batch, progress)
        total = torch.stack(tuple(losses.values())).sum()
        self.optimizer.zero_grad(set_to_none=True)
        (total * share).backward()
        for parameter in frozen:
            parameter.requires_grad_(True)
        processes.add_up_gradients(self.trained)
        if self.settings.clip is not None:
            nn.utils.clip_grad_norm_(self.trained, self.settings.clip)
        self.optimizer.step()
        return {name: loss.detach() for name, loss in losses.items()}


def schedule_factor(settings: Training, progress: float) -> float:
    """Multiple of the learning rate at a point of the phase; progress runs from 0 to 1."""
    if progress < settings.warmup:
        return progress / settings.warmup
    rest = (progress - settings.warmup) / (1 - settings.warmup) if settings.warmup < 1 else 0.0
    if settings.schedule == "linear":
        return 1 - rest
    if settings.schedule == "cosine":
        return 0.5 * (1 + math.cos(math.pi * rest))
    return 1.0


def _optimizer(
    by_rate: Mapping[float, list[nn.Parameter]], settings: Training, weight_decay: float
) -> torch.optim.Optimizer:
    """Make the optimizer; its fused form updates a large table of word vectors several times as fast on a CPU."""
    kinds: dict[str, type[torch.optim.Optimizer]] = {
        "adam": torch.optim.Adam,
        "adamw": torch.optim.AdamW,
        "adagrad": torch.optim.Adagrad,
        "sgd": torch.optim.SGD,
    }
    groups = [{"params": parameters, "lr": rate} for rate, parameters in by_rate.items()]
    fused = all(parameter.device.type in ("cpu", "cuda") for group in by_rate.values() for parameter in group)
    options: dict[str, Any] = {"weight_decay": weight_decay, "fused": fused}
    return kinds[settings.optimizer](groups, **options)


def _freeze_all_but(method: nn.Module, trained: list[nn.Parameter]) -> list[nn.Parameter]:
    kept = {id(parameter) for parameter in trained}
    frozen = [p for p in method.parameters() if p.requires_grad and id(p) not in kept]
    for parameter in frozen:
        parameter.requires_grad_(False)
    return frozen
