"""JSON lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...interfaces.errors import DataError
from ..lines import read_lines


def read(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object as a dict, with its place; blank lines are skipped."""
    for number, line in enumerate(read_lines(path), 1):
        if not line.isspace():
            where = f"{path}, line {number}"
            yield where, parse(line, where)


def parse(line: str, where: str) -> dict[str, Any]:
    """Read one line as a JSON object."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is no JSON ({error}): write one JSON object a line.") from None
    if not isinstance(record, dict):
        raise DataError(f"{where} holds a JSON {type(record).__name__}: write one JSON object a line.")
    return record
