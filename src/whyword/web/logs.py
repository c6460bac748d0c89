"""Lines of JSON on standard error, so many a second at most; never a text, never a traceback."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

LIBRARIES = ("uvicorn", "asyncio", "whyword.web")  # whose loggers are heard
MOST_REQUESTS, MOST_MESSAGES = 100, 1  # lines of one kind in a second


@dataclass
class Second:
    """How many lines of a kind there were in a second, and how many were left out since one was written."""

    began: float
    lines: int = 0
    left_out: int = 0


class Log:
    """Writes a line for each record: a request, or a message. Those beyond the limit are counted instead."""

    def __init__(self, quiet: bool = False) -> None:
        """Quiet: write only what is wrong with the server itself."""
        self.quiet = quiet
        self._seconds: dict[str, Second] = {}
        self._lock = threading.Lock()

    def __call__(self, record: Mapping[str, Any], kind: str | None = None) -> None:
        """Put a record on standard error; kind is what is counted together."""
        if self.quiet and record.get("level") != "error" and "bug" not in record:
            return
        most = MOST_REQUESTS if "route" in record else MOST_MESSAGES
        with self._lock:
            name = kind or f"{record.get('route')} {record.get('status')} {record.get('message')}"
            left_out = self._left_out(name, most)
        if left_out is not None:
            write({**record, "left_out": left_out} if left_out else record)

    def _left_out(self, kind: str, most: int) -> int | None:
        """Count a line; give how many of its kind were left out before it, or None if it is one too many."""
        now = time.monotonic()
        second = self._seconds.setdefault(kind, Second(now))
        if now - second.began >= 1:
            second.began, second.lines = now, 0
        second.lines += 1
        if second.lines > most:
            second.left_out += 1
            return None
        before, second.left_out = second.left_out, 0
        return before

    def close(self) -> None:
        """Say how many lines were left out and not yet told."""
        for kind, second in self._seconds.items():
            if second.left_out:
                write({"level": "info", "message": f"further lines were left out: {kind}", "left_out": second.left_out})
                second.left_out = 0

    def hear_libraries(self) -> None:
        """Take what libraries have to say, too."""
        for name in LIBRARIES:
            library = logging.getLogger(name)
            library.handlers, library.propagate = [ToLog(self)], False
            library.setLevel(logging.WARNING)


class ToLog(logging.Handler):
    """What a library has to say, as a record."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self.log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write the first line of the message, without what it was about, which may hold what a user wrote."""
        level = record.levelname.lower()
        message = (record.getMessage().strip().splitlines() or [""])[0][:200]
        error = record.exc_info[1] if record.exc_info else None
        self.log({"level": level, "message": message, **_cause(error)}, f"{record.name} {level}")


def write(record: Mapping[str, Any]) -> None:
    """Put a record on standard error, with the time in front."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    print(json.dumps({"time": now, **record}), file=sys.stderr, flush=True)


def _cause(error: BaseException | None) -> dict[str, Any]:
    if error is None:
        return {}
    if isinstance(error, OSError):  # a client that went, or a system that gives no more
        return {"cause": f"{type(error).__name__}: {error.strerror}"}
    return describe_bug(error)


def describe_bug(error: BaseException) -> dict[str, Any]:
    """Say what went wrong and where, without the message, which may hold what a user wrote."""
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return {"bug": type(error).__name__, "where": where[-8:]}
