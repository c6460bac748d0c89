"""An unfinished output file: finished rows stay beside its place, and a run with the same settings resumes after them.

OUT.part holds a JSON value a line; OUT.part.log holds the settings of the run and, for each chunk of rows that is
complete, how far it reaches and a checksum of all rows up to there. Rows beyond that, such as half a line after the
process was killed, are dropped; so are those that do not agree with the checksum, as after a lost power supply.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from shutil import copyfile
from typing import Any

from ..interfaces.errors import WriteError
from ..interfaces.places import is_remote
from ..interfaces.settings import strict_json
from .atomic import replacing, sync, writing

Chunk = tuple[Sequence[Any], int]  # rows that were computed together, and the forward passes they took


class PartFile:
    """The rows of an output that are done."""

    def __init__(self, output: Path, settings: Mapping[str, Any], once: Sequence[str] = ()) -> None:
        """Take up the rows that an earlier run left, if its settings were the same.

        `once` names what cannot be compared with an earlier run, such as texts that can be read only once; if it names
        anything, the run starts anew.
        """
        self.output = output
        self.settings = json.loads(json.dumps(settings))  # as they are read again
        self.rows = _workshop(output) / f"{output.name}.part"
        self.log = self.rows.with_name(f"{output.name}.part.log")
        self.texts = self.passes = self.bytes = self.checksum = 0
        self.changed: list[str] = []  # why the rows of an earlier run cannot be used
        earlier = self._read_log()
        if len(earlier) > 1 and self.rows.exists():
            before, *states = earlier
            self.changed = [*changed_settings(before, self.settings), *once]
            if not self.changed:
                self._take_up(states)

    def _take_up(self, states: Iterable[Any]) -> None:
        """Resume after the last chunk up to which the rows are those that were written."""
        checksum = at = 0
        with self.rows.open("rb") as rows:
            for state in states:
                if not isinstance(state, list) or len(state) != 4:
                    return
                content = rows.read(state[2] - at)
                checksum, at = zlib.crc32(content, checksum), at + len(content)
                if [at, checksum] != state[2:]:
                    return
                self.texts, self.passes, self.bytes, self.checksum = state

    def _read_log(self) -> list[Any]:
        try:
            lines = self.log.read_bytes().split(b"\n")[:-1]  # behind the last end of line is half a line, or nothing
            return [json.loads(line) for line in lines]
        except (OSError, ValueError):
            return []

    def _remove(self) -> None:
        self.rows.unlink(missing_ok=True)
        self.log.unlink(missing_ok=True)
        if is_remote(self.output):
            with suppress(OSError):  # it was not there, or another run has begun
                self.rows.parent.rmdir()

    @property
    def notice(self) -> str | None:
        """Say what becomes of the rows of an earlier run."""
        if self.texts:
            return f"Resuming after the {self.texts:,} texts in {self.rows}."
        if self.changed:
            names = ", ".join(self.changed)
            return f"Starting anew, as {self.rows} was written with other settings ({names})."
        return None

    def extend(self, chunks: Iterable[Chunk]) -> int:
        """Append rows as they come and give the number of all; after an error, what was done stays."""
        try:
            with writing(self.output):
                self.rows.parent.mkdir(parents=True, exist_ok=True)
                rows, log = self.rows.open("r+b" if self.texts else "wb", buffering=0), self._new_log()
            with rows, log:
                rows.truncate(self.bytes)
                rows.seek(self.bytes)
                for chunk, passes in chunks:
                    self._append(chunk, passes, rows, log)
        except BaseException as error:
            if self.texts:
                resumes = isinstance(error, KeyboardInterrupt | WriteError)
                error.add_note(unfinished_note(f"{self.texts:,} texts", self.rows, resumes))
            else:
                self._remove()
            raise
        return self.texts

    def _append(self, chunk: Sequence[Any], passes: int, rows: FileIO, log: FileIO) -> None:
        """Write rows, and then that they are there."""
        content = b"".join(map(_line, chunk))
        with writing(self.output):
            _write_all(rows, content)
            self.texts, self.passes, self.bytes = self.texts + len(chunk), self.passes + passes, rows.tell()
            self.checksum = zlib.crc32(content, self.checksum)
            _write_all(log, self._state())

    def _new_log(self) -> FileIO:
        """Write the log anew, without a torn last line; a process killed meanwhile leaves the old one."""
        with replacing(self.log) as beside:
            beside.write_bytes(_line(self.settings) + (self._state() if self.texts else b""))
        return self.log.open("ab", buffering=0)

    def _state(self) -> bytes:
        return _line((self.texts, self.passes, self.bytes, self.checksum))

    def __iter__(self) -> Iterator[Any]:
        """Read the rows again, one at a time."""
        with self.rows.open("rb") as rows:
            yield from map(json.loads, rows)

    def put(self, fill: Callable[[Path], object] | None = None) -> None:
        """Put the output in its place: the rows as they are, or the file that a function makes of them."""
        if is_remote(self.output) and fill is None:
            with replacing(self.output) as beside:
                copyfile(self.rows, beside)
        elif fill is None:
            with writing(self.output):
                sync(self.rows)
                self.rows.replace(self.output)
                sync(self.output.parent)
        else:
            with replacing(self.output) as beside:
                fill(beside)
        self._remove()


def _workshop(output: Path) -> Path:
    """Name the folder of unfinished rows: that of the output, or one of this machine, as no URL can be appended to."""
    if not is_remote(output):
        return output.parent
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return kept / "whyword" / "unfinished" / hashlib.sha256(str(output).encode()).hexdigest()[:16]


def changed_settings(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Name the settings that are not those of an earlier run."""
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def unfinished_note(done: str, place: Path, resumes: bool) -> str:
    """Say where the work of a run that broke off is, and whether the same command is all it takes to resume it."""
    return f"What was done before, {done}, is in {place}{'; the same command resumes from there.' if resumes else '.'}"


def _line(value: Any) -> bytes:
    return (strict_json(value) + "\n").encode()


def _write_all(file: FileIO, content: bytes) -> None:
    """Write all of it, or raise: a disk that fills up takes a part."""
    while content:
        content = content[file.write(content) :]
