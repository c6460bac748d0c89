"""Load a data set: its training, development and test documents, wherever they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from ..interfaces.document import Document, Label
from ..interfaces.errors import DataError
from .lines import read_standard_input
from .planted import planted
from .readers import hub, json_lines
from .rows import Columns, document, missing_column
from .sources import SPLITS, locate, name_of, read_records, split_files
from .splits import Dataset, Documents, cut_dev, cut_dev_and_test

__all__ = ["Dataset", "labels", "load_dataset", "stream_documents"]

Rows = Iterator[tuple[str, dict[str, Any]]]

_USUAL = Columns()


def load_dataset(source: str | Path, columns: Columns = _USUAL, data_dir: str | Path | None = None) -> Dataset:
    """Load a file, a folder of splits, a name under the data folder, `hub:owner/name`, or `planted`."""
    name = str(source)
    if name == "planted" or name.startswith("planted:"):
        return planted(name.partition(":")[2])
    if name.startswith(hub.PREFIX):
        return _load_hub(name, columns)
    path = locate(source, data_dir)
    if path.is_dir():
        splits = {split: _read(read_records(file), columns, str(file)) for split, file in split_files(path).items()}
        return _complete(name_of(path), splits, str(path))
    rows = _read(read_records(path), columns, str(path))
    _check_classes(rows, path.name)
    train, dev, test, note = cut_dev_and_test(rows, path.name)
    return Dataset(name_of(path), train, dev, test, (note,))


def stream_documents(path: str | Path, columns: Columns = _USUAL, labelled: bool = False) -> Iterator[Document]:
    """Yield the documents of a file one by one; `-` is standard input: lines of JSON objects or of plain text."""
    rows = _standard_input(columns) if str(path) == "-" else read_records(Path(path).expanduser())
    return (document(record, columns, where, labelled) for where, record in rows)


def labels(documents: Iterable[Document], source: str = "the data") -> tuple[Label, ...]:
    """List the classes of documents in order; the source is named if strings and integers are mixed."""
    classes = {item.label for item in documents if item.label is not None}
    strings = sorted(label for label in classes if isinstance(label, str))
    integers = sorted(label for label in classes if isinstance(label, int))
    if strings and integers:
        raise DataError(
            f"Some labels of {source} are strings, such as {strings[0]!r}, and some integers, such as {integers[0]}: "
            "use one kind."
        )
    return tuple(strings or integers)


def _load_hub(source: str, columns: Columns) -> Dataset:
    splits: dict[str, Documents] = {}
    notes: list[str] = []
    for name, rows in hub.read(source).items():
        split = SPLITS.get(name)
        if split is None:
            continue
        first = next(rows, None)
        if split != "train" and first is not None and first[1].get(columns.label) is None:
            notes.append(f"The split {name} of {source} has no labels and was left out.")
        else:
            splits[split] = _read(rows if first is None else chain([first], rows), columns, f"{source}, split {name}")
    if "train" not in splits:
        raise DataError(f"{source} has no split named train.")
    return _complete(source.removeprefix(hub.PREFIX), splits, source, notes)


def _complete(name: str, splits: dict[str, Documents], source: str, notes: Sequence[str] = ()) -> Dataset:
    """Check what was read, and cut the dev split if there is none."""
    train, dev, test = splits["train"], splits.get("dev", ()), splits.get("test", ())
    _check_classes(train, source)
    if "dev" not in splits:
        train, dev, note = cut_dev(train, source)
        notes = [*notes, note]
    for split, rows in (("dev", dev), ("test", test)):
        _check_known(split, rows, train, source)
    return Dataset(name, train, dev, test, tuple(notes))


def _read(rows: Rows, columns: Columns, source: str) -> Documents:
    record: Mapping[str, Any] = {}
    documents = []
    for where, record in rows:
        documents.append(document(record, columns, where, labelled=True))
        if len(documents[-1].words.texts) != len(documents[0].words.texts):
            raise DataError(f"{where}: some rows of {source} have a second text and some have none.")
    if not documents:
        raise DataError(f"{source} has no rows.")
    if columns.rationale is not None and all(item.rationale is None for item in documents):
        raise missing_column(columns.rationale, record, source)
    return tuple(documents)


def _check_classes(train: Documents, source: str) -> None:
    classes = labels(train, source)
    if len(classes) < 2:
        raise DataError(f"{source} needs at least two classes; all {len(train)} rows are {classes[0]!r}.")


def _check_known(split: str, rows: Documents, train: Documents, source: str) -> None:
    known = set(labels(train))
    counts = Counter(item.label for item in rows if item.label not in known)
    for label, count in counts.most_common(1):
        labels([*train, *rows], source)  # a string among integers is the likelier mistake
        raise DataError(
            f"The {split} split of {source} has {count} rows of the class {label!r}, which its train split does not "
            "have: add such rows to train or drop them."
        )


def _standard_input(columns: Columns) -> Rows:
    for number, line in enumerate(read_standard_input(), 1):
        where = f"standard input, line {number}"
        yield where, json_lines.parse(line, where) if line.startswith("{") else {columns.text: line.rstrip("\r\n")}
