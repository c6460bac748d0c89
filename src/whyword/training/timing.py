"""What a training step costs on this machine, measured on real batches: how many threads help, how long a run takes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass

import torch

from ..interfaces.method import Phase
from .contributions import Answered
from .loop import TrainingRun
from .stopping import SCHEDULE_EPOCHS, most_epochs

STEPS = 3  # that are timed, after one that warms up; the fastest counts, as others are at work on most machines
ROUNDS = 2  # in which every number of threads is tried, where a step is quick
LONGEST = 2.0  # seconds after which a measurement ends with the steps that it has, and there is one round
LEAST_GAIN = (
    1.2  # times the speed of one thread that more threads must reach: they cost CPU, and stall on a busy machine
)
HEAD_SECONDS = 4e-6  # per token of a step that fits contributions: a rough guess, the smaller part of the fitting


@dataclass(frozen=True)
class Timing:
    """Wall seconds per token of a step and of a forward pass, with the number of threads that is best."""

    threads: int
    step: float
    forward: float


def time_steps(run: TrainingRun, threads: Sequence[int]) -> Timing:
    """Take a few steps with each number of threads and leave the run, and the random stream, as they were."""
    tensors, values = run.snapshot()  # which shows what the run goes on to change
    tensors, values = {name: tensor.detach().clone() for name, tensor in tensors.items()}, deepcopy(values)
    fastest: dict[int, float] = {}
    began = time.perf_counter()
    for turn in range(ROUNDS * len(threads)):
        number = threads[turn % len(threads)]
        if number in fastest and (len(threads) == 1 or time.perf_counter() - began > LONGEST):
            break
        with using_threads(number):
            fastest[number] = min(_step_seconds(run), fastest.get(number, float("inf")))
        run.restore(tensors, deepcopy(values))
    chosen = fewest_that_help(fastest)
    with using_threads(chosen):
        return Timing(chosen, fastest[chosen], _forward_seconds(run))


def fewest_that_help(seconds: Mapping[int, float]) -> int:
    """Choose the number of threads by its seconds per token: more than the fewest only if they are a fifth faster."""
    best, fewest = min(seconds, key=lambda number: seconds[number]), min(seconds)
    return best if seconds[best] * LEAST_GAIN <= seconds[fewest] else fewest


def choose_threads(run: TrainingRun) -> int:
    """Choose between one thread and all that torch would use."""
    most = torch.get_num_threads()
    alone = most > 1 and run.device.type == "cpu" and run.processes.count == 1  # others would wait for its gradients
    return time_steps(run, (1, most)).threads if alone and run.plan[0].objectives else most


@contextmanager
def using_threads(number: int | None) -> Iterator[None]:
    """Let torch use so many threads for a while; None leaves them alone."""
    before = torch.get_num_threads()
    torch.set_num_threads(number or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _step_seconds(run: TrainingRun) -> float:
    """Give the seconds per token of the fastest step."""
    began = last = time.perf_counter()
    tokens, fastest = 0, float("inf")
    for number, step in enumerate(run.steps()):
        now = time.perf_counter()
        of_step = step.tokens - tokens if step.step > 1 else step.tokens
        if (number and step.record is None) or step.steps == 1:  # the last step of an epoch measures dev too
            fastest = min(fastest, (now - last) / max(1, of_step))
        if number >= STEPS or now - began > LONGEST:
            break
        tokens, last = step.tokens, time.perf_counter()
    return fastest if fastest < float("inf") else (now - began) / max(1, step.tokens)


def _forward_seconds(run: TrainingRun) -> float:
    """Give the seconds per token of a forward pass over a batch of dev."""
    batch = run.dev_batches[0].to(run.device)
    run.method.eval()
    times = []
    with torch.inference_mode():
        for _ in range(2):
            started = time.perf_counter()
            run.method(batch)
            times.append(time.perf_counter() - started)
    run.method.train()
    return min(times) / max(1, int(batch.mask.sum()))


def estimate_seconds(run: TrainingRun, timing: Timing, plan: Sequence[Phase]) -> float:
    """Say how long a plan will take on the texts of a run, if it stops as early as most do."""
    tokens = int(run.train.lengths.sum())
    dev = sum(int(batch.mask.sum()) for batch in run.dev_batches)
    seconds = 0.0
    for phase in plan:
        if phase.solve is not None:
            seconds += (tokens + dev) * timing.forward
        elif phase.refinement is None:
            epochs = min(most_epochs(phase, run.settings), SCHEDULE_EPOCHS)
            seconds += epochs * (tokens * timing.step + dev * timing.forward)
        else:
            texts = phase.refinement.texts
            asked = int(texts.lengths.sum())
            pairs = texts.pairs if isinstance(texts, Answered) else 0  # the two of a pair have all words together
            seconds += asked * ((1 + pairs) * timing.forward + phase.epochs * HEAD_SECONDS)
    return seconds
