"""Comma- and tab-separated files with a header row."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...interfaces.errors import DataError
from ..lines import read_lines

_LONGEST_FIELD = 2**31 - 1  # characters; the csv module stops at 131072 unless told


def read(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each row as a dict, with its place; the header is row 1, as in a spreadsheet."""
    csv.field_size_limit(_LONGEST_FIELD)
    delimiter = "\t" if ".tsv" in (suffix.lower() for suffix in path.suffixes[-2:]) else ","
    rows = csv.reader(read_lines(path), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    number = 0
    try:
        for number, row in enumerate(rows, 1):
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
                yield f"{path}, row {number}", dict(zip(header, row, strict=False))
    except csv.Error as error:
        raise DataError(
            f"{path}, row {number + 1} is not well-formed ({error}): "
            "put fields with quotes or line breaks in double quotes, and double the quotes inside."
        ) from None


def _checked(header: list[str], path: Path) -> list[str]:
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise DataError(f"{path} has two columns named '{twice[0]}': rename one of them.")
    return header
