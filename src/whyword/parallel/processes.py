"""Work spread over processes of this machine."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TypeVar

from .outcome import AHEAD, ONE_THREAD, WorkerError, run_safely_apart

T = TypeVar("T")
R = TypeVar("R")


def in_processes(work: Callable[[T], R], items: Iterator[T], workers: int) -> Iterator[tuple[T, R | Exception]]:
    """Yield items with their outcomes; an item whose process died is done again, alone."""
    while suspects := (yield from _until_one_dies(work, items, workers)):
        for item in suspects:  # each alone shows which of them it was
            if (yield from _until_one_dies(work, iter([item]), 1)):
                yield item, WorkerError("The process that worked on it died twice: perhaps memory ran out.")


def _until_one_dies(
    work: Callable[[T], R], items: Iterator[T], workers: int
) -> Generator[tuple[T, R | Exception], None, list[T]]:
    """Yield results; return the items that were under way when a process died, none if all went well."""
    running: dict[Future[R | Exception], T] = {}
    with _pool(workers) as pool:
        while True:
            for item in islice(items, AHEAD * workers - len(running)):
                try:
                    running[pool.submit(run_safely_apart, work, item)] = item
                except BrokenProcessPool:
                    return [*running.values(), item]
            if not running:
                return []
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            sound = [future for future in done if not isinstance(future.exception(), BrokenProcessPool)]
            for future in sound:
                yield running.pop(future), future.result()
            if len(sound) < len(done):
                return list(running.values())


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes that end at once when they are no longer wanted, or when this one is gone."""
    context = get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, _begin, (reader,))
    try:
        yield pool
    finally:
        writer.close()
        pool.shutdown(cancel_futures=True)
        reader.close()


def _begin(reader: Connection) -> None:
    os.environ |= ONE_THREAD  # before torch is imported
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started us
    threading.Thread(target=_leave_with, args=(reader,), daemon=True).start()


def _leave_with(reader: Connection) -> None:
    reader.poll(None)  # answers when the other end is closed, which also happens to one that is killed
    os._exit(0)
