"""One record of a file becomes a Document, or an error that names the row and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ..interfaces.document import Document, Label, Span
from ..interfaces.errors import DataError
from .words import split


@dataclass(frozen=True)
class Columns:
    """Which columns hold what; None stands for the usual name, used where a file has it."""

    text: str = "text"
    label: str = "label"
    text_pair: str | None = None
    rationale: str | None = None  # character spans into the text; those into the second text stand in <name>_pair


def document(record: Mapping[str, Any], columns: Columns, where: str, labelled: bool) -> Document:
    """Check a record and split its text; a row to learn from must have a label and at least one word."""
    text = _text(record, columns.text, where)
    text_pair = None
    if columns.text_pair is not None or "text_pair" in record:
        text_pair = _text(record, columns.text_pair or "text_pair", where)
    words = split(text, text_pair)
    if not labelled:
        label = record.get(columns.label)
        known = isinstance(label, str | int) and not isinstance(label, bool) and label != ""
        return Document(words, label if known else None, _rationale_if_any(record, columns, words.texts, where))
    if not len(words):
        raise DataError(
            f"{where}: the column '{columns.text}' holds no words ({_shown(text)}): drop the row or fix it."
        )
    return Document(words, _label(record, columns.label, where), _rationale(record, columns, words.texts, where))


def missing_column(name: str, present: Iterable[str], where: str) -> DataError:
    """Make the error for a column that is not there, with the nearest of those that are as a suggestion."""
    present = [str(column) for column in present]
    nearest = get_close_matches(name, present, n=1)
    hint = f"; did you mean '{nearest[0]}'?" if nearest else "."
    return DataError(
        f"{where} has no column '{name}' but {', '.join(map(_shown, present[:20])) or 'none at all'}{hint}"
    )


def _text(record: Mapping[str, Any], column: str, where: str) -> str:
    if column not in record:
        raise missing_column(column, record, where)
    text = record[column]
    if not isinstance(text, str):
        raise DataError(f"{where}: the column '{column}' must hold text, but {_shown(text)} came.")
    _check_unicode(text, column, where)
    return text


def _label(record: Mapping[str, Any], column: str, where: str) -> Label:
    if column not in record:
        raise missing_column(column, record, where)
    label = record[column]
    if label is None or label != label or (isinstance(label, str) and not label.strip()):  # NaN differs from itself
        raise DataError(f"{where} has no label: the column '{column}' holds {_shown(label)}; drop the row or label it.")
    if isinstance(label, bool) or not isinstance(label, str | int):
        raise DataError(
            f"{where}: the label must be a string or an integer, but {_shown(label)} came, a {type(label).__name__}."
        )
    if isinstance(label, str):
        _check_unicode(label, column, where)
    return label


def _rationale(
    record: Mapping[str, Any], columns: Columns, texts: tuple[str, ...], where: str
) -> tuple[tuple[Span, ...], ...] | None:
    column = columns.rationale or "rationale"
    names = (column, f"{column}_pair")[: len(texts)]
    marked = [_spans(record.get(name), name, text, where) for name, text in zip(names, texts, strict=True)]
    if all(spans is None for spans in marked):
        return None
    return tuple(spans or () for spans in marked)


def _rationale_if_any(
    record: Mapping[str, Any], columns: Columns, texts: tuple[str, ...], where: str
) -> tuple[tuple[Span, ...], ...] | None:
    """Read marked passages of a row that is not learned from: there a column may be called rationale by chance."""
    try:
        return _rationale(record, columns, texts, where)
    except DataError:
        if columns.rationale is not None:
            raise
        return None


def _spans(value: Any, column: str, text: str, where: str) -> tuple[Span, ...] | None:
    if value is None or value == "":
        return None
    spans = value
    if isinstance(value, str):  # as it must be in CSV
        try:
            spans = json.loads(value)
        except ValueError:
            spans = value
    if not isinstance(spans, list) or not all(map(_is_span, spans)):
        raise DataError(
            f"{where}: the column '{column}' must be a list of [start, end] character spans, but {_shown(value)} came."
        )
    for start, end in spans:
        if not 0 <= start < end <= len(text):
            raise DataError(
                f"{where}: the span [{start}, {end}] in '{column}' does not lie in its text of {len(text)} characters."
            )
    return tuple((start, end) for start, end in spans)


def _is_span(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(type(offset) is int for offset in value)


def _check_unicode(text: str, column: str, where: str) -> None:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise DataError(
                f"{where}: the column '{column}' holds half a character ({text[error.start]!r}, a lone surrogate): "
                "write the whole one."
            ) from None


def _shown(value: Any) -> str:
    """Show a value in an error, shortened."""
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:36]} ..."
