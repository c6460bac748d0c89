"""Which columns of a file are its texts and its labels: by their names, else by their contents, beyond doubt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..interfaces.errors import DataError
from .column_names import names_label, names_text
from .rows import PAIR_COLUMN, RATIONALE_COLUMN, Columns, as_list, missing_column

SAMPLE = 1000  # rows that are looked at
LONGER = 3.0  # times as long as any other column of words: the column of texts
MOST_CLASSES = 50
FEWEST_ROWS = 10  # below, contents do not tell texts from labels

Row = Mapping[str, Any]


def recognize_columns(
    columns: Columns, names: Sequence[str], rows: Sequence[Row], source: str, labelled: bool, delimited: bool = False
) -> Columns:
    """Fill in the columns that nobody named; a column that was named must be there.

    names: all columns of the file; rows: its first ones; labelled: whether labels are needed; delimited: whether a
    character stands between the columns, so that another one may have been meant.
    """
    if labelled and len(names) == 1:
        raise DataError(
            f"{source} has a single column, '{names[0]}': add one with the label of each text"
            + (", or say with --delimiter what stands between the columns." if delimited else ".")
        )
    columns = _with_label_columns(columns, names, source)
    known = columns.known or Columns()
    text = _named(columns.text, names, source) or (known.text if known.text in names else None)
    asked = None if columns.labels else columns.label
    label = _named(asked, names, source) or (known.label if known.label in names else None)
    pair = _named(columns.text_pair, names, source) or (known.text_pair if known.text_pair in names else None)
    rationale = _named(columns.rationale, names, source)
    if labelled and label is not None and label == text:
        raise DataError(f"The column '{text}' of {source} cannot hold both the texts and the labels: name another one.")
    taken = {text, label, pair or PAIR_COLUMN, rationale or RATIONALE_COLUMN, columns.weight, *columns.labels}
    free = [name for name in names if name not in taken]
    texts, labels = _Candidates(names_text, _is_words), _Candidates(names_label, _is_choice)
    if label is None and not columns.labels:
        label = labels.by_name(free, rows, labelled or len(names) > 1)
        free = [name for name in free if name != label]
    if text is None:
        text = texts.by_name(free, rows) or _longest([name for name in free if _is_words(name, rows)], rows)
        if text is None and len(free) == 1 and len(names) <= 2:
            text = free[0]
        free = [name for name in free if name != text]
    if label is None and text is not None and not columns.labels:
        choices = [name for name in free if _is_choice(name, rows)]
        label = choices[0] if len(choices) == 1 else None
        if label is None and len(free) == 1 and len(names) == 2 and len(rows) < FEWEST_ROWS:
            label = free[0]
    missing = labelled and label is None and not columns.labels
    if text is None or missing:
        unused = [name for name in names if name not in taken and name != text and name != label]
        raise _doubt(text is None, missing, unused, rows, source)
    found = replace(columns, text=text, label=label, text_pair=pair, rationale=rationale)
    return found if columns.labels or label is None else _with_lists(found, rows)


def _with_label_columns(columns: Columns, names: Sequence[str], source: str) -> Columns:
    """Find the columns that hold one label each: named with commas between them, or those of the model's training."""
    known = columns.known
    separator = columns.label_separator or (None if known is None or columns.label else known.label_separator)
    if columns.label is not None and columns.label not in names and "," in columns.label:
        several = (_named(name.strip(), names, source) for name in columns.label.split(",") if name.strip())
        return replace(columns, labels=tuple(name for name in several if name is not None))
    if columns.label is None and known is not None and known.labels and all(name in names for name in known.labels):
        return replace(columns, labels=known.labels)
    return replace(columns, label_separator=separator, several=columns.several or bool(known and known.several))


def _with_lists(columns: Columns, rows: Sequence[Row]) -> Columns:
    """See whether the column of labels holds lists: then a text may have several."""
    values = _values(columns.label or "", rows)
    lists = [value for value in values if isinstance(value, list | tuple | set)]
    written = [value for value in values if isinstance(value, str) and as_list(value) is not None]
    return replace(columns, several=columns.several or bool(lists) or (bool(values) and len(written) == len(values)))


def names_in(rows: Sequence[Row]) -> list[str]:
    """Name the columns of rows that may have different ones."""
    return list(dict.fromkeys(name for row in rows for name in row))


class _Candidates:
    """Columns that may be what is looked for, by their names and contents."""

    def __init__(self, level: Callable[[str], int], fits: Callable[[str, Sequence[Row]], bool]) -> None:
        self.level, self.fits = level, fits

    def by_name(self, names: Sequence[str], rows: Sequence[Row], wanted: bool = True) -> str | None:
        """Give the column with the surest name; among several, the one whose contents fit."""
        surest = max(map(self.level, names), default=0)
        best = [name for name in names if self.level(name) == surest]
        if not surest or not wanted:
            return None
        if len(best) > 1:
            best = [name for name in best if self.fits(name, rows)]
        if len(best) > 1 and self.level is names_text:
            return _longest(best, rows)
        return best[0] if len(best) == 1 else None


def _named(name: str | None, names: Sequence[str], source: str) -> str | None:
    """Find a column that was named, in whatever case, or given by its number from 1 on."""
    if name is None or name in names:
        return name
    alike = [other for other in names if other.strip().casefold() == name.strip().casefold()]
    if len(alike) == 1:
        return alike[0]
    if name.isdecimal() and 1 <= int(name) <= len(names):
        return names[int(name) - 1]
    raise missing_column(name, names, source)


def _values(name: str, rows: Sequence[Row]) -> list[Any]:
    return [value for row in rows if (value := row.get(name)) is not None and value != "" and value == value]


def _is_words(name: str, rows: Sequence[Row]) -> bool:
    """Whether a column holds strings that are mostly no numbers, and hardly any twice."""
    values = _values(name, rows)
    if not values or not all(isinstance(value, str) for value in values):
        return False
    numbers = sum(not any(map(str.isalpha, value)) for value in values)
    recurs = len(values) >= FEWEST_ROWS and 2 * len(set(values)) <= len(values)
    return 2 * numbers < len(values) and not (recurs and len(set(values)) <= MOST_CLASSES)


def _is_choice(name: str, rows: Sequence[Row]) -> bool:
    """Whether a column holds few different values, several times each."""
    values = _values(name, rows)
    if not all(isinstance(value, str | int | float) and not isinstance(value, bool) for value in values):
        return False
    different = len(set(values))
    return len(values) >= FEWEST_ROWS and 2 <= different <= min(MOST_CLASSES, len(values) // 3)


def _longest(names: Sequence[str], rows: Sequence[Row]) -> str | None:
    """Give the column whose values are far longer than those of the others."""
    lengths = {name: sum(map(len, map(str, _values(name, rows)))) / max(1, len(rows)) for name in names}
    ordered = sorted(lengths, key=lambda name: -lengths[name])
    if len(ordered) > 1 and lengths[ordered[0]] < LONGER * lengths[ordered[1]]:
        return None
    return ordered[0] if ordered else None


def _doubt(text: bool, label: bool, names: Sequence[str], rows: Sequence[Row], source: str) -> DataError:
    """Make the sentence that asks for the columns, with the likeliest of those without a use first."""
    if not names:
        what = "texts" if text else "labels"
        raise DataError(f"{source} has no column left for the {what}: the others are named by options.")
    asked = [option for option, wanted in (("--text", text), ("--label", label)) if wanted]
    fits = [name for name in names if (text and _is_words(name, rows)) or (label and _is_choice(name, rows))]
    likely = ", ".join(repr(name) for name in [*fits, *(name for name in names if name not in fits)][:20])
    what = (
        "holds the texts" if not label else "holds the labels" if not text else "holds the texts and which the labels"
    )
    sentence = f"Which column of {source} {what} is not clear: name it with {' and '.join(asked)}, among {likely}."
    flags = [name for name in names if _is_flag(name, rows)] if label else []
    if len(flags) > 1:
        sentence += f" If each of several is a label of its own, name them all: --label {','.join(flags)}."
    return DataError(sentence)


def _is_flag(name: str, rows: Sequence[Row]) -> bool:
    """Whether a column holds nothing but 0 and 1."""
    return {str(value) for value in _values(name, rows)} == {"0", "1"}
