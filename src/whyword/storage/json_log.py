"""A file of JSON lines that only grows: each line is on the disk before the writer goes on, so a kill loses none."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from ..interfaces.errors import DataError, first_line
from ..interfaces.settings import strict_json
from .atomic import writing
from .lock import owned


class NotWrittenError(DataError):
    """A line that could not be written; the file is as it was before."""


class JsonLog:
    """The lines of a file, and a place to append more; one process at a time may have it."""

    def __init__(self, path: Path) -> None:
        """Open a file, or make it; half a line that a killed process left at the end is cut off."""
        self.path = path
        with ExitStack() as on_error:
            on_error.enter_context(owned(path))
            with writing(path):
                self._file = on_error.enter_context(path.open("a+b", buffering=0))
            self._take_up()
            self._release = on_error.pop_all()

    def _take_up(self) -> None:
        """Read what is there."""
        self._file.seek(0)
        content = self._file.read()
        whole, last = content[: content.rfind(b"\n") + 1], content[content.rfind(b"\n") + 1 :]
        self.cut = bytes(last) if last.startswith(b"{") and not _is_record(last) else b""  # what was half a line
        self.records = parse_lines(whole if self.cut else content, self.path)  # a file of another kind stays as it is
        if self.cut:
            self._file.truncate(len(whole))
        elif last:  # somebody's editor left out the end of the last line
            self._append(b"\n")

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a line; it is on the disk when this returns."""
        self._append((strict_json(record) + "\n").encode())

    def _append(self, line: bytes) -> None:
        before = os.fstat(self._file.fileno()).st_size
        try:
            if self._file.write(line) != len(line):
                raise OSError(0, "the disk took only a part of it")
            os.fsync(self._file.fileno())
        except OSError as error:
            self._file.truncate(before)
            raise NotWrittenError(
                f"{self.path.name} could not be written ({first_line(error)}): nothing of it was saved, try again."
            ) from None

    def __enter__(self) -> Self:
        """Have the file until the block ends."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let others have the file."""
        self._release.close()


def read_json_log(path: Path) -> list[dict[str, Any]]:
    """Read the lines of a file that may still be written to; half a line at its end is left out."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}): give a file of annotations.") from None
    end = content.rfind(b"\n") + 1
    return parse_lines(content if _is_record(content[end:]) else content[:end], path)


def parse_lines(content: bytes, path: Path) -> list[dict[str, Any]]:
    """Read JSON objects, one a line; blank lines are left out."""
    records = []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        if (record := _record(line)) is None:
            raise DataError(f"{path}, line {number} is no JSON object: fix the line or remove it.")
        records.append(record)
    return records


def _is_record(line: bytes) -> bool:
    return _record(line) is not None


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
