"""JSON lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..bad_rows import ENCODING, JSON, Record, RowError, Rows
from ..encoding import Encoding, recognize_encoding
from ..lines import BEGINNING, Line, Place, decode, not_decoded, raw_lines, read_lines, read_sample
from ..rows import USUAL, Columns

_SAMPLE = 1 << 20  # bytes


def read(path: Path, start: Place = BEGINNING, columns: Columns = USUAL) -> Rows:
    """Yield each object as a dict, with its place; blank lines are skipped."""
    encoding = _encoding(path, columns)
    for number, line in enumerate(read_lines(path, start, encoding), start.lines + 1):
        if line.text.strip():
            where = f"{path}, line {number}"
            yield where, parse(line, where, encoding)


def places(path: Path, columns: Columns = USUAL) -> Iterator[Place]:
    """Yield the place behind each row, whatever the row holds."""
    encoding, size = _encoding(path, columns), 0

    def watched() -> Iterator[bytes]:
        nonlocal size
        for line in raw_lines(path, encoding=encoding):
            size += len(line)
            yield line

    for number, line in enumerate(decode(watched(), encoding=encoding), 1):
        if line.text.strip():
            yield Place(size, number, number)


def describe(path: Path, columns: Columns = USUAL) -> tuple[str, bool]:
    """Say how a file is written, and whether that is as usual."""
    encoding = _encoding(path, columns)
    return f"JSON lines, {encoding.describe()}", encoding == Encoding()


def parse(line: Line, where: str, encoding: Encoding) -> Record:
    """Read one line as a JSON object."""
    if line.bad_byte is not None:
        return RowError(where, not_decoded(line.bad_byte, encoding), ENCODING)
    try:
        record: Any = json.loads(line.text)
    except (ValueError, RecursionError) as error:
        return RowError(where, f" is no JSON ({error}): write one JSON object a line", JSON)
    if not isinstance(record, dict):
        return RowError(where, f" holds a JSON {type(record).__name__}: write one JSON object a line", JSON)
    return record


def _encoding(path: Path, columns: Columns) -> Encoding:
    return recognize_encoding(read_sample(path, _SAMPLE), columns.encoding)
