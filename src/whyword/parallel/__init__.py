"""The same work on many items, spread over processes of this machine or over a Ray cluster, results as they finish."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ..interfaces.errors import OptionError, unknown_name
from .outcome import WorkerError as WorkerError
from .outcome import run_safely as run_safely
from .processes import in_processes
from .ray_workers import on_ray

T = TypeVar("T")
R = TypeVar("R")

ENGINES = ("local", "ray")


def parallel_map(
    work: Callable[[T], R],
    items: Iterable[T],
    engine: str = "local",
    workers: int = 1,
    address: str | None = None,
) -> Iterator[tuple[T, R | Exception]]:
    """Yield every item with its result, or with the exception that the work raised on it, in no certain order.

    Locally, one worker means this process; more are spawned, with one torch thread each. A process that dies loses
    nothing: its item is done again, and is given up with a WorkerError only if it brings down its process once more.
    Ray is started on this machine unless an address of a cluster is given or it runs already. Items are taken up as
    they are needed, so they may be a stream; work, items and results must be picklable.
    """
    if engine not in ENGINES:
        raise unknown_name(engine, "engines", ENGINES)
    if workers < 1:
        raise OptionError(f"There are {workers} workers: give one or more.")
    if engine == "ray":
        return on_ray(work, iter(items), workers, address)
    if workers == 1:
        return ((item, run_safely(work, item)) for item in items)
    return in_processes(work, iter(items), workers)
