"""One record of a file becomes a Document, or an error that names the row and what is wrong with it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from ..interfaces.document import Document, Label, Marked, Span, Words
from ..interfaces.errors import DataError, OptionError, unknown_name
from .bad_rows import LABEL, ON_BAD_ROW, OTHER, STOP, TEXT, Record, RowError
from .dialect import read_separator
from .encoding import check_encoding
from .words import split

TEXT_COLUMN, PAIR_COLUMN, LABEL_COLUMN, RATIONALE_COLUMN = "text", "text_pair", "label", "rationale"  # the usual names
NOT_RATIONALE_COLUMN = "not_rationale"  # passages marked as no reason


@dataclass(frozen=True)
class Columns:
    """Which columns of a file hold what, and how it is read; None stands for what the file itself shows."""

    text: str | None = None
    label: str | None = None  # or several columns of 0 and 1, one per label, separated by commas
    text_pair: str | None = None  # None: text_pair, where there is such a column
    rationale: str | None = None  # character spans into the text; those into the second text stand in <name>_pair
    weight: str | None = None  # how much each row counts in training
    delimiter: str | None = None  # between the fields of a delimited file
    encoding: str | None = None
    header: bool | None = None  # whether the first row of a table names its columns
    on_bad_row: str = STOP  # or skip
    label_separator: str | None = None  # between the labels of a text that may have several
    labels: tuple[str, ...] = ()  # columns of 0 and 1, one per label, once they are found
    several: bool = False  # whether the column of labels holds lists, once that is found
    known: Columns | None = None  # of a model: taken where a file has them and nothing else is said

    def __post_init__(self) -> None:
        """Refuse what no file can be read with."""
        if self.on_bad_row not in ON_BAD_ROW:
            raise unknown_name(self.on_bad_row, "the choices of --on-bad-row", ON_BAD_ROW)
        if self.delimiter is not None:
            read_separator(self.delimiter)
        if self.encoding is not None:
            check_encoding(self.encoding)
        if self.label_separator is not None and not self.label_separator:
            raise OptionError("--label-separator is empty: give what stands between the labels of a text, such as ';'.")

    @property
    def multi_label(self) -> bool:
        """Whether a text may have several labels."""
        return bool(self.labels) or self.several or self.label_separator is not None


USUAL = Columns()


def document(record: Record, columns: Columns, where: str, labelled: bool) -> Document:
    """Check a record and split its text; a row to learn from must have a label and at least one word."""
    if isinstance(record, RowError):
        raise record
    column = columns.text or TEXT_COLUMN
    text, text_pair = read_texts(record, columns, where)
    words = split(text, text_pair)
    if columns.multi_label:
        return _with_labels(words, record, columns, where, labelled)
    if not labelled:
        label = _plain(record.get(columns.label or LABEL_COLUMN))
        known = isinstance(label, str | int) and label != ""
        return Document(
            words,
            label if known else None,
            _rationale_if_any(record, columns, words.texts, where),
            not_rationale=_not_rationale(record, columns, words.texts, where),
        )
    if not len(words):
        raise RowError(where, f": the column '{column}' holds no words ({_shown(text)}): drop the row or fix it", TEXT)
    label = _label(record, columns.label or LABEL_COLUMN, where)
    rationale = _rationale(record, columns, words.texts, where)
    not_rationale = _not_rationale(record, columns, words.texts, where)
    return Document(words, label, rationale, _weight(record, columns.weight, where), not_rationale=not_rationale)


def _with_labels(words: Words, record: Mapping[str, Any], columns: Columns, where: str, labelled: bool) -> Document:
    """Read a row of a text that may have several labels, or none; of one not to learn from, labels may be missing."""
    if labelled and not len(words):
        column = columns.text or TEXT_COLUMN
        raise RowError(where, f": the column '{column}' holds no words ({_shown(words.texts[0])}): drop it", TEXT)
    present = all(name in record for name in columns.labels or (columns.label or LABEL_COLUMN,))
    labels = read_label_set(record, columns, where) if labelled or present else None
    marked, of_labels = _rationales(record, columns, words.texts, where)
    weight = _weight(record, columns.weight, where) if labelled else None
    not_rationale = _not_rationale(record, columns, words.texts, where)
    return Document(words, None, marked, weight, labels, of_labels, not_rationale)


def read_label_set(record: Mapping[str, Any], columns: Columns, where: str) -> tuple[Label, ...]:
    """Give all labels of a row in order, from a column each, a list, or words with a separator between them."""
    if columns.labels:
        return tuple(name for name in columns.labels if _is_set(record, name, where))
    column = columns.label or LABEL_COLUMN
    if column not in record:
        raise RowError(where, _no_column(column, record), LABEL)
    value = record[column]
    if value is None or value != value:  # NaN differs from itself: an empty field
        return ()
    if isinstance(value, str):
        listed = as_list(value) if columns.several else None
        separator = columns.label_separator
        parts = value.split(separator) if separator and listed is None else [value]
        value = [part.strip() for part in parts if part.strip()] if listed is None else listed
    elif not isinstance(value, list | tuple | set):
        value = [value]
    return tuple(dict.fromkeys(_label({column: label}, column, where) for label in value))


def as_list(value: str) -> list[Any] | None:
    """Read a JSON list, as lists must be written in CSV; None if it is none."""
    if not value.lstrip().startswith("["):
        return None
    try:
        read = json.loads(value)
    except ValueError:
        return None
    return read if isinstance(read, list) else None


_TRUE, _FALSE = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no", "")


def _is_set(record: Mapping[str, Any], column: str, where: str) -> bool:
    """Read a column of 0 and 1."""
    if column not in record:
        raise RowError(where, _no_column(column, record), LABEL)
    value = record[column]
    word = "" if value is None or value != value else str(value).strip().casefold()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise RowError(where, f": the column '{column}' of a label must hold 0 or 1, but {_shown(value)} came", LABEL)


def _rationales(
    record: Mapping[str, Any], columns: Columns, texts: tuple[str, ...], where: str
) -> tuple[Marked | None, tuple[tuple[Label, Marked], ...] | None]:
    """Read marked passages, of the text as a whole or, from a table of labels, of each label."""
    column = columns.rationale or RATIONALE_COLUMN
    value = record.get(column)
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with suppress(ValueError):
            value = json.loads(value)
    if not isinstance(value, Mapping):
        return _rationale_if_any(record, columns, texts, where), None
    of_labels = ((label, _rationale({column: spans}, columns, texts, where)) for label, spans in value.items())
    return None, tuple((label, marked) for label, marked in of_labels if marked is not None)


def read_texts(record: Record, columns: Columns, where: str) -> tuple[str, str | None]:
    """Check that a record has its text, or its two texts."""
    if isinstance(record, RowError):
        raise record
    text = _text(record, columns.text or TEXT_COLUMN, where)
    if columns.text_pair is None and PAIR_COLUMN not in record:
        return text, None
    return text, _text(record, columns.text_pair or PAIR_COLUMN, where)


def missing_column(name: str, present: Iterable[str], where: str) -> DataError:
    """Make the error for a column that is not there, with the nearest of those that are as a suggestion."""
    return DataError(f"{where}{_no_column(name, present)}")


def _no_column(name: str, present: Iterable[str]) -> str:
    present = [str(column) for column in present]
    nearest = get_close_matches(name, present, n=1)
    hint = f"; did you mean '{nearest[0]}'?" if nearest else "."
    return f" has no column '{name}' but {', '.join(map(_shown, present[:20])) or 'none at all'}{hint}"


def _text(record: Mapping[str, Any], column: str, where: str) -> str:
    if column not in record:
        raise RowError(where, _no_column(column, record), TEXT)
    text = record[column]
    if not isinstance(text, str):
        raise RowError(where, f": the column '{column}' must hold text, but {_shown(text)} came", TEXT)
    _check_unicode(text, column, where)
    return text


def _label(record: Mapping[str, Any], column: str, where: str) -> Label:
    if column not in record:
        raise RowError(where, _no_column(column, record), LABEL)
    label = _plain(record[column])
    if label is None or label != label or (isinstance(label, str) and not label.strip()):  # NaN differs from itself
        held = _shown(label)
        raise RowError(where, f" has no label: the column '{column}' holds {held}; drop the row or label it", LABEL)
    if not isinstance(label, str | int):
        kind = type(label).__name__
        raise RowError(where, f": the label must be a string or an integer, but {_shown(label)} came, a {kind}", LABEL)
    if isinstance(label, str):
        _check_unicode(label, column, where)
    return label


def _plain(label: Any) -> Any:
    """Give an integer that a program wrote as 1.0, as it does where others are missing, as an integer.

    Truth values are the labels true and false, as JSON writes them.
    """
    if isinstance(label, bool):
        return str(label).lower()
    return int(label) if isinstance(label, float) and label.is_integer() else label


def _weight(record: Mapping[str, Any], column: str | None, where: str) -> float | None:
    """Read how much a row counts; only a column that was named is read, for many are called weight by chance."""
    if column is None:
        return None
    if column not in record:
        raise missing_column(column, record, where)
    try:
        weight = float(record[column])
    except (TypeError, ValueError):
        weight = -1.0
    if isinstance(record[column], bool) or not 0 <= weight < math.inf:
        raise RowError(where, f": the weight must be a number from 0 up, but {_shown(record[column])} came", OTHER)
    return weight


def _rationale(
    record: Mapping[str, Any], columns: Columns, texts: tuple[str, ...], where: str
) -> tuple[tuple[Span, ...], ...] | None:
    column = columns.rationale or RATIONALE_COLUMN
    names = (column, f"{column}_pair")[: len(texts)]
    marked = [_spans(record.get(name), name, text, where) for name, text in zip(names, texts, strict=True)]
    if all(spans is None for spans in marked):
        return None
    return tuple(spans or () for spans in marked)


def _not_rationale(
    record: Mapping[str, Any], columns: Columns, texts: tuple[str, ...], where: str
) -> tuple[tuple[Span, ...], ...] | None:
    """Read passages that were marked as no reason, from a column that hardly a file has by chance."""
    named = replace(columns, rationale=NOT_RATIONALE_COLUMN)
    return _rationale(record, named, texts, where) if NOT_RATIONALE_COLUMN in record else None


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
        raise RowError(
            where, f": the column '{column}' must be a list of [start, end] character spans, but {_shown(value)} came"
        )
    for start, end in spans:
        if not 0 <= start < end <= len(text):
            raise RowError(
                where, f": the span [{start}, {end}] in '{column}' does not lie in its text of {len(text)} characters"
            )
    return tuple((start, end) for start, end in spans)


def _is_span(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(type(offset) is int for offset in value)


def _check_unicode(text: str, column: str, where: str) -> None:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            half = repr(text[error.start])
            raise RowError(
                where, f": the column '{column}' holds half a character ({half}, a lone surrogate): write the whole one"
            ) from None


def _shown(value: Any) -> str:
    """Show a value in an error, shortened."""
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:36]} ..."
