"""How a delimited file is written: separator, quotes and header, guessed and checked by its first rows."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..interfaces.errors import OptionError
from .column_names import is_usual_name

SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe"}
DOUBLED, ESCAPED, UNQUOTED = "doubled", "escaped", "unquoted"
FAVOR = 0.1  # how much better than the separator of a file's ending another one must fit
FEWEST = 0.5  # share of the rows that have as many fields as the first, unless that one has names that we know
_LONGEST_FIELD = 2**31 - 1  # characters; the csv module stops at 131072 unless told

_QUOTING: dict[str, dict[str, Any]] = {
    DOUBLED: {},
    ESCAPED: {"escapechar": "\\", "doublequote": False},
    UNQUOTED: {"quoting": csv.QUOTE_NONE},
}


@dataclass(frozen=True)
class Dialect:
    """A separator, and what quotes mean: doubled inside of quoted fields, escaped by a backslash, or nothing."""

    separator: str = ","
    quotes: str = DOUBLED

    def rows(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """Cut lines into rows of fields; a malformed row raises csv.Error, and the next one can be asked for."""
        csv.field_size_limit(_LONGEST_FIELD)
        return csv.reader(lines, delimiter=self.separator, strict=True, **_QUOTING[self.quotes])

    def describe(self) -> str:
        """Name it in a few words."""
        quotes = {DOUBLED: "", ESCAPED: ", quotes escaped by backslashes", UNQUOTED: ", quotes are part of the text"}
        name = SEPARATORS.get(self.separator, repr(self.separator))
        return f"{name}-separated{quotes[self.quotes]}"


@dataclass(frozen=True)
class Fit:
    """How well rows fit a dialect."""

    dialect: Dialect
    rows: Sequence[Sequence[str]]
    broken: int  # rows that are not well-formed

    @property
    def width(self) -> int:
        """Fields of the first row."""
        return len(self.rows[0]) if self.rows else 0

    @property
    def misfits(self) -> int:
        """Rows with another number of fields than the first; empty fields at the end of a row do not count."""
        return self.broken + sum(len(row) != self.width and any(row[self.width :] or ["short"]) for row in self.rows)

    @property
    def share(self) -> float:
        """Share of the rows that are like the first."""
        return 1 - self.misfits / max(1, len(self.rows) + self.broken)

    @property
    def quoted(self) -> int:
        """Rows with a field that begins and ends with a quote, read as if quotes were text."""
        return sum(any(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in row) for row in self.rows)


def read_separator(word: str) -> str:
    """Read a separator as people give it: the character, or its name."""
    names = {name: character for character, name in SEPARATORS.items()} | {"\\t": "\t"}
    character = names.get(word.lower(), word)
    if len(character) != 1 or character in '"\r\n':
        raise OptionError(f"--delimiter {word}: give one character, or {', '.join(SEPARATORS.values())}.")
    return character


def recognize_dialect(lines: Sequence[str], usual: str, given: str | None, truncated: bool) -> Fit:
    """Find the separator and the quotes that give the rows of a sample the same number of fields.

    usual: the separator that the ending of the file's name stands for; truncated: whether the last row may be cut off.
    """
    if given is not None:
        return _with_quotes(read_separator(given), lines, truncated)
    fits = [_with_quotes(separator, lines, truncated) for separator in dict.fromkeys([usual, *SEPARATORS])]
    tables = [fit for fit in fits if fit.width > 1 and (fit.share >= FEWEST or any(map(is_usual_name, fit.rows[0])))]
    return max(tables or fits, key=lambda fit: fit.share + FAVOR * (fit.dialect.separator == usual))


def _with_quotes(separator: str, lines: Sequence[str], truncated: bool) -> Fit:
    """Try what quotes may mean; the common meaning unless the rows contradict it more often than they bear it out."""
    usual = _fit(Dialect(separator), lines, truncated)
    if not usual.misfits:
        return usual
    escaped = _fit(Dialect(separator, ESCAPED), lines, truncated)
    if escaped.misfits < usual.misfits and any('\\"' in line for line in lines):
        return escaped
    unquoted = _fit(Dialect(separator, UNQUOTED), lines, truncated)
    return unquoted if usual.broken > unquoted.quoted and unquoted.share >= usual.share else usual


def _fit(dialect: Dialect, lines: Sequence[str], truncated: bool) -> Fit:
    rows: list[list[str]] = []
    broken = 0
    reader = dialect.rows(lines)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            broken += not (truncated and "unexpected end" in str(error))
        else:
            if row:
                rows.append(row)
    return Fit(dialect, rows, broken)
