"""JSON files that hold a list of objects, read as a whole; those that hold an object a line are JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ...interfaces.errors import DataError
from ..bad_rows import JSON, RowError, Rows
from ..encoding import recognize_encoding
from ..lines import BEGINNING, Place, raw_lines, read_sample
from ..rows import USUAL, Columns
from . import json_lines

_SAMPLE = 1 << 16  # bytes


def read(path: Path, start: Place = BEGINNING, columns: Columns = USUAL) -> Rows:
    """Yield each object as a dict, with its place; the first is item 1."""
    if _holds_lines(path, columns):
        _refuse_one_object(path)
        yield from json_lines.read(path, start, columns)
        return
    for number, record in enumerate(_items(path, columns)[start.rows :], start.rows + 1):
        where = f"{path}, item {number}"
        if not isinstance(record, dict):
            yield where, RowError(where, f" is a JSON {type(record).__name__}: write an object for each text", JSON)
        else:
            yield where, record


def places(path: Path, columns: Columns = USUAL) -> Iterator[Place]:
    """Yield the place behind each item."""
    if _holds_lines(path, columns):
        return json_lines.places(path, columns)
    return (Place(rows=number) for number in range(1, len(_items(path, columns)) + 1))


def describe(path: Path, columns: Columns = USUAL) -> tuple[str, bool]:
    """Say how a file is written, and whether that is as usual."""
    if _holds_lines(path, columns):
        return json_lines.describe(path, columns)
    return "a JSON list", True


def _holds_lines(path: Path, columns: Columns) -> bool:
    sample = read_sample(path, _SAMPLE)
    first = sample.decode(recognize_encoding(sample, columns.encoding).name, "replace").lstrip("\ufeff \t\r\n")[:1]
    return first != "["


def _refuse_one_object(path: Path) -> None:
    """Say so where all rows stand in one object, by columns or below a name."""
    first, *more = islice(chain(raw_lines(path), (b"",)), 2)
    record = None
    with suppress(ValueError, RecursionError):
        record = json.loads(first) if not b"".join(more).strip() else None
    if isinstance(record, dict) and record and all(isinstance(value, list | dict) for value in record.values()):
        shown = ", ".join(f"'{name}'" for name in list(record)[:3])
        raise DataError(f"{path} is one JSON object, of {shown}: write a list of objects, or one object a line.")


def _items(path: Path, columns: Columns) -> list[Any]:
    encoding = recognize_encoding(read_sample(path, _SAMPLE), columns.encoding)
    try:
        items = json.loads(b"".join(raw_lines(path)).decode(encoding.name).removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is no JSON ({error}): write a list of objects, or one object a line.") from None
    assert isinstance(items, list)  # it begins with a bracket
    return items
