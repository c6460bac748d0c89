"""Delimited files, such as CSV and TSV: encoding, separator, quotes and header are recognized from the first rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ...interfaces.errors import DataError
from ..bad_rows import ENCODING, FIELDS, Record, RowError, Rows
from ..column_names import is_usual_name
from ..dialect import Dialect, recognize_dialect
from ..encoding import Encoding, recognize_encoding
from ..header import column_names, has_header
from ..lines import BEGINNING, Line, Place, decode, not_decoded, raw_lines, read_lines, read_sample
from ..rows import USUAL, Columns
from ..unpack import inner_name

_ENCODING_SAMPLE = 1 << 20  # bytes
_ROWS_SAMPLE = 1 << 18  # characters
_ANNOUNCED = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_LONGEST_TITLE = 40  # characters that are shown
_MOST_TITLES, _FEW = 5, 100  # lines above a header that are recognized, and lines below them that are looked at
_USUAL = {".tsv": "\t", ".tab": "\t"}


@dataclass(frozen=True)
class Form:
    """How a file is written."""

    encoding: Encoding
    dialect: Dialect
    names: tuple[str, ...]  # of the columns
    named: bool  # whether the first row names them
    announced: bool = False  # whether a line sep=; stands above all rows, as spreadsheets write it


def read(path: Path, start: Place = BEGINNING, columns: Columns = USUAL) -> Rows:
    """Yield each row as a dict, with its place; a header is row 1, as in a spreadsheet."""
    form = recognize_form(path, columns)
    for number, record in _records(path, read_lines(path, start, form.encoding), form, start.rows):
        yield f"{path}, row {number}", record


def places(path: Path, columns: Columns = USUAL) -> Iterator[Place]:
    """Yield the place behind each row."""
    form = recognize_form(path, columns)
    size = lines = 0

    def watched() -> Iterator[bytes]:
        nonlocal size, lines
        for line in raw_lines(path, encoding=form.encoding):
            size, lines = size + len(line), lines + 1
            yield line

    for number, _ in _records(path, decode(watched(), encoding=form.encoding), form):
        yield Place(size, lines, number)  # the reader takes no line more than a row needs


def describe(path: Path, columns: Columns = USUAL) -> tuple[str, bool]:
    """Say how a file is written, and whether that is as usual."""
    form = recognize_form(path, columns)
    usual = Form(Encoding(), Dialect(_usual_separator(path)), form.names, True)
    words = [form.dialect.describe() if len(form.names) > 1 else "one column", form.encoding.describe()]
    words += [] if form.named or not form.names else ["no header"]
    return ", ".join(words), form == usual


def names(path: Path, columns: Columns = USUAL) -> tuple[str, ...]:
    """Name the columns."""
    return recognize_form(path, columns).names


def recognize_form(path: Path, columns: Columns) -> Form:
    """Recognize how a file is written, once as long as it stays the same."""
    try:
        facts = path.stat()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None
    return _recognize(path, facts.st_mtime_ns, facts.st_size, columns.delimiter, columns.encoding, columns.header)


@lru_cache(maxsize=32)
def _recognize(
    path: Path, changed: int, size: int, delimiter: str | None, encoding: str | None, header: bool | None
) -> Form:
    sample = read_sample(path, _ENCODING_SAMPLE)
    if sample.startswith(b"PK\x03\x04"):
        raise DataError(f"{path} is an Excel file or a zip archive: let its name end in .xlsx or .zip.")
    found = recognize_encoding(sample, encoding)
    text = sample.decode(found.name, "replace").removeprefix("\ufeff")
    truncated = len(sample) == _ENCODING_SAMPLE or len(text) > _ROWS_SAMPLE
    lines = list(io.StringIO(text[:_ROWS_SAMPLE].replace("\r", "\n") if found.newline == "\r" else text[:_ROWS_SAMPLE]))
    if truncated and len(lines) > 1:
        del lines[-1]  # which is cut off
    announced = _ANNOUNCED.fullmatch(lines[0]) if lines else None
    if announced:
        delimiter = delimiter or announced[1]
        del lines[0]
    fit = recognize_dialect(lines, _usual_separator(path), delimiter, truncated)
    if not fit.rows:
        return Form(found, fit.dialect, (), True, bool(announced))
    if fit.width == 1:
        _refuse_titles(path, lines, delimiter, truncated)
    named = has_header(fit.rows) if header is None else header
    return Form(found, fit.dialect, column_names(fit.rows[0], named, path), named, bool(announced))


def _refuse_titles(path: Path, lines: list[str], delimiter: str | None, truncated: bool) -> None:
    """Say so where a table of several columns, with a name that we know, begins below other lines."""
    for number in range(1, min(_MOST_TITLES, len(lines) - 2) + 1):
        below = lines[number : number + _FEW]
        fit = recognize_dialect(below, _usual_separator(path), delimiter, truncated or len(lines) > number + _FEW)
        if fit.width > 1 and not fit.misfits and any(map(is_usual_name, fit.rows[0])):
            first = lines[0].strip()[:_LONGEST_TITLE]
            raise DataError(f"{path} begins with '{first}', above the row of names: delete what is above.")


def _usual_separator(path: Path) -> str:
    return _USUAL.get(inner_name(path).suffix.lower(), ",")


def _records(path: Path, lines: Iterator[Line], form: Form, before: int = 0) -> Iterator[tuple[int, Record]]:
    bad_byte: int | None = None

    def texts() -> Iterator[str]:
        nonlocal bad_byte
        for line in lines:
            bad_byte = line.bad_byte if bad_byte is None else bad_byte
            yield line.text

    rows, number = form.dialect.rows(texts()), before
    above = 0 if before else form.named + form.announced  # rows that are no data
    while True:
        number, bad_byte = number + 1, None
        where = f"{path}, row {number}"
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, _malformed(where, error)
            continue
        if not row:
            continue
        if above:
            above -= 1
        elif bad_byte is not None:
            yield number, RowError(where, not_decoded(bad_byte, form.encoding), ENCODING)
        elif any(row[len(form.names) :]):
            yield number, _too_wide(where, len(row), form)
        else:
            yield number, dict(zip(form.names, row, strict=False))


def _too_wide(where: str, fields: int, form: Form) -> RowError:
    others = "the header" if form.named else "the first row"
    return RowError(
        where,
        f" has {fields} fields but {others} has {len(form.names)}: put fields that hold the separator in double quotes",
        FIELDS,
    )


def _malformed(where: str, error: csv.Error) -> RowError:
    if "unexpected end" in str(error):  # all rows behind it are lost in it, so it cannot be left out
        raise DataError(f"{where} is not well-formed: a quote opens there and never closes; close it or double it.")
    return RowError(
        where,
        f" is not well-formed ({error}): put fields with quotes or line breaks in double quotes, and double the quotes "
        "inside",
        FIELDS,
    )
