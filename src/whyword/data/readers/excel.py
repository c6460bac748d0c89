"""Excel workbooks (.xlsx): the first sheet of several rows, read row by row; every cell is text, as in a CSV file."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import lru_cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from warnings import catch_warnings, simplefilter

from ...interfaces.errors import DataError, MissingExtraError
from ..bad_rows import FIELDS, RowError, Rows
from ..header import column_names, has_header
from ..lines import BEGINNING, Place
from ..rows import USUAL, Columns
from ..unpack import is_packed, open_binary

_SAMPLE = 1000  # rows


def read(path: Path, start: Place = BEGINNING, columns: Columns = USUAL) -> Rows:
    """Yield each row as a dict, with its number in the sheet."""
    names, named = _form(path, columns)
    waits = named and start == BEGINNING
    with _sheet(path) as sheet:
        for number, row in _rows(sheet, start.rows):
            if waits:
                waits = False
                continue
            where = f"{path}, row {number}"
            if any(row[len(names) :]):
                yield where, RowError(where, f" has {len(row)} cells but the table has {len(names)} columns", FIELDS)
            else:
                yield where, dict(zip(names, row, strict=False))


def places(path: Path, columns: Columns = USUAL) -> Iterator[Place]:
    """Yield the place behind each row."""
    _, named = _form(path, columns)
    with _sheet(path) as sheet:
        for number, _ in islice(_rows(sheet, 0), int(named), None):
            yield Place(rows=number)


def describe(path: Path, columns: Columns = USUAL) -> tuple[str, bool]:
    """Say how a file is written, and whether that is as usual."""
    with _sheet(path) as sheet:
        others = len(sheet.parent.sheetnames) - 1
        words = f"sheet '{sheet.title}'" + (f" (there are {others} more)" if others else "")
    _, named = _form(path, columns)
    return words + ("" if named else ", no header"), named and not others


def names(path: Path, columns: Columns = USUAL) -> tuple[str, ...]:
    """Name the columns."""
    return _form(path, columns)[0]


def _form(path: Path, columns: Columns) -> tuple[tuple[str, ...], bool]:
    facts = path.stat()
    return _recognize(path, facts.st_mtime_ns, facts.st_size, columns.header)


@lru_cache(maxsize=32)
def _recognize(path: Path, changed: int, size: int, header: bool | None) -> tuple[tuple[str, ...], bool]:
    with _sheet(path) as sheet:
        rows = [row for _, row in islice(_rows(sheet, 0), _SAMPLE)]
    if not rows:
        return (), True
    named = has_header(rows) if header is None else header
    return column_names(rows[0], named, path), named


def _rows(sheet: Any, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, without the empty cells at their ends."""
    for number, row in enumerate(sheet.iter_rows(min_row=skipped + 1, values_only=True), skipped + 1):
        cells = [_text(value) for value in row]
        while cells and not cells[-1]:
            del cells[-1]
        if cells:
            yield number, cells


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if isinstance(value, date) else str(value)


@contextmanager
def _sheet(path: Path) -> Iterator[Any]:
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError("Reading Excel files", "excel") from None
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with open_binary(path) as packed, TemporaryFile() as unpacked, catch_warnings():
            simplefilter("ignore")  # about styles and validation, which are not read
            stream: Any = packed
            if is_packed(path):
                shutil.copyfileobj(packed, unpacked)
                stream = unpacked
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            try:
                yield max(book.worksheets, key=_first_rows)  # the first of equal ones
            finally:
                book.close()
    except (InvalidFileException, zipfile.BadZipFile, KeyError, OSError, IndexError) as error:
        raise DataError(f"{path} cannot be read as Excel ({error}): save it as .xlsx again.") from None


def _first_rows(sheet: Any) -> int:
    """Count the rows up to two: a header alone is no table, such as a title on a sheet of notes."""
    return sum(1 for _ in islice(_rows(sheet, 0), 2))
