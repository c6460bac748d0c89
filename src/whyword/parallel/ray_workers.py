"""Work spread over Ray actors, each of which keeps what it has loaded; those that die are replaced.

Actors rather than Ray tasks, for there are then as many models in memory as workers, however large the cluster; rather
than Ray Data, for an item is small (where a part begins) and its result is written whole by the process that asked, so
that tables of Arrow, a plan and a sink would add nothing to what survives a kill.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from ..interfaces.errors import MissingExtraError, WhywordError
from .outcome import AHEAD, WorkerError, run_safely_apart
from .ray_session import last_line, ray_session

T = TypeVar("T")
R = TypeVar("R")

RETRIES = 3  # times that an item is done again when its worker died, and that a worker is started again


class _Actor:
    """A process of the cluster that does one item after the other."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self.work = work

    def start(self) -> None:
        """Answer as soon as the process runs."""

    def do(self, item: Any) -> Any:
        """Give the result or the exception."""
        return run_safely_apart(self.work, item)


@dataclass
class _Errand(Generic[T]):
    """An item that is to be done, and how often a worker died of it.

    What a worker had before it when it died is suspect, as the answer of the item before may be lost with it: from then
    on each is alone on its worker, so that it is the one that brings it down or is not.
    """

    item: T
    deaths: int = 0
    is_suspect: bool = False


@dataclass
class _Worker(Generic[T]):
    """An actor, and what it has to do, in this order."""

    actor: Any
    under_way: deque[tuple[Any, _Errand[T]]] = field(default_factory=deque)  # with where its result will be

    @property
    def is_tested(self) -> bool:
        """Whether what it does must be alone."""
        return any(errand.is_suspect for _, errand in self.under_way)


def on_ray(
    work: Callable[[T], R], items: Iterator[T], workers: int, address: str | None
) -> Iterator[tuple[T, R | Exception]]:
    """Yield items with their outcomes; at most AHEAD items per worker are under way or wait to be read."""
    try:
        import ray
    except ImportError:
        raise MissingExtraError("The engine 'ray'", "ray") from None
    with ray_session(workers, address):
        pool = _Pool[T](ray, work, workers)
        try:
            yield from pool.outcomes(items)
        finally:
            pool.end()


class _Pool(Generic[T]):
    """Workers, of which those have something to do that run already; a cluster that is full starts the rest later."""

    def __init__(self, ray: Any, work: Callable[[T], Any], workers: int) -> None:
        self._ray = ray
        self._make = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(_Actor)
        self._work = ray.put(work)
        self._starting: dict[Any, Any] = {}  # where an actor says that it runs, and the actor
        self._running: list[_Worker[T]] = []
        self._suspects: deque[_Errand[T]] = deque()
        self._next_one: _Errand[T] | None = None  # looked at, and not handed out
        self._failures = 0  # workers that did not start, in a row
        for _ in range(workers):
            self._add()

    def outcomes(self, items: Iterator[T]) -> Iterator[tuple[T, Any]]:
        """Hand out items, and give each with its outcome."""
        errands = map(_Errand, items)
        while True:
            self._hand_out(errands)
            busy = {worker.under_way[0][0]: worker for worker in self._running if worker.under_way}
            if not busy:  # all is done, or no worker runs yet
                self._next_one = self._next(errands)
                if self._next_one is None and not self._suspects:
                    return
            with redirect_stdout(sys.stderr):  # where what Ray has to say about dead workers belongs
                (done,), _ = self._ray.wait([*busy, *self._starting], num_returns=1)
            if done in self._starting:
                self._welcome(done)
            else:
                yield from self._receive(busy[done])

    def end(self) -> None:
        """Stop all workers."""
        for actor in (*self._starting.values(), *(worker.actor for worker in self._running)):
            self._ray.kill(actor)

    def _next(self, errands: Iterator[_Errand[T]]) -> _Errand[T] | None:
        errand, self._next_one = self._next_one, None
        return next(errands, None) if errand is None else errand

    def _hand_out(self, errands: Iterator[_Errand[T]]) -> None:
        """Give each worker an item to do, and then each one to do after it."""
        for before in range(AHEAD):
            for worker in self._running:
                if len(worker.under_way) > before or worker.is_tested:
                    continue
                errand = self._suspects.popleft() if self._suspects and not before else self._next(errands)
                if errand is None:
                    return
                worker.under_way.append((worker.actor.do.remote(errand.item), errand))

    def _receive(self, worker: _Worker[T]) -> Iterator[tuple[T, Any]]:
        """Give what a worker's item came to; where the worker died of it, all that it had to do is done by others."""
        result, errand = worker.under_way.popleft()
        try:
            yield errand.item, self._ray.get(result)
            return
        except self._ray.exceptions.RayTaskError as error:
            yield errand.item, WorkerError(f"Ray cannot pass it on ({last_line(error)}).")
            return
        except self._ray.exceptions.RayError as error:
            reason = str(error).splitlines()[0]
        self._running.remove(worker)
        self._ray.kill(worker.actor)
        self._add()
        errand.deaths += 1
        suspects = [waiting for _, waiting in worker.under_way] + [errand] * (errand.deaths <= RETRIES)
        self._suspects.extend(replace(suspect, is_suspect=True) for suspect in suspects)
        if errand.deaths > RETRIES:
            yield errand.item, WorkerError(f"Its Ray worker died {1 + RETRIES} times ({reason}).")

    def _add(self) -> None:
        actor = self._make.remote(self._work)
        self._starting[actor.start.remote()] = actor

    def _welcome(self, started: Any) -> None:
        """Take up a worker that runs; where one after the other does not, say why."""
        actor = self._starting.pop(started)
        try:
            self._ray.get(started)
        except self._ray.exceptions.RayError as error:
            self._failures += 1
            if self._failures > RETRIES:
                raise WhywordError(
                    f"Ray's workers do not start ({last_line(error)}): on every machine of the cluster, install "
                    "whyword and what the model needs, in the versions that are here."
                ) from None
            self._add()
        else:
            self._failures = 0
            self._running.append(_Worker(actor))
