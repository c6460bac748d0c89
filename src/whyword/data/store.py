"""Rows of a data set of any size, written once to a folder on disk and read from there by their number.

What is kept in memory is a handful of bytes a row at most. Files are read at an offset rather than mapped: pages of a
mapped file count as memory of the process for as long as the system has room for them.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

import numpy as np

from ..interfaces.document import Document, Label, Words
from ..interfaces.errors import DataError
from .bad_rows import SHOWN, RowError, Rows
from .rows import Columns, document
from .texts_alike import text_key
from .words import split

T = TypeVar("T")
FACTS, ROWS, TEXTS = "store.json", "rows.bin", "texts.bin"
BLOCK = 8_192  # rows that are written and read together
MOST_LABELS = 20_000  # different ones; more are no classes
ROW = np.dtype(
    [
        ("start", "<u8"),  # of the text in its file, in bytes
        ("size", "<u4"),  # of the text, and of a second one behind it: -1 if there is none
        ("second", "<i4"),
        ("label", "<i4"),  # its number in the order of appearance
        ("weight", "<f8"),  # NaN: none
        ("key", "<u8"),  # equal for texts that count as one; see data/texts_alike.py
    ]
)


class BadRows(Sequence[RowError]):
    """Rows that cannot be used: the first of them, and how many there are of each kind."""

    def __init__(self, first: Sequence[RowError], kinds: Mapping[str, int]) -> None:
        self.first, self.kinds = first, kinds

    def __len__(self) -> int:
        """Count the rows."""
        return sum(self.kinds.values())

    def __getitem__(self, place: Any) -> Any:
        """Give those that are kept."""
        return self.first[place]


@dataclass
class Facts:
    """What is known of all rows of a store."""

    rows: int = 0
    labels: list[Label] = field(default_factory=list)  # in the order of appearance
    weighted: bool = False
    paired: bool = False
    code: int = 0  # a check sum of all that is kept
    bad: list[tuple[str, str, str]] = field(default_factory=list)  # rows that cannot be used, as many as are shown
    bad_kinds: dict[str, int] = field(default_factory=dict)  # how many there are of each kind
    of: dict[str, Any] = field(default_factory=dict)  # what the rows were read from


class RowStore:
    """The rows of one split, on disk."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        self.folder, self.facts = folder, facts
        self._rows, self._texts = (os.open(folder / name, os.O_RDONLY) for name in (ROWS, TEXTS))

    def __del__(self) -> None:
        """Close the files."""
        for file in (getattr(self, "_rows", None), getattr(self, "_texts", None)):
            if file is not None:
                os.close(file)

    def __len__(self) -> int:
        """Count the rows."""
        return self.facts.rows

    @property
    def bad(self) -> BadRows:
        """The rows that cannot be used."""
        return BadRows([RowError(*row) for row in self.facts.bad], self.facts.bad_kinds)

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Read what is known of rows that lie together."""
        stop = min(stop, len(self))
        data = read_at(self._rows, start * ROW.itemsize, max(0, stop - start) * ROW.itemsize)
        return np.frombuffer(data, ROW)

    def blocks(self) -> Iterator[tuple[int, np.ndarray]]:
        """Read all rows block by block, each with its first number."""
        for start in range(0, len(self), BLOCK):
            yield start, self.rows(start, start + BLOCK)

    def documents(self, rows: np.ndarray) -> Iterator[Document]:
        """Read the texts of rows that lie together."""
        if not len(rows):
            return
        first = int(rows[0]["start"])
        last = rows[-1]
        end = int(last["start"]) + int(last["size"]) + max(0, int(last["second"]))
        data = read_at(self._texts, first, end - first)
        for start, size, second, label, weight, _ in rows.tolist():
            begin = start - first
            text = data[begin : begin + size].decode("utf-8", "surrogatepass")
            pair = data[begin + size : begin + size + second].decode("utf-8", "surrogatepass") if second >= 0 else None
            yield Document(split(text, pair), self.facts.labels[label], None, weight if weight == weight else None)


def read_at(file: int, start: int, size: int) -> bytes:
    """Read bytes from an offset on; the system gives 2 GB at most at a time."""
    parts = []
    while size > 0:
        part = os.pread(file, size, start)
        if not part:
            raise DataError("The rows kept for this run are incomplete: leave --resume out to start again.")
        parts.append(part)
        start, size = start + len(part), size - len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def write_store(folder: Path, rows: Rows, columns: Columns, source: str, of: dict[str, Any]) -> RowStore:
    """Write rows as they come; what a killed process wrote is written again."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FACTS).unlink(missing_ok=True)
    facts = Facts(of=of)
    numbers: dict[Label, int] = {}
    start = 0
    with (folder / ROWS).open("wb") as row_file, (folder / TEXTS).open("wb") as text_file:
        known: list[tuple[int, int, int, int, float, int]] = []
        texts: list[bytes] = []

        def put() -> None:
            together, table = b"".join(texts), np.array(known, dtype=ROW).tobytes()
            text_file.write(together)
            row_file.write(table)
            facts.code = zlib.crc32(table, zlib.crc32(together, facts.code))
            facts.rows += len(known)
            known.clear()
            texts.clear()

        for where, record in rows:
            try:
                made = document(record, columns, where, labelled=True)
            except RowError as error:
                facts.bad_kinds[error.kind] = facts.bad_kinds.get(error.kind, 0) + 1
                if len(facts.bad) < SHOWN:
                    facts.bad.append((error.where, error.problem, error.kind))
                continue
            label = made.label
            unfit = why_in_memory(made)
            if label is None or unfit:
                raise DataError(f"{where} {unfit}, which takes all rows in memory: give --no-stream.")
            strings = [text.encode("utf-8", "surrogatepass") for text in made.words.texts]
            paired = len(strings) > 1
            if not facts.rows and not known:
                facts.paired = paired
            elif paired != facts.paired:
                raise DataError(f"{where}: some rows of {source} have a second text and some have none.")
            number = numbers.setdefault(label, len(numbers))
            if len(numbers) > MOST_LABELS:
                raise DataError(
                    f"{source} has more than {MOST_LABELS:,} different labels: name the column of the classes with "
                    "--label."
                )
            facts.weighted = facts.weighted or made.weight is not None
            weight = float("nan") if made.weight is None else made.weight
            key = int.from_bytes(text_key(made.words)[:8], "little")
            known.append((start, len(strings[0]), len(strings[1]) if paired else -1, number, weight, key))
            texts += strings
            start += sum(map(len, strings))
            if len(known) == BLOCK:
                put()
        put()
        for file in (row_file, text_file):
            file.flush()
            os.fsync(file.fileno())
    facts.labels = list(numbers)
    beside = folder / f"{FACTS}.new"
    beside.write_text(json.dumps(asdict(facts)), encoding="utf-8")
    beside.replace(folder / FACTS)
    return RowStore(folder, facts)


def why_in_memory(made: Document) -> str:
    """Say what of a document a store does not keep; nothing if it keeps all."""
    if made.labels is not None:
        return "may have several labels"
    if made.rationale is not None or made.not_rationale is not None or made.rationales is not None:
        return "has passages that people marked"
    return ""


def open_store(folder: Path, of: dict[str, Any]) -> RowStore | None:
    """Open a store that was written to its end, of the same rows; None if there is none."""
    try:
        facts = Facts(**json.loads((folder / FACTS).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    return RowStore(folder, facts) if facts.of == json.loads(json.dumps(of)) else None


class Lazy(Sequence[T], Generic[T]):
    """What a function makes of each document, when it is asked for."""

    def __init__(self, documents: StoredDocuments, make: Callable[[Document], T]) -> None:
        self.documents, self.make = documents, make

    def __len__(self) -> int:
        """Count the documents."""
        return len(self.documents)

    def __iter__(self) -> Iterator[T]:
        """Make all, one by one."""
        return map(self.make, self.documents)

    def __getitem__(self, place: Any) -> Any:
        """Make one, or several."""
        found = self.documents[place]
        return self.make(found) if isinstance(found, Document) else [self.make(item) for item in found]

    def then(self, make: Callable[[T], Any]) -> Lazy[Any]:
        """Make something else of what is made."""
        return Lazy(self.documents, lambda item: make(self.make(item)))


class StoredDocuments(Sequence[Document]):
    """Documents of a store, read whenever they are looked at: chosen rows, or all but some."""

    def __init__(
        self, store: RowStore, chosen: np.ndarray | None = None, left_out: np.ndarray | None = None,
        labels: Sequence[Label] | None = None,
    ) -> None:  # fmt: skip
        self.store, self.chosen = store, chosen  # sorted
        self.left_out = np.empty(0, dtype=np.int64) if left_out is None else left_out  # sorted
        self._shift = self.left_out - np.arange(len(self.left_out))
        self.names = tuple(store.facts.labels if labels is None else labels)  # of the labels by their numbers

    def __len__(self) -> int:
        """Count the documents."""
        return len(self.store) - len(self.left_out) if self.chosen is None else len(self.chosen)

    def numbers(self, places: np.ndarray) -> np.ndarray:
        """Give the rows at these places."""
        if self.chosen is not None:
            return np.asarray(self.chosen[places])
        return np.asarray(places + np.searchsorted(self._shift, places, side="right"))

    @overload
    def __getitem__(self, place: int) -> Document: ...
    @overload
    def __getitem__(self, place: slice) -> list[Document]: ...
    def __getitem__(self, place: int | slice) -> Document | list[Document]:
        """Read one document, or several."""
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        row = int(self.numbers(np.array(place % len(self))))
        return self._named(self.store.rows(row, row + 1))[0]

    def __iter__(self) -> Iterator[Document]:
        """Read all documents, one block at a time."""
        for rows in self._blocks():
            yield from self._named(rows)

    def _blocks(self) -> Iterator[np.ndarray]:
        if self.chosen is not None:
            for row in self.chosen.tolist():
                yield self.store.rows(row, row + 1)
            return
        for start, rows in self.store.blocks():
            first, last = np.searchsorted(self.left_out, [start, start + len(rows)])
            gone = self.left_out[first:last] - start
            yield from _without(rows, gone)

    def _named(self, rows: np.ndarray) -> list[Document]:
        found = list(self.store.documents(rows))
        if self.names == tuple(self.store.facts.labels):
            return found
        return [
            Document(item.words, self.names[label], None, item.weight)
            for item, label in zip(found, rows["label"].tolist(), strict=True)
        ]

    @property
    def words(self) -> Lazy[Words]:
        """The words of the documents."""
        return Lazy(self, lambda item: item.words)

    def column(self, name: str, kind: Any) -> np.ndarray:
        """Give one thing that is known of every document."""
        if self.chosen is not None:
            return np.array([self.store.rows(row, row + 1)[name][0] for row in self.chosen.tolist()], dtype=kind)
        values = np.empty(len(self), dtype=kind)
        done = 0
        for rows in self._blocks():
            values[done : done + len(rows)] = rows[name]
            done += len(rows)
        return values

    @cached_property
    def label_counts(self) -> dict[Label, int]:
        """How many documents have each label, in the order of appearance."""
        counts: dict[Label, int] = {}
        for rows in self._blocks():
            numbers, times = np.unique(rows["label"], return_counts=True)
            for number, count in zip(numbers.tolist(), times.tolist(), strict=True):
                counts[self.names[number]] = counts.get(self.names[number], 0) + count
        return {label: counts[label] for label in dict.fromkeys(self.names) if label in counts}

    def label_numbers(self) -> np.ndarray:
        """(text,) the number of the label of each document, in as few bytes as do."""
        return self.column("label", np.min_scalar_type(max(1, len(self.names) - 1)))

    def with_keys(self, keys: Iterable[bytes]) -> np.ndarray:
        """Give the places of documents whose texts have one of these keys, told by their first 8 bytes."""
        wanted = np.array(sorted(int.from_bytes(key[:8], "little") for key in keys), dtype=np.uint64)
        found = [np.empty(0, dtype=np.int64)]
        done = 0
        for rows in self._blocks() if len(wanted) else ():
            nearest = wanted[np.searchsorted(wanted, rows["key"]).clip(max=len(wanted) - 1)]
            found.append(done + np.flatnonzero(nearest == rows["key"]))
            done += len(rows)
        return np.concatenate(found)

    def numbered(self, classes: Sequence[Label]) -> np.ndarray:
        """Give the (text,) number of the class of each document, in as few bytes as do."""
        number = {label: i for i, label in enumerate(classes)}
        kind = np.min_scalar_type(max(1, len(classes) - 1))
        place = np.array([number.get(label, 0) for label in self.names], dtype=kind)
        return np.asarray(place[self.label_numbers()])

    @property
    def weights(self) -> np.ndarray | None:
        """(text,) how much each counts in training; None: all the same."""
        if not self.store.facts.weighted:
            return None
        weights = self.column("weight", np.float64)
        np.nan_to_num(weights, copy=False, nan=1.0)
        return weights

    def part(self, places: np.ndarray) -> tuple[StoredDocuments, StoredDocuments]:
        """Part documents into the rest and those at some places, in the order of the rows."""
        held = np.sort(self.numbers(places))
        rest = np.sort(np.concatenate([self.left_out, held]))
        return StoredDocuments(self.store, None, rest, self.names), StoredDocuments(self.store, held, None, self.names)

    def renamed(self, into: Mapping[Label, Label]) -> StoredDocuments:
        """Give some labels other names."""
        names = [into.get(name, name) for name in self.names]
        return StoredDocuments(self.store, self.chosen, self.left_out, names)

    def draw(self, most: int, seed: int, every_label: bool = False) -> StoredDocuments:
        """Draw some of the documents, in their order; if so wanted, more of them for labels that have none there."""
        if len(self) <= most:
            return self
        places = np.random.default_rng(seed).choice(len(self), most, replace=False)
        if every_label:
            labels = self.label_numbers()
            every, first = np.unique(labels, return_index=True)
            places = np.concatenate([places, first[~np.isin(every, labels[places])]])
        return StoredDocuments(self.store, np.sort(self.numbers(places)), labels=self.names)


def _without(rows: np.ndarray, gone: np.ndarray) -> Iterator[np.ndarray]:
    """Give the stretches of rows between those that are left out."""
    start = 0
    for stop in [*gone.tolist(), len(rows)]:
        if stop > start:
            yield rows[start:stop]
        start = stop + 1


def some_of(documents: Sequence[Document], most: int, seed: int) -> Sequence[Document]:
    """Draw documents where they lie on disk; leave those in memory alone."""
    return documents.draw(most, seed) if isinstance(documents, StoredDocuments) else documents


def words_of(documents: Iterable[Document]) -> Sequence[Words]:
    """Give the words of documents, of those on disk one by one."""
    return documents.words if isinstance(documents, StoredDocuments) else [item.words for item in documents]
