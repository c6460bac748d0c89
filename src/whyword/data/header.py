"""Whether the first row of a table names its columns, and the names of the columns in either case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ..interfaces.errors import DataError
from .column_names import is_usual_name

MOST_WORDS = 6  # of the name of a column
MOST_CHARACTERS = 60
FEWEST_ROWS = 4  # below, it is not told from the rows whether values recur

Row = Sequence[str]


def has_header(rows: Sequence[Row]) -> bool:
    """Say whether the first row names the columns: numbers, long texts and values of the rows below are no names."""
    first, below = rows[0], rows[1:]
    columns = [[row[place] for row in below if place < len(row)] for place in range(len(first))]
    if any(is_usual_name(cell) and not _recurs(cell, column) for cell, column in zip(first, columns, strict=True)):
        return True
    if any(_is_number(cell) or _is_long(cell) for cell in first):
        return False
    return not any(_recurs(cell, column) for cell, column in zip(first, columns, strict=True))


def column_names(first: Row, named: bool, path: Path) -> tuple[str, ...]:
    """Name the columns after the first row, or number them from 1 on; a column without a name has its number too."""
    if not named:
        return tuple(str(number) for number in range(1, len(first) + 1))
    names = [name.strip() or str(number) for number, name in enumerate(first, 1)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            f"{path} has two columns named '{twice[0]}': rename one of them, or give --no-header to number the columns "
            "(the first row is a row like the others then)."
        )
    return tuple(names)


def _recurs(cell: str, column: Sequence[str]) -> bool:
    """Whether a value is one of few that fill a column."""
    counts = Counter(column)
    return bool(cell) and counts[cell] > 1 and len(column) >= FEWEST_ROWS and 2 * len(counts) <= len(column)


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True


def _is_long(cell: str) -> bool:
    return len(cell) > MOST_CHARACTERS or len(cell.split()) > MOST_WORDS
