"""One optimizer per objective, with its learning-rate schedule and clipping, in one process or several."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from ..interfaces.document import Batch
from ..interfaces.method import Objective
from ..interfaces.settings import (
    check_above_zero,
    check_between_zero_and_one,
    check_from,
    check_share_below_one,
    refuse,
)
from ..maths.stats.classes import Selection, are_unequal


@dataclass(frozen=True)
class Training:
    """Settings of the training loop."""

    epochs: int | None = None  # at most; None: the encoder's own. Stops earlier when dev accuracy no longer rises
    patience: int | None = 4  # epochs without a better dev accuracy before a phase stops; None: never
    stopping: Literal["best", "plateau"] = "best"  # plateau: and when their mean no longer rises; docs/auto.md
    batch_size: int = 64  # texts per step
    batch_tokens: int = 16_384  # padded tokens per step at most, for long texts
    learning_rate: float | None = None  # None: the encoder's own
    optimizer: Literal["adam", "adamw", "adagrad", "sgd"] = "adam"
    schedule: Literal["constant", "linear", "cosine"] = "constant"  # of the learning rate through a phase
    warmup: float = 0.0  # share of a phase in which the learning rate rises from 0
    clip: float | None = 1.0  # largest norm of the gradient; None: no clipping
    head_only: bool = False  # learn only the last layer of base, on an encoder that stays as it is: takes seconds
    subtexts: float = 0.0  # weight w of the task on random sub-texts, which makes removals part of the data; 0: none
    forbid_weight: float = 1.0  # of the words of forbid_soft: how much answers must not differ without them
    rationale_weight: float = 0.0  # of the term that draws a method's word weights to marked words; 0: none
    class_weight: Literal["balanced"] | dict[str, float] | None = None  # how much each class counts; balanced: alike
    select: Selection | Literal["auto"] = "accuracy"  # what dev decides by; auto: see selection
    calibrate: bool = False  # fit a temperature on dev, so that probabilities say how often they are right
    threshold: float | Literal["auto"] | None = None  # from which probability on the last of two classes; auto: by dev

    def __post_init__(self) -> None:
        """Refuse settings out of range."""
        check_above_zero(self, "epochs", "batch_size", "batch_tokens", "learning_rate", "clip", "patience")
        check_share_below_one(self, "warmup")
        check_from(self, 0, "subtexts", "forbid_weight", "rationale_weight")
        check_between_zero_and_one(self, "threshold")
        if isinstance(self.class_weight, dict) and not all(0 <= w < math.inf for w in self.class_weight.values()):
            refuse(self, "class_weight", "a number from 0 up for each class")


def selection(settings: Training, labels: np.ndarray, ordered: bool = False) -> Selection:
    """Say what dev decides by: as set, or else by what training makes much of.

    That is log-loss averaged over classes if classes are balanced by their weights, for hits among a handful of texts
    of a rare class are chance; macro-F1 if the largest class of the (text,) training labels has more than 1.5 times the
    texts of the smallest, or if a text may have several labels; else accuracy. Where classes have an order, it is the
    mean absolute error, unless they are balanced.
    """
    if settings.select != "auto":
        return settings.select
    if settings.class_weight == "balanced":
        return "balanced-loss"
    if ordered:
        return "absolute-error"
    if labels.ndim == 2:
        return "macro-f1"
    return "macro-f1" if are_unequal(labels) else "accuracy"


class Processes:
    """The processes of this run: one alone, or those that `torchrun` or `accelerate launch` started."""

    def __init__(self) -> None:
        self._state: Any = None
        self.rank, self.count = 0, 1
        if int(os.environ.get("WORLD_SIZE", "1")) > 1:
            from accelerate import PartialState

            self._state = PartialState(cpu=not torch.cuda.is_available())  # else it takes a CPU process to be alone
            self.rank, self.count = self._state.process_index, self._state.num_processes

    @property
    def is_first(self) -> bool:
        """Whether this process writes files and shows progress."""
        return self.rank == 0

    def share(self, texts: np.ndarray) -> np.ndarray:
        """Give the texts of a batch that this process reads."""
        return texts[self.rank :: self.count]

    def add_up_gradients(self, parameters: Sequence[nn.Parameter]) -> None:
        """Replace every gradient by its sum over the processes."""
        if self.count == 1:
            return
        from accelerate.utils import reduce

        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = parameter.data.new_zeros(parameter.shape)
            parameter.grad.copy_(reduce(parameter.grad, reduction="sum"))

    def wait(self) -> None:
        """Wait until every process has come this far."""
        if self._state is not None:
            self._state.wait_for_everyone()


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
        self.torch_optimizer = _optimizer(self.by_rate, settings, objective.weight_decay)

    def step(
        self, method: nn.Module, batch: Batch, progress: float, share: float, processes: Processes
    ) -> dict[str, Tensor]:
        """Update the weights on one batch; share is the part of the whole batch that this process holds."""
        for group, rate in zip(self.torch_optimizer.param_groups, self.by_rate, strict=True):
            group["lr"] = rate * schedule_factor(self.settings, progress, self.objective.schedule)
        if self.objective.in_training is not None:
            method.eval()
            for part in self.objective.in_training:
                part.train()
        frozen = _freeze_all_but(method, self.trained)
        losses = self.objective.losses(batch, progress)
        total = torch.stack(tuple(losses.values())).sum()
        self.torch_optimizer.zero_grad(set_to_none=True)
        (total * share).backward()
        for parameter in frozen:
            parameter.requires_grad_(True)
        method.train()
        processes.add_up_gradients(self.trained)
        if self.settings.clip is not None:
            nn.utils.clip_grad_norm_(self.trained, self.settings.clip)
        self.torch_optimizer.step()
        return {name: loss.detach() for name, loss in losses.items()}


def schedule_factor(settings: Training, progress: float, schedule: str | None = None) -> float:
    """Multiple of the learning rate at a point of the phase; progress runs from 0 to 1."""
    schedule = schedule or settings.schedule
    if progress < settings.warmup:
        return progress / settings.warmup
    rest = (progress - settings.warmup) / (1 - settings.warmup) if settings.warmup < 1 else 0.0
    if schedule == "linear":
        return 1 - rest
    if schedule == "cosine":
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
    stays_free = {id(parameter) for parameter in trained}
    frozen = [p for p in method.parameters() if p.requires_grad and id(p) not in stays_free]
    for parameter in frozen:
        parameter.requires_grad_(False)
    return frozen
