"""Load a data set: its training, development and test documents, wherever they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ..interfaces.document import Document
from ..interfaces.errors import DataError
from ..interfaces.places import as_place
from .bad_rows import STOP, Record, RowError, Rows, left_out, refuse
from .columns import SAMPLE, names_in, recognize_columns
from .encoding import Encoding, check_encoding
from .labels import labels, merge_spellings
from .leaks import cut_leaks
from .lines import read_standard_input
from .planted import planted
from .readers import hub, json_lines
from .rows import TEXT_COLUMN, USUAL, Columns, document
from .sources import (
    SPLITS,
    describe_file,
    find_columns,
    is_dense,
    locate,
    name_of,
    read_documents,
    read_records,
    split_parts,
)
from .splits import MOST_HELD, SEED, Dataset, Documents, cut_dev, cut_dev_and_test
from .store import StoredDocuments, open_store, why_in_memory, write_store

LARGE = 200_000_000  # bytes of training rows; in memory they take ten times as many and more
PACKED_TIMES = 4  # as many bytes where they are packed

__all__ = ["Dataset", "labels", "load_dataset", "read_splits", "stream_documents"]


@dataclass(frozen=True, eq=False)
class Split:
    """A file as it was read: what can be learned from, what cannot, and how it is written."""

    source: str
    documents: Documents
    places: tuple[str, ...]  # of the documents in memory
    bad: Sequence[RowError]
    columns: Columns
    form: str = ""  # how it is written, in one line
    usual: bool = True  # whether that goes without saying

    @property
    def rows(self) -> int:
        """How many rows there are, good and bad."""
        return len(self.documents) + len(self.bad)


@dataclass(frozen=True)
class Splits:
    """The files of a data set by what they are for; a single file, of which splits are to be cut, is train."""

    name: str
    source: str
    splits: dict[str, Split]
    single: bool = False
    notes: tuple[str, ...] = ()


def load_dataset(
    source: str | Path,
    columns: Columns = USUAL,
    data_dir: str | Path | None = None,
    *,
    keep_leaks: bool = True,
    fix_labels: bool = False,
) -> Dataset:
    """Load a file, a folder of splits, a name under the data folder, `hub:owner/name`, or `planted`.

    fix_labels: read labels that differ only in case or spaces as one, in the spelling that is most frequent.
    keep_leaks: leave texts that stand in two splits where they are, else see data/leaks.py.
    """
    if is_planted(source):
        return planted(str(source).partition(":")[2])
    read = read_splits(source, columns, data_dir)
    return complete(with_fixed_labels(read) if fix_labels else read, columns, keep_leaks)


def is_planted(source: str | Path) -> bool:
    """Whether a source is the embedded corpus."""
    return str(source) == "planted" or str(source).startswith("planted:")


def read_splits(
    source: str | Path, columns: Columns = USUAL, data_dir: str | Path | None = None, store: Path | None = None
) -> Splits:
    """Read all files of a data set, bad rows and all, into memory or into a folder for rows."""
    if str(source).startswith(hub.PREFIX):
        return _read_hub(str(source), columns, store)
    path = locate(source, data_dir)
    if not path.is_dir():
        return Splits(name_of(path), path.name, {"train": _read_files([path], columns, "train", store)}, single=True)
    files = split_parts(path)
    if "" in files:
        return Splits(name_of(path), str(path), {"train": _read_files(files[""], columns, "train", store)}, single=True)
    splits = {"train": _read_files(files["train"], columns, "train", store)}
    like_train = replace(columns, known=columns.known or splits["train"].columns)
    splits |= {
        split: _read_files(parts, like_train, split, store) for split, parts in files.items() if split != "train"
    }
    order = [split for split in ("train", "dev", "test") if split in files]
    return Splits(name_of(path), str(path), {split: splits[split] for split in order})


def is_large(source: str | Path, columns: Columns = USUAL, data_dir: str | Path | None = None) -> bool:
    """Whether the training rows of a data set are too many for memory, and may be written to disk instead."""
    if is_planted(source):
        return False
    if str(source).startswith(hub.PREFIX):
        return hub.size(str(source)) >= LARGE
    path = locate(source, data_dir)
    splits = split_parts(path) if path.is_dir() else {"": [path]}
    parts = splits.get("train") or splits[""]
    sizes = (part.stat().st_size * (PACKED_TIMES if is_dense(part) else 1) for part in parts)
    if sum(sizes) < LARGE:
        return False
    found = find_columns(parts[0], columns, labelled=True)
    first = islice(read_records(parts[0], columns=found), SAMPLE)
    made = (document(record, found, where, True) for where, record in first if not isinstance(record, RowError))
    with suppress(RowError):
        return not any(map(why_in_memory, made))
    return True


def stream_documents(path: str | Path, columns: Columns = USUAL, labelled: bool = False) -> Iterator[Document]:
    """Yield the documents of a file one by one; `-` is standard input: lines of JSON objects or of plain text."""
    if str(path) == "-":
        return read_documents(_standard_input(columns), columns, labelled)
    file = as_place(path).expanduser()
    found = find_columns(file, columns, labelled)
    return read_documents(read_records(file, columns=found), found, labelled)


def with_fixed_labels(read: Splits) -> Splits:
    """Read labels that differ only in case or spaces as one, in the spelling that is most frequent."""
    merged, notes = merge_spellings({name: split.documents for name, split in read.splits.items()})
    splits = {name: replace(split, documents=merged[name]) for name, split in read.splits.items()}
    return replace(read, splits=splits, notes=(*read.notes, *notes))


def complete(read: Splits, columns: Columns = USUAL, keep_leaks: bool = True) -> Dataset:
    """Check what was read, cut the splits that are missing, and cut leaks."""
    dataset = _with_all_splits(read, columns.on_bad_row == STOP, together=not keep_leaks)
    return dataset if keep_leaks else cut_leaks(dataset)


def _with_all_splits(read: Splits, stop: bool, together: bool) -> Dataset:
    notes: list[str] = []
    for split in read.splits.values():
        notes += [] if split.usual else [split.form]
        if split.bad and stop:
            raise refuse(split.bad, split.source, split.rows)
        if split.bad:
            notes.append(left_out(split.bad, split.source, split.rows))
        if not len(split.documents):
            raise DataError(f"{split.source} has no rows{' that can be used' if split.bad else ''}.")
    notes += read.notes
    splits = {name: split.documents for name, split in read.splits.items()}
    columns = read.splits["train"].columns
    train, dev, test = splits["train"], splits.get("dev", ()), splits.get("test", ())
    _check_classes(train, read.source)
    if read.single:
        train, dev, test, note = cut_dev_and_test(train, read.source, together)
        return Dataset(read.name, train, dev, test, (*notes, note), columns)
    if "dev" not in splits:
        train, dev, note = cut_dev(train, read.source, together)
        notes.append(note)
    if isinstance(train, StoredDocuments):
        (dev, test), capped = _capped(dev, test)
        notes += capped
    for name, rows in (("dev", dev), ("test", test)):
        _check_known(name, rows, train, read.source)
    return Dataset(read.name, train, dev, test, tuple(notes), columns)


def _read_hub(source: str, columns: Columns, store: Path | None) -> Splits:
    splits: dict[str, Split] = {}
    notes: list[str] = []
    for name, rows in hub.read(source).items():
        split = SPLITS.get(name)
        if split is None:
            continue
        where = f"{source}, split {name}"
        first = list(islice(rows, SAMPLE))
        records = [record for _, record in first if not isinstance(record, RowError)]
        found = recognize_columns(columns, names_in(records), records, where, split == "train") if first else columns
        if split != "train" and first and not found.labels and records[0].get(found.label or "") is None:
            notes.append(f"The split {name} of {source} has no labels and was left out.")
        else:
            splits[split] = _read(chain(first, rows), found, where, _place(store, split), {"source": where})
    if "train" not in splits:
        raise DataError(f"{source} has no split named train.")
    return Splits(source.removeprefix(hub.PREFIX), source, splits, notes=tuple(notes))


def _read_files(paths: Sequence[Path], columns: Columns, split: str, store: Path | None) -> Split:
    first = paths[0]
    found = find_columns(first, columns, labelled=True)
    form, usual = describe_file(first, found, columns, labelled=True)
    source = str(first) if len(paths) == 1 else f"{first.parent}, {len(paths)} files of {split}"
    rows = chain.from_iterable(read_records(path, columns=found) for path in paths)
    files = [[str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns] for path in paths]
    return replace(_read(rows, found, source, _place(store, split), {"files": files}), form=form, usual=usual)


def _place(store: Path | None, split: str) -> Path | None:
    return None if store is None else store / split


def _read(rows: Rows, columns: Columns, source: str, store: Path | None, of: dict[str, Any]) -> Split:
    """Read rows into memory, or into a folder where those of an earlier try are taken as they are."""
    if store is not None:
        of = {**of, "columns": repr(columns)}
        kept = open_store(store, of) or write_store(store, rows, columns, source, of)
        return Split(source, StoredDocuments(kept), (), kept.bad, columns)
    documents: list[Document] = []
    places: list[str] = []
    bad: list[RowError] = []
    for where, record in rows:
        try:
            made = document(record, columns, where, labelled=True)
        except RowError as error:
            bad.append(error)
            continue
        documents.append(made)
        places.append(where)
        if len(made.words.texts) != len(documents[0].words.texts):
            raise DataError(f"{where}: some rows of {source} have a second text and some have none.")
    return Split(source, tuple(documents), tuple(places), tuple(bad), columns)


def _capped(*splits: Documents) -> tuple[list[Documents], list[str]]:
    """Draw from splits on disk what is measured on."""
    drawn = [rows.draw(MOST_HELD, SEED) if isinstance(rows, StoredDocuments) else rows for rows in splits]
    notes = [
        f"Of {len(rows):,} {name} rows, {len(some):,} are measured on, drawn with the seed {SEED}."
        for name, rows, some in zip(("dev", "test"), splits, drawn, strict=True)
        if len(some) < len(rows)
    ]
    return drawn, notes


def _check_classes(train: Documents, source: str) -> None:
    classes = labels(train, source)
    if len(classes) < 2:
        if not classes:
            raise DataError(f"{source} needs at least two labels, but none of its {len(train)} rows has one.")
        raise DataError(f"{source} needs at least two classes; all {len(train)} rows are {classes[0]!r}.")


def _check_known(split: str, rows: Documents, train: Documents, source: str) -> None:
    known = set(labels(train))
    counts = Counter(label for item in rows for label in item.all_labels if label not in known)
    for label, count in counts.most_common(1):
        labels(chain(train, rows), source)  # a string among integers is the likelier mistake
        raise DataError(
            f"The {split} split of {source} has {count} rows of the class {label!r}, which its train split does not "
            "have: add such rows to train or drop them."
        )


def _standard_input(columns: Columns) -> Rows:
    encoding = Encoding(check_encoding(columns.encoding or "utf-8"))
    for number, line in enumerate(read_standard_input(columns.encoding), 1):
        where = f"standard input, line {number}"
        plain: Record = {columns.text or TEXT_COLUMN: line.text.rstrip("\r\n")}
        is_plain = line.bad_byte is None and not line.text.startswith("{")
        record = plain if is_plain else json_lines.parse(line, where, encoding)
        other = None if columns.known is None or columns.text is not None else columns.known.text
        if isinstance(record, dict) and other in record:  # the column that the model was trained on
            record = {**record, TEXT_COLUMN: record[other]}
        yield where, record
