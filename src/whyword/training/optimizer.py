"""One optimizer per objective, with its learning-rate schedule and clipping, in one process or several."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
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

BUCKET = 6_250_000  # entries of gradients that are added up over the processes together: 25 MB of float32, as in DDP
DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16}


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
    accumulate: int = 1  # parts that the texts of a step go through the model in, where memory is short
    precision: Literal["float32", "bfloat16", "float16"] = "float32"  # of products (autocast); weights stay float32
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
        check_above_zero(
            self, "epochs", "batch_size", "batch_tokens", "learning_rate", "clip", "patience", "accumulate"
        )
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
        """Replace every gradient by its sum over the processes; small ones travel together."""
        if self.count == 1:
            return
        from torch import distributed

        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = parameter.data.new_zeros(parameter.shape)
        sent = []
        for bucket in buckets([parameter.grad for parameter in parameters if parameter.grad is not None]):
            flat = torch.cat([gradient.reshape(-1) for gradient in bucket])
            sent.append((bucket, flat, distributed.all_reduce(flat, async_op=True)))
        for bucket, flat, work in sent:
            work.wait()
            parts = flat.split([gradient.numel() for gradient in bucket])
            for gradient, part in zip(bucket, parts, strict=True):
                gradient.copy_(part.view_as(gradient))

    def wait(self) -> None:
        """Wait until every process has come this far."""
        if self._state is not None:
            self._state.wait_for_everyone()


def buckets(gradients: Sequence[Tensor], most: int = BUCKET) -> list[list[Tensor]]:
    """Put gradients of one kind together, up to that number of entries, in order; a larger one is alone."""
    together: list[list[Tensor]] = []
    entries = 0
    for gradient in gradients:
        fits = together and together[-1][0].dtype == gradient.dtype and together[-1][0].device == gradient.device
        if not fits or entries + gradient.numel() > most:
            together.append([])
            entries = 0
        together[-1].append(gradient)
        entries += gradient.numel()
    return together


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
        device = self.trained[0].device.type if self.trained else "cpu"
        # gradients of float16 fall below its smallest number unless losses are scaled up
        self.scaler = torch.amp.GradScaler(device) if settings.precision == "float16" else None

    def step(
        self, method: nn.Module, batch: Batch, progress: float, share: float, processes: Processes
    ) -> dict[str, Tensor]:
        """Update the weights on one batch; share is the part of the whole batch that this process holds."""
        return self.step_on([(batch, share)], method, progress, processes)

    def step_on(
        self, parts: Sequence[tuple[Batch, float]], method: nn.Module, progress: float, processes: Processes
    ) -> dict[str, Tensor]:
        """Update the weights once, on parts of a batch, each with its share of all the texts of the step."""
        for group, rate in zip(self.torch_optimizer.param_groups, self.by_rate, strict=True):
            group["lr"] = rate * schedule_factor(self.settings, progress, self.objective.schedule)
        if self.objective.in_training is not None:
            method.eval()
            for part in self.objective.in_training:
                part.train()
        frozen = _freeze_all_but(method, self.trained)
        mine = sum(share for _, share in parts)
        sums: dict[str, Tensor] = {}
        for number, (batch, share) in enumerate(parts):
            losses = self._losses(batch, progress)
            if not number:
                self.torch_optimizer.zero_grad(set_to_none=True)
            total = torch.stack(tuple(losses.values())).sum() * share
            (total if self.scaler is None else self.scaler.scale(total)).backward()
            for name, loss in losses.items():
                term = loss.detach() if len(parts) == 1 else loss.detach() * (share / mine)
                sums[name] = sums[name] + term if name in sums else term
        for parameter in frozen:
            parameter.requires_grad_(True)
        method.train()
        processes.add_up_gradients(self.trained)
        if self.scaler is not None:
            self.scaler.unscale_(self.torch_optimizer)
        if self.settings.clip is not None:
            nn.utils.clip_grad_norm_(self.trained, self.settings.clip)
        if self.scaler is None:
            self.torch_optimizer.step()
        else:  # leaves out a step whose gradients are not finite, and scales less from then on
            self.scaler.step(self.torch_optimizer)
            self.scaler.update()
        return sums

    def _losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        dtype = DTYPES.get(self.settings.precision)
        with nullcontext() if dtype is None else torch.autocast(batch.tokens.device.type, dtype):
            return self.objective.losses(batch, progress)


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
