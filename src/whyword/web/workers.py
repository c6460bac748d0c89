"""Several processes behind one port: they share its socket, and one that dies is replaced."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import connection, get_context, parent_process
from multiprocessing.context import SpawnProcess
from typing import Any

from ..interfaces.errors import ModelError, WhywordError

MOST_DEATHS, SECONDS = 5, 60.0  # more deaths in that time are no accident
LAST_WAIT = 5.0  # seconds beyond the time that a worker has to answer what it took on

Work = Callable[[Callable[[Any], None]], None]  # tells once that it is ready, and returns when it has been stopped


@dataclass
class Workers:
    """Processes that all do the same work; each starts afresh, as threads of torch do not survive a fork."""

    work: Work  # travels to the processes
    count: int
    grace: float  # seconds that a worker has to end
    log: Callable[[dict[str, Any]], None]
    _alive: list[SpawnProcess] = field(default_factory=list)
    _deaths: deque[float] = field(default_factory=lambda: deque(maxlen=MOST_DEATHS))

    def run(self, on_ready: Callable[[Any], None]) -> None:
        """Start them, say what the first one told when all are ready, and keep them up until SIGINT or SIGTERM."""
        told_to_stop, tell = os.pipe()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: os.write(tell, b"."))
        try:
            started = [self._start() for _ in range(self.count)]
            facts = [self._wait_until_ready(*one, told_to_stop) for one in started]
            if None not in facts:
                on_ready(facts[0])
                self._keep_up(told_to_stop)
        finally:
            self._stop()

    def _start(self) -> tuple[SpawnProcess, connection.Connection]:
        context = get_context("spawn")
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_do, args=(self.work, sender))
        process.start()
        sender.close()
        self._alive.append(process)
        return process, receiver

    def _wait_until_ready(self, process: SpawnProcess, told: connection.Connection, told_to_stop: int) -> Any:
        """Give what a worker told when it was ready; None if it is to stop before that."""
        if told_to_stop in connection.wait([told, told_to_stop]):
            return None
        try:
            fact = told.recv()
        except EOFError:
            process.join()
            raise ModelError(
                f"A worker ended with code {process.exitcode} before it was ready: start with --workers 1 to see why."
            ) from None
        if isinstance(fact, WhywordError):
            raise fact
        return fact

    def _keep_up(self, told_to_stop: int) -> None:
        while True:
            ready = connection.wait([told_to_stop, *(process.sentinel for process in self._alive)])
            if told_to_stop in ready:
                return
            for process in [process for process in self._alive if process.sentinel in ready]:
                self._replace(process, told_to_stop)

    def _replace(self, process: SpawnProcess, told_to_stop: int) -> None:
        process.join()
        self._alive.remove(process)
        self._deaths.append(time.monotonic())
        if len(self._deaths) == MOST_DEATHS and self._deaths[-1] - self._deaths[0] < SECONDS:
            raise ModelError(
                f"{MOST_DEATHS} workers died within {SECONDS:g} seconds, the last with code {process.exitcode}: start "
                "with --workers 1 to see why."
            )
        self.log({"level": "error", "message": f"a worker ended with code {process.exitcode}; another takes its place"})
        self._wait_until_ready(*self._start(), told_to_stop)

    def _stop(self) -> None:
        for process in self._alive:
            process.terminate()
        until = time.monotonic() + self.grace + LAST_WAIT
        for process in self._alive:
            process.join(max(0.0, until - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()


def _do(work: Work, ready: connection.Connection) -> None:
    """Work in a new process; it ends with the one that started it, however that ends."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        work(ready.send)
    except WhywordError as error:
        with suppress(OSError):
            ready.send(error)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def share_of_cores(workers: int) -> int:
    """Say how many threads each of several workers may take, where nobody says."""
    available: Sequence[int] = (
        sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    )
    return max(1, len(available) // workers)
