"""A line of JSON on standard error for each request; never a text."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

UVICORN: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"lines": {"()": "whyword.web.logs.JsonLines"}},
    "handlers": {"lines": {"class": "logging.StreamHandler", "formatter": "lines"}},
    "loggers": {"uvicorn": {"handlers": ["lines"], "level": "WARNING", "propagate": False}},
}


def line(record: Mapping[str, Any]) -> str:
    """Write a record with the time in front."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return json.dumps({"time": now, **record})


def write(record: Mapping[str, Any]) -> None:
    """Put a record on standard error."""
    print(line(record), file=sys.stderr, flush=True)


def describe_bug(error: BaseException) -> dict[str, Any]:
    """Say what went wrong and where, without the message, which may hold what a user wrote."""
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return {"bug": type(error).__name__, "where": where[-8:]}


class JsonLines(logging.Formatter):
    """What the HTTP library has to say, in the same form."""

    def format(self, record: logging.LogRecord) -> str:
        """Write one line."""
        bug = describe_bug(record.exc_info[1]) if record.exc_info and record.exc_info[1] else {}
        return line({"level": record.levelname.lower(), "message": record.getMessage().strip(), **bug})
