"""The same work on many items, spread over processes of this machine or over a Ray cluster, results as they finish."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, redirect_stdout
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from .interfaces.errors import MissingExtraError, OptionError, WhywordError, unknown_name

T = TypeVar("T")
R = TypeVar("R")

ENGINES = ("local", "ray")
AHEAD = 2  # items handed out per worker, so that none waits for the one who reads the results
RETRIES = 3  # times that Ray does an item again when its worker died
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
STORE_BYTES = 150_000_000  # memory that a local Ray sets aside for passing values around


class WorkerError(WhywordError):
    """A process that died while it worked on an item."""


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
        return _on_ray(work, iter(items), workers, address)
    if workers == 1:
        return ((item, run_safely(work, item)) for item in items)
    return _in_processes(work, iter(items), workers)


def run_safely(work: Callable[[T], R], item: T) -> R | Exception:
    """Give the result, or the exception that the work raised, with its traceback as a note if it is not the user's."""
    try:
        return work(item)
    except Exception as error:
        if not isinstance(error, WhywordError):
            error.add_note(traceback.format_exc())  # a traceback itself stays behind in its process
        return error


def _run_safely_apart(work: Callable[[T], R], item: T) -> R | Exception:
    outcome = run_safely(work, item)
    return _portable(outcome) if isinstance(outcome, Exception) else outcome


def _portable(error: Exception) -> Exception:
    """Give an error that survives being pickled: as it is, or at least what it says."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # whatever an exception of some library raises
        return WhywordError(str(error)) if isinstance(error, WhywordError) else RuntimeError(repr(error))
    return error


def _in_processes(work: Callable[[T], R], items: Iterator[T], workers: int) -> Iterator[tuple[T, R | Exception]]:
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
                    running[pool.submit(_run_safely_apart, work, item)] = item
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


def _on_ray(
    work: Callable[[T], R], items: Iterator[T], workers: int, address: str | None
) -> Iterator[tuple[T, R | Exception]]:
    try:
        import ray
    except ImportError:
        raise MissingExtraError("The engine 'ray'", "ray") from None
    running: dict[Any, T] = {}
    with _ray_session(ray, workers, address):
        run_safely: Any = ray.remote(max_retries=RETRIES)(_run_safely_apart)
        shared = ray.put(work)
        while True:
            for item in islice(items, AHEAD * workers - len(running)):
                running[run_safely.remote(shared, item)] = item
            if not running:
                return
            with redirect_stdout(sys.stderr):  # where what Ray has to say about dead workers belongs
                (done,), _ = ray.wait(list(running), num_returns=1)
            item = running.pop(done)
            try:
                yield item, ray.get(done)
            except ray.exceptions.RayError as error:
                yield item, WorkerError(f"Its Ray worker died {1 + RETRIES} times ({str(error).splitlines()[0]}).")


@contextmanager
def _ray_session(ray: Any, workers: int, address: str | None) -> Iterator[None]:
    if ray.is_initialized():  # somebody else's: left as it is
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or it warns that this will be its default
    package = Path(__file__).parent
    quiet = {"include_dashboard": False, "logging_level": logging.ERROR, "log_to_driver": False}
    runtime: dict[str, Any] = {"env_vars": ONE_THREAD}
    if address is None:
        paths = os.pathsep.join(filter(None, [str(package.parent), os.environ.get("PYTHONPATH")]))
        runtime["env_vars"] = {"PYTHONPATH": paths, **ONE_THREAD}
        sizes = {"num_cpus": workers, "object_store_memory": STORE_BYTES}
    else:
        runtime["py_modules"] = [str(package)]
        sizes = {}
    try:
        ray.init(address=address or "local", runtime_env=runtime, **sizes, **quiet)
    except Exception as error:  # Ray has no one error for this
        where = "on this machine" if address is None else f"at {address}"
        reason = str(error).splitlines()[0].rstrip(".")
        raise OptionError(f"Ray does not run {where} ({reason}): try again, or use the engine local.") from error
    try:
        yield
    finally:
        with redirect_stdout(sys.stderr):
            ray.shutdown()
