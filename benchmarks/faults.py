"""Faults on purpose: a command in a forked process that is killed, or that the disk refuses, at its n-th step.

A step is whatever changes the file system in the folder the command works in: a file that is opened for writing, a
write, a sync, a rename, a removal, a new folder. A write that fails has written half.
"""

from __future__ import annotations

import builtins
import errno
import hashlib
import io
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KILL, FULL, REFUSED, LIMIT = "kill", "ENOSPC", "EACCES", "EFBIG"
KINDS = (KILL, FULL, REFUSED)
CHANGING = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod")  # audit events
STEPS, OUT, ERR = "steps", "out", "err"  # files beside the folder


@dataclass(frozen=True)
class Fault:
    """What goes wrong: at which step or, of a limit (EFBIG), beyond how many bytes of a file."""

    kind: str
    at: int


@dataclass(frozen=True)
class Ended:
    """How a command ended; a negative code is the signal that ended it."""

    code: int
    out: str
    err: str
    steps: int  # that it came to


class _Steps:
    """Counts the steps of this process and lets one of them fail."""

    def __init__(self, folder: Path, fault: Fault | None, count: Path) -> None:
        self.folder, self.fault = os.path.realpath(folder), fault
        self.count = os.open(count, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self.done = 0
        self.busy = False

    def step(self, path: Any, may_be_refused: bool = True) -> None:
        """Count a step; raise or die at the one that is to fail."""
        if self._fails(may_be_refused):
            self._fail(path)

    def write(self, write: Callable[[Any], Any], flush: Callable[[], Any], content: Any) -> Any:
        """Write; the write that is to fail writes half."""
        if self._fails(may_be_refused=False):
            write(content[: len(content) // 2])
            flush()
            self._fail(None)
        return write(content)

    def _fails(self, may_be_refused: bool) -> bool:
        if self.busy:
            return False
        self.busy = True
        self.done += 1
        os.truncate(self.count, 0)
        os.lseek(self.count, 0, os.SEEK_SET)
        os.write(self.count, b"%d" % self.done)
        self.busy = False
        fault = self.fault
        return fault is not None and fault.at == self.done and (may_be_refused or fault.kind != REFUSED)

    def _fail(self, path: Any) -> None:
        assert self.fault is not None
        if self.fault.kind == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        number = getattr(errno, self.fault.kind)
        raise OSError(number, os.strerror(number), *([] if path is None else [os.fspath(path)]))

    def concerns(self, path: Any) -> bool:
        """Whether a path is in the folder; one that is relative is."""
        if isinstance(path, int):
            return False
        name = os.fsdecode(path)
        return not os.path.isabs(name) or name.startswith(self.folder)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Count what Python's audit tells of."""
        if self.busy:
            return
        if (event in CHANGING and self.concerns(arguments[0])) or (
            event == "open" and self.concerns(arguments[0]) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        ):
            self.step(arguments[0])


def install(folder: Path, fault: Fault | None, count: Path) -> None:
    """Let this process count its steps from now on, and fail at one; there is no way back."""
    if fault is not None and fault.kind == LIMIT:
        resource.setrlimit(resource.RLIMIT_FSIZE, (fault.at, fault.at))
        fault = None
    steps = _Steps(folder, fault, count)
    sys.addaudithook(steps.hear)
    real_open, real_sync, real_pwrite = io.open, os.fsync, os.pwrite

    def open_counted(file: Any, mode: str = "r", *rest: Any, **options: Any) -> Any:
        opened = real_open(file, mode, *rest, **options)
        if set(mode) & set("wax+") and steps.concerns(file):
            target = getattr(opened, "buffer", opened)
            write, flush = target.write, target.flush
            target.write = lambda content: steps.write(write, flush, content)
        return opened

    def sync_counted(file: Any) -> None:
        steps.step(None, may_be_refused=False)
        real_sync(file)

    def pwrite_counted(file: int, content: bytes, offset: int) -> int:
        return int(steps.write(lambda part: real_pwrite(file, part, offset), lambda: None, content))

    io.open = builtins.open = open_counted  # type: ignore[assignment]
    os.fsync, os.pwrite = sync_counted, pwrite_counted
    from whyword.storage import exchange

    real_exchange = exchange._exchange

    def exchange_counted(one: Path, other: Path) -> bool:
        steps.step(other)
        return real_exchange(one, other)

    exchange._exchange = exchange_counted


def start(words: Sequence[object], folder: Path, fault: Fault | None = None) -> int:
    """Start a command in a forked process that works in the folder; give the number of the process."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        os.chdir(folder)
        for number, name in ((1, OUT), (2, ERR)):
            os.dup2(os.open(f"{folder}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.stdin, sys.stdout, sys.stderr = open(os.devnull), os.fdopen(1, "w"), os.fdopen(2, "w")  # noqa: SIM115
        sys.argv = ["whyword", *map(str, words)]
        from whyword.cli.app import main

        install(folder, fault, Path(f"{folder}.{STEPS}"))
        try:
            main()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)
    raise AssertionError


def wait(process: int, folder: Path, kill_after: float | None = None, by: int = signal.SIGKILL) -> Ended:
    """Wait for a command, at most so many seconds: then it is sent a signal."""
    if kill_after is not None:
        deadline = time.monotonic() + kill_after
        done = 0
        while not done and time.monotonic() < deadline:
            time.sleep(0.002)
            done, status = os.waitpid(process, os.WNOHANG)
        if not done:
            os.kill(process, by)
            _, status = os.waitpid(process, 0)
    else:
        _, status = os.waitpid(process, 0)
    out, err = (Path(f"{folder}.{name}").read_text("utf-8") for name in (OUT, ERR))
    steps = Path(f"{folder}.{STEPS}")
    return Ended(os.waitstatus_to_exitcode(status), out, err, int(steps.read_text() or 0) if steps.exists() else 0)


def run(words: Sequence[object], folder: Path, fault: Fault | None = None) -> Ended:
    """Run a command in a forked process."""
    for name in (OUT, ERR, STEPS):
        Path(f"{folder}.{name}").write_text("")
    return wait(start(words, folder, fault), folder)


def digest(place: Path) -> str | None:
    """Name what an output holds, times and versions aside; None if there is nothing, or nothing whole."""
    if not place.exists():
        return None
    files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
    found = hashlib.sha256()
    for path in files:
        name = path.relative_to(place).as_posix()
        if path.suffix in (".html", ".md", ".tex", ".csv", ".png") or name.endswith((".lock", "manifest.json")):
            continue  # pages and tables show times
        found.update(f"{name}\n".encode())
        if path.suffix in (".json", ".jsonl"):
            lines = path.read_text("utf-8").splitlines() if path.suffix == ".jsonl" else [path.read_text("utf-8")]
            found.update(json.dumps([_timeless(json.loads(line)) for line in lines], sort_keys=True).encode())
        else:
            found.update(path.read_bytes())
    return found.hexdigest()


def _timeless(value: Any) -> Any:
    """Leave out what is another in a run that resumed: how long it took, and how many steps it took itself."""
    if isinstance(value, dict):
        timed = ("second", "_ms", "ms_per", "command", "steps")
        return {name: _timeless(item) for name, item in value.items() if not any(word in name for word in timed)}
    return [_timeless(item) for item in value] if isinstance(value, list) else value
