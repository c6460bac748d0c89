"""JSON lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...interfaces.errors import DataError
from ..lines import BEGINNING, Place, raw_lines, read_lines


def read(path: Path, start: Place = BEGINNING) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object as a dict, with its place; blank lines are skipped."""
    for number, line in enumerate(read_lines(path, start), start.lines + 1):
        if not line.isspace():
            where = f"{path}, line {number}"
            yield where, parse(line, where)


def places(path: Path) -> Iterator[Place]:
    """Yield the place behind each row, whatever the row holds."""
    size = 0
    for number, line in enumerate(raw_lines(path), 1):
        size += len(line)
        text = line.decode(errors="replace")
        if not (text.removeprefix("\ufeff") if number == 1 else text).isspace():
            yield Place(size, number, number)


def parse(line: str, where: str) -> dict[str, Any]:
    """Read one line as a JSON object."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is no JSON ({error}): write one JSON object a line.") from None
    if not isinstance(record, dict):
        raise DataError(f"{where} holds a JSON {type(record).__name__}: write one JSON object a line.")
    return record
