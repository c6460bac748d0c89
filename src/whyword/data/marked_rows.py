"""Words that people marked, from a file beside the data: matched to its texts, or rows to learn from besides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from ..interfaces.document import Document, Marked, Words
from ..interfaces.errors import DataError
from .bad_rows import RowError
from .labels import are_multi_label, labels
from .rows import RATIONALE_COLUMN, Columns, document
from .sources import read_records
from .splits import Dataset, Documents


@dataclass
class _Counts:
    """What came of the lines of a file."""

    train: int = 0
    dev: int = 0
    test: int = 0
    added: int = 0
    relabelled: int = 0
    unmatched: tuple[str, ...] = ()  # where they stand


def add_marks(dataset: Dataset, path: Path) -> Dataset:
    """Let the texts of train and dev have the marks that a file gives them; its other labelled rows join train.

    Of what one author said of a text the last line counts. What several people marked in it is taken together, and the
    label is the last one given. Texts of the test split stay as they are.
    """
    if not path.is_file():
        raise DataError(f"There is no file {path}: give the file of marked words that --rationales is to read.")
    several = are_multi_label(dataset.train)
    lines: dict[Words, dict[str, tuple[str, Document]]] = defaultdict(dict)  # by author
    columns = Columns(rationale=RATIONALE_COLUMN, several=several)
    for where, record in read_records(path, columns=columns):
        read = document(record, columns, where, labelled=False)
        assert not isinstance(record, RowError)  # which the line above raises
        author = str(record.get("author") or where)
        lines[read.words].pop(author, None)
        if not _is_taken_back(record):
            lines[read.words][author] = (where, read)
    if not lines:
        raise DataError(
            f"{path} has no rows: give lines of JSON with text and rationale, a list of [start, end] spans."
        )
    marked = {}
    for words, by_author in lines.items():
        if by_author:
            places, rows = zip(*by_author.values(), strict=True)
            marked[words] = (places[-1], _together(rows))
    known = labels(dataset.train)
    for where, row in marked.values():
        for label in row.all_labels:
            if label not in known:
                raise RowError(where, f" has the label {label!r}, which the training data does not have: correct it")
    counts = _Counts()
    train, counts.train = _with_marks(dataset.train, marked, counts)
    dev, counts.dev = _with_marks(dataset.dev, marked, counts)
    counts.test = len({item.words for item in dataset.test} & marked.keys())
    elsewhere = {item.words for item in chain(dataset.train, dataset.dev, dataset.test)}
    rest = [(where, row) for words, (where, row) in marked.items() if words not in elsewhere]
    more = tuple(row for _, row in rest if _can_be_learned(row, several))
    counts.added = len(more)
    counts.unmatched = tuple(where for where, row in rest if not _can_be_learned(row, several))
    return replace(dataset, train=(*train, *more), dev=dev, notes=(*dataset.notes, _note(path, counts)))


def _is_taken_back(record: Mapping[str, Any]) -> bool:
    """Whether a line of  whyword serve --annotate  says that its author skipped the text, or took a decision back."""
    return bool(record.get("skipped")) or (bool(record.get("undo")) and RATIONALE_COLUMN not in record)


def _can_be_learned(row: Document, several: bool) -> bool:
    return bool(len(row.words)) and (row.labels is not None if several else row.label is not None)


def _together(rows: Sequence[Document]) -> Document:
    """Take what several people marked in one text together; the last label counts."""
    labelled = [row for row in rows if row.label is not None or row.labels is not None]
    last = labelled[-1] if labelled else rows[-1]
    return replace(
        last,
        rationale=_union([row.rationale for row in rows]),
        not_rationale=_union([row.not_rationale for row in rows]),
    )


def _union(marks: Sequence[Marked | None]) -> Marked | None:
    known = [spans for spans in marks if spans is not None]
    if not known:
        return None
    return tuple(tuple(sorted({span for spans in of_text for span in spans})) for of_text in zip(*known, strict=True))


def _with_marks(
    documents: Documents, marked: dict[Words, tuple[str, Document]], counts: _Counts
) -> tuple[Documents, int]:
    """Give the marks, and the labels that people corrected, to the texts that a file names; and how many these are."""
    found = 0
    taught: list[Document] = []
    for item in documents:
        if item.words not in marked:
            taught.append(item)
            continue
        row = marked[item.words][1]
        found += 1
        if row.all_labels or row.labels is not None:
            counts.relabelled += row.all_labels != item.all_labels
            item = replace(item, label=row.label, labels=row.labels)
        taught.append(replace(item, rationale=row.rationale, rationales=None, not_rationale=row.not_rationale))
    return tuple(taught), found


def _note(path: Path, counts: _Counts) -> str:
    """Say what came of the file, in one line."""
    parts = [f"{path}: {counts.train:,} training and {counts.dev:,} dev texts have marks"]
    parts += [f"{counts.added:,} labelled rows joined the training texts"] * bool(counts.added)
    parts += [f"{counts.relabelled:,} labels were corrected"] * bool(counts.relabelled)
    parts += [f"{counts.test:,} texts of test were left as they are"] * bool(counts.test)
    if counts.unmatched:
        first = counts.unmatched[0]
        parts.append(
            f"{len(counts.unmatched):,} match no text and have no label, so they were left out (first: {first})"
        )
    return "; ".join(parts) + "."
