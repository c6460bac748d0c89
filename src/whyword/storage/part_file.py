"""An output on its way: rows stay beside its place as they are done, and the same command goes on from there.

OUT.part holds a JSON value a line; OUT.part.log holds what was asked and, for each chunk of rows that is complete, how
far it reaches. Rows beyond that, such as half a line after the process was killed, are dropped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from .atomic import replacing

Chunk = tuple[Sequence[Any], int]  # rows that were computed together, and the forward passes they took


class PartFile:
    """The rows of an output that are done."""

    def __init__(self, output: Path, question: Mapping[str, Any], again: bool) -> None:
        """Take up the rows that an earlier run left, if it was asked the same and the texts can be read again."""
        self.output = output
        self.question = json.loads(json.dumps(question))  # as it is read again
        self.rows = output.with_name(f"{output.name}.part")
        self.log = output.with_name(f"{output.name}.part.log")
        self.texts = self.passes = self.bytes = 0
        self.changed: list[str] = []  # what an earlier run, whose rows cannot be used, was asked otherwise
        earlier = self._read_log()
        if len(earlier) > 1 and self.rows.exists():
            before, last = earlier[0], earlier[-1]
            self.changed = sorted(
                name for name in before | self.question if before.get(name) != self.question.get(name)
            )
            if not again:
                self.changed.append("standard input")
            if not self.changed:
                self.texts, self.passes, self.bytes = last

    def _read_log(self) -> list[Any]:
        try:
            lines = self.log.read_bytes().split(b"\n")[:-1]  # behind the last end of line is half a line, or nothing
            return [json.loads(line) for line in lines]
        except (OSError, ValueError):
            return []

    def _remove(self) -> None:
        self.rows.unlink(missing_ok=True)
        self.log.unlink(missing_ok=True)

    @property
    def notice(self) -> str | None:
        """Say what becomes of the rows of an earlier run."""
        if self.texts:
            return f"Going on after the {self.texts:,} texts in {self.rows}."
        if self.changed:
            names = ", ".join(self.changed)
            return f"Starting anew, as {self.rows} was made with something else ({names})."
        return None

    def extend(self, chunks: Iterable[Chunk]) -> int:
        """Append rows as they come and give the number of all; after an error, what was done stays."""
        self.output.parent.mkdir(parents=True, exist_ok=True)
        try:
            with self.rows.open("r+b" if self.texts else "wb") as rows, self._new_log() as log:
                rows.truncate(self.bytes)
                rows.seek(self.bytes)
                for chunk, passes in chunks:
                    rows.writelines(map(_line, chunk))
                    rows.flush()  # before the log speaks of them
                    self.texts, self.passes, self.bytes = self.texts + len(chunk), self.passes + passes, rows.tell()
                    log.write(self._state())
                    log.flush()
        except BaseException as error:
            if self.texts:
                error.add_note(self._kept(isinstance(error, KeyboardInterrupt)))
            else:
                self._remove()
            raise
        return self.texts

    def _new_log(self) -> BinaryIO:
        """Begin the log anew, without what is torn, and at no moment without what is known."""
        with replacing(self.log) as beside:
            beside.write_bytes(_line(self.question) + (self._state() if self.texts else b""))
        return self.log.open("ab")

    def _state(self) -> bytes:
        return _line((self.texts, self.passes, self.bytes))

    def _kept(self, goes_on: bool) -> str:
        way_on = "; the same command goes on from there." if goes_on else "."
        return f"What was done before, {self.texts:,} texts, is in {self.rows}{way_on}"

    def __iter__(self) -> Iterator[Any]:
        """Read the rows again, one at a time."""
        with self.rows.open("rb") as rows:
            yield from map(json.loads, rows)

    def put(self, fill: Callable[[Path], object] | None = None) -> None:
        """Put the output in its place: the rows as they are, or the file that a function makes of them."""
        if fill is None:
            self.rows.replace(self.output)
        else:
            with replacing(self.output) as beside:
                fill(beside)
        self._remove()


def _line(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode()
