"""Comma- and tab-separated files with a header row."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...interfaces.errors import DataError
from ..lines import BEGINNING, Place, decode, raw_lines, read_lines

_LONGEST_FIELD = 2**31 - 1  # characters; the csv module stops at 131072 unless told


def read(path: Path, start: Place = BEGINNING) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each row as a dict, with its place; the header is row 1, as in a spreadsheet."""
    header = None if start == BEGINNING else next(filter(None, _reader(path, read_lines(path))))
    for number, record in _records(path, read_lines(path, start), start.rows, header):
        yield f"{path}, row {number}", record


def places(path: Path) -> Iterator[Place]:
    """Yield the place behind each row."""
    size = lines = 0

    def watched() -> Iterator[bytes]:
        nonlocal size, lines
        for line in raw_lines(path):
            size, lines = size + len(line), lines + 1
            yield line

    for number, _ in _records(path, decode(watched(), str(path))):
        yield Place(size, lines, number)  # the reader takes no line more than a row needs


def _records(
    path: Path, lines: Iterator[str], before: int = 0, header: list[str] | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    number = before
    try:
        for number, row in enumerate(_reader(path, lines), before + 1):
            if not row:
                continue
            if header is None:
                header = _checked(row, path)
            elif len(row) > len(header):
                raise DataError(
                    f"{path}, row {number} has {len(row)} fields but the header has {len(header)}: "
                    "put fields that hold the separator in double quotes."
                )
            else:
                yield number, dict(zip(header, row, strict=False))
    except csv.Error as error:
        raise DataError(
            f"{path}, row {number + 1} is not well-formed ({error}): "
            "put fields with quotes or line breaks in double quotes, and double the quotes inside."
        ) from None


def _reader(path: Path, lines: Iterator[str]) -> Iterator[list[str]]:
    csv.field_size_limit(_LONGEST_FIELD)
    delimiter = "\t" if ".tsv" in (suffix.lower() for suffix in path.suffixes[-2:]) else ","
    return csv.reader(lines, delimiter=delimiter, strict=True)


def _checked(header: list[str], path: Path) -> list[str]:
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise DataError(f"{path} has two columns named '{twice[0]}': rename one of them.")
    return header
