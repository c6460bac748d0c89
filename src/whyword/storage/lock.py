"""One owner per output: while a run writes a file or folder, a second one is refused and told who has it.

The lock is a file that its owner has locked with flock: the kernel frees it however the owner ends, so no lock of this
machine is ever stale. NFS passes such locks on to the server, but not every mount does; so what the file says counts
too, and one that another machine left is not taken over.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..interfaces.errors import OptionError
from ..interfaces.places import is_remote
from .atomic import writing

BOOT = Path("/proc/sys/kernel/random/boot_id")  # of Linux: equal in all containers of a machine, until it restarts
LONGEST = 200  # characters of a command that are shown
SECRETS = ("--token",)  # options whose values are written nowhere


@dataclass(frozen=True)
class Owner:
    """Who has an output."""

    pid: int
    host: str
    boot: str | None
    since: str
    command: str

    @property
    def is_elsewhere(self) -> bool:
        """Whether it runs on another machine, so that nobody here can tell whether it still does."""
        return self.host != socket.gethostname() and (self.boot is None or self.boot != _boot())


@dataclass
class _Held:
    """A lock of this process; whoever has it may ask for it again."""

    process: int
    thread: int
    file: int
    times: int = 1


_held: dict[Path, _Held] = {}
_held_above: ContextVar[bool] = ContextVar("held_above", default=False)


class OwnedError(OptionError):
    """An output that another run writes."""


@contextmanager
def owned(output: str | Path, inside: bool = False) -> Iterator[None]:
    """Have an output to oneself; refuse with a sentence that says who has it.

    The lock of a folder that is written in place is inside it, any other is beside its output. Where files are reached
    by a URL, nothing can be locked.
    """
    if _held_above.get() or is_remote(output) or sys.platform == "win32":
        yield
        return
    lock = lock_file(Path(output), inside)
    held = _held.get(lock)
    if held is not None and held.process == os.getpid():
        if held.thread != threading.get_ident():
            raise OwnedError(f"{output} is being written by another thread of this process: name another output.")
        held.times += 1
    else:
        _held[lock] = held = _Held(os.getpid(), threading.get_ident(), _take(lock, Path(output)))
        _sweep(lock.parent, ".+" if inside else rf"{re.escape(Path(output).name)}(\.part\.log)?")
    try:
        yield
    finally:
        held.times -= 1
        if not held.times and held.process == os.getpid():  # a forked child leaves the lock to its parent
            del _held[lock]
            lock.unlink(missing_ok=True)
            os.close(held.file)
            if inside:
                with suppress(OSError):  # something was written
                    lock.parent.rmdir()


@contextmanager
def owned_by_the_run() -> Iterator[None]:
    """Take no locks: who started this work has the folder that holds all its outputs, wherever the work is done."""
    token = _held_above.set(True)
    try:
        yield
    finally:
        _held_above.reset(token)


def lock_file(output: Path, inside: bool = False) -> Path:
    """Name the file that is locked."""
    if inside:
        return Path(os.path.realpath(output), ".whyword.lock")
    return Path(os.path.realpath(output.parent), f".{output.name}.lock")


def _sweep(folder: Path, name: str) -> None:
    """Remove what an owner that was killed left half written."""
    half_written = re.compile(rf"\.{name}\.\d+\.new")
    for path in folder.iterdir():
        if half_written.fullmatch(path.name):
            path.unlink(missing_ok=True)


def _take(lock: Path, output: Path) -> int:
    """Lock the file and write down who has it."""
    import fcntl

    while True:
        with writing(output):
            lock.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            alone = True
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                alone = False
            except OSError:  # a file system without locks: what the file says must do
                owner = _read(file)
                alone = owner is None or owner.is_elsewhere or not _runs(owner.pid)
            owner = _read(file)
            if not alone or (owner is not None and owner.is_elsewhere):
                raise OwnedError(_sentence(output, owner, lock))
            if _is_at(lock, file):  # else its owner deleted it between our opening and our locking it
                with writing(output):
                    os.ftruncate(file, 0)
                    os.pwrite(file, json.dumps(asdict(_myself())).encode(), 0)
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _is_at(lock: Path, file: int) -> bool:
    try:
        return os.path.samestat(os.stat(lock), os.fstat(file))
    except FileNotFoundError:
        return False


def _read(file: int) -> Owner | None:
    """Read who has a lock; None where nobody wrote it, or not yet."""
    try:
        values: dict[str, Any] = json.loads(os.pread(file, 100_000, 0))
        return Owner(**values)
    except (ValueError, TypeError):
        return None


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _myself() -> Owner:
    return Owner(os.getpid(), socket.gethostname(), _boot(), time.strftime("%Y-%m-%d %H:%M:%S"), _command())


def _boot() -> str | None:
    try:
        return BOOT.read_text().strip()
    except OSError:
        return None


def _command() -> str:
    words = list(sys.argv)
    for place, word in enumerate(words[:-1]):
        if word in SECRETS:
            words[place + 1] = "…"
    words = [
        f"{word.partition('=')[0]}=…" if word.startswith(tuple(f"{s}=" for s in SECRETS)) else word for word in words
    ]
    command = shlex.join(words)
    return command if len(command) <= LONGEST else command[: LONGEST - 1] + "…"


def _sentence(output: Path, owner: Owner | None, lock: Path) -> str:
    if owner is None:
        return f"{output} is being written by another process: wait until it is done, or name another output."
    who = f"process {owner.pid} on {owner.host} since {owner.since} ({owner.command})"
    if owner.is_elsewhere:
        return (
            f"{output} is being written by {who}: wait until it is done, name another output, or, if it no longer "
            f"runs, delete {lock}."
        )
    return f"{output} is being written by {who}: wait until it is done, stop it, or name another output."
