"""Batches on their way to a GPU: made and copied beside the step before, from memory that it can read by itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import fields, replace

import torch
from torch import Tensor

from ..interfaces.document import Batch

AHEAD = 2  # steps whose batches are made beforehand

Parts = list[tuple[Batch, float]]


def on_device(steps: Iterable[Parts], device: torch.device) -> Iterator[Parts]:
    """Give the parts of each step on the device; on a CPU when they are asked for, for a GPU ahead."""
    if device.type == "cpu":
        for parts in steps:
            yield [(batch.to(device), share) for batch, share in parts]
        return
    for parts in ahead(steps, pin=device.type == "cuda"):
        yield [(_sent(batch, device), share) for batch, share in parts]


def ahead(steps: Iterable[Parts], pin: bool = False) -> Iterator[Parts]:
    """Make the batches of the next steps in a thread while one is worked on, in order."""
    remaining = iter(steps)

    def make() -> Parts | None:
        parts = next(remaining, None)
        return [(pinned(batch), share) for batch, share in parts] if parts is not None and pin else parts

    with ThreadPoolExecutor(1) as thread:
        waiting: deque[Future[Parts | None]] = deque(thread.submit(make) for _ in range(AHEAD))
        while (parts := waiting.popleft().result()) is not None:
            waiting.append(thread.submit(make))
            yield parts


def pinned(batch: Batch) -> Batch:
    """Put the tensors of a batch into memory that a GPU copies from by itself."""
    return _each(batch, Tensor.pin_memory)


def _sent(batch: Batch, device: torch.device) -> Batch:
    """Copy a batch without waiting for the copy."""
    return _each(batch, lambda values: values.to(device, non_blocking=True))


def _each(batch: Batch, change: Callable[[Tensor], Tensor]) -> Batch:
    tensors = {field.name: getattr(batch, field.name) for field in fields(batch)}
    return replace(batch, **{name: change(one) for name, one in tensors.items() if isinstance(one, Tensor)})
