"""Rows that cannot be used: all of them are gathered, so that they can be mended at once or left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..interfaces.errors import DataError

STOP, SKIP = "stop", "skip"
ON_BAD_ROW = (STOP, SKIP)
SHOWN = 20  # rows listed; the rest is counted
CURE = "--on-bad-row skip"

# Kinds of bad rows
FIELDS, ENCODING, JSON, TEXT, LABEL, OTHER = "fields", "encoding", "json", "text", "label", "other"


class RowError(DataError):
    """A row that cannot be used; the problem begins with a space or a colon, as it follows the place."""

    def __init__(self, where: str, problem: str, kind: str = OTHER) -> None:
        super().__init__(where, problem, kind)
        self.where, self.problem, self.kind = where, problem, kind

    def __str__(self) -> str:
        """Name the place and the problem."""
        return f"{self.where}{self.problem}{'' if self.problem[-1] in '.?' else '.'}"

    def shown(self, source: str) -> str:
        """Say it below a heading that names the source already."""
        return str(self).removeprefix(f"{source}, ")


Record = dict[str, Any] | RowError  # a bad row is a value, so that reading goes on behind it
Rows = Iterator[tuple[str, Record]]


def refuse(bad: Sequence[RowError], source: str, rows: int) -> DataError:
    """Make the error that lists bad rows; a single one is a sentence of its own."""
    if len(bad) == 1:
        return DataError(f"{bad[0]!s} To leave such rows out, give {CURE}.")
    sentence = f"{len(bad):,} of {rows:,} rows of {source} cannot be used: fix them, or leave them out with {CURE}."
    return DataError("\n".join([sentence, *listed(bad, source)]))


def listed(bad: Sequence[RowError], source: str) -> list[str]:
    """List bad rows, a line each, the rest as a number."""
    lines = [f"  {row.shown(source)}" for row in bad[:SHOWN]]
    return [*lines, f"  and {len(bad) - SHOWN:,} more"] if len(bad) > SHOWN else lines


def left_out(bad: Sequence[RowError], source: str, rows: int) -> str:
    """Say which rows were left out."""
    head = f"{len(bad):,} of {rows:,} rows of {source} {'was' if len(bad) == 1 else 'were'} left out:"
    return "\n".join([head, *listed(bad, source)])
