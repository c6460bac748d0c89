"""Texts, labels and rationales as users hold them (files, lists, arrays, pandas or polars columns) become documents."""

from __future__ import annotations

import hashlib
import json
import math
import os.path
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from ..data.dataset import stream_documents
from ..data.labels import labels as label_names
from ..data.rows import Columns
from ..data.sources import check_rows, count_rows, find_columns
from ..data.words import split
from ..interfaces.document import Document, Label, Span, Words
from ..interfaces.errors import DataError
from ..interfaces.places import as_place, exists, is_place, open_bytes


class TextSource:
    """Texts to be gone through once: those of a file, or of anything that can be iterated over."""

    def __init__(self, texts: Any, columns: Columns | Mapping[str, str] | None = None) -> None:
        """Take the path of a file or of a folder, or strings, pairs of strings or documents."""
        self.columns = columns if isinstance(columns, Columns) else Columns(**dict[str, Any](columns or {}))
        self.path = as_place(texts) if isinstance(texts, str) or is_place(texts) else None
        if self.path is not None and not _is_there(self.path):
            raise DataError(f"There is no file or folder {str(texts)[:80]!r}: give its path, or a list of texts.")
        self._stream = texts if isinstance(texts, Iterator) else None
        self._words = None if self.path is not None or self._stream is not None else read_texts(texts)
        self._documents: Iterator[Document] | None = None
        self.notes: list[str] = []  # how a file is read, where that is not as usual; known once documents are asked for

    def prefer(self, columns: Columns | None) -> None:
        """Read the columns that a model was trained on, where a file has them and no others are named."""
        self.columns = replace(self.columns, known=self.columns.known or columns)

    def found(self) -> Columns:
        """Give the columns of the file that is read."""
        return self.columns if self.path is None else find_columns(self.path, self.columns)

    def documents(self) -> Iterator[Document]:
        """Give the documents, at least one; those of a file or an iterator are read as they are needed."""
        if self._documents is None:
            if self.path is not None:
                self.notes, _ = check_rows(self.path, self.columns)
                documents = stream_documents(self.path, self.columns)
            elif self._stream is not None:
                documents = (_document(text, row) for row, text in enumerate(self._stream))
            else:
                documents = iter([Document(words) for words in self._words or ()])
            first = next(documents, None)
            if first is None:
                raise DataError(f"{'The input' if self.path is None else self.path} holds no texts: give at least one.")
            self._documents = chain([first], documents)
        return self._documents

    def first(self) -> Words:
        """Give the first text, which stays among the documents."""
        first = next(self.documents())
        self._documents = chain([first], self.documents())
        return first.words

    def count(self) -> int | None:
        """Say about how many texts there are; None where that is not known beforehand."""
        if self.path is not None:
            return count_rows(self.path)
        return None if self._words is None else len(self._words)

    def fingerprint(self) -> str | None:
        """Name the content; None for an iterator, which cannot be read twice."""
        if self.path is not None:
            return file_fingerprint(self.path)
        if self._words is None:
            return None
        texts = [words.texts[0] if len(words.texts) == 1 else words.texts for words in self._words]
        return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def file_fingerprint(path: Path) -> str:
    """Name the content of a file."""
    with open_bytes(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_there(path: Path) -> bool:
    return os.path.exists(path) if isinstance(path, Path) else exists(path)  # pathlib raises where a name is too long


def _document(text: Any, row: int) -> Document:
    return text if isinstance(text, Document) else Document(_words(text, row))


def read_texts(texts: Any) -> list[Words]:
    """Cut each text, or pair of texts, into words."""
    if isinstance(texts, str):
        raise DataError("A single string was given where a list of texts is expected: put it in a list, [text].")
    if not isinstance(texts, Iterable):
        raise DataError(f"{_shown(texts)} was given where a list of texts is expected.")
    return [_words(text, row) for row, text in enumerate(_rows(texts))]


def _rows(texts: Iterable[Any]) -> Iterable[Any]:
    """Go through the rows of a table, a frame or an array, where other things are gone through as they are."""
    if hasattr(texts, "columns") and hasattr(texts, "to_numpy"):
        texts = texts.to_numpy()
    if isinstance(texts, np.ndarray) and texts.ndim == 2 and texts.shape[1] == 1:
        return texts[:, 0]
    return texts


def _words(text: Any, row: int) -> Words:
    if isinstance(text, Words):
        return text
    if isinstance(text, Document):
        return text.words
    if isinstance(text, str):
        parts: tuple[str, ...] = (str(text),)
    elif isinstance(text, Sequence | np.ndarray) and len(text) == 2 and all(isinstance(part, str) for part in text):
        parts = (str(text[0]), str(text[1]))
    else:
        raise DataError(f"Text {row} is {_shown(text)}: give a string, or a pair of strings for pair tasks.")
    for part in parts:
        _check_unicode(part, row)
    return split(*parts)


def _check_unicode(text: str, row: int) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        raise DataError(
            f"Text {row} holds half a character ({half!r}, a lone surrogate): write the whole one."
        ) from None


def read_labels(labels: Any) -> list[Label]:
    """Give labels as plain strings and integers, also where integers are held as floats."""
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise DataError(f"{_shown(labels)} was given where a list of labels is expected: give one label per text.")
    if getattr(labels, "ndim", 1) == 2:
        from sklearn.utils.validation import column_or_1d  # takes a second to import

        labels = column_or_1d(labels, warn=True)
    plain = labels.tolist() if hasattr(labels, "tolist") else labels
    return [_label(label, row) for row, label in enumerate(plain)]


def _label(label: Any, row: int) -> Label:
    label = label.item() if isinstance(label, np.generic) else label
    if isinstance(label, str | int):
        return label
    if not isinstance(label, float) or math.isnan(label):
        raise DataError(f"Label {row} is {_shown(label)}: labels must be strings or integers, and none may be missing.")
    if not label.is_integer():
        raise DataError(f"Label {row} is {label}, a continuous value: labels must be strings or integers.")
    return int(label)


def are_label_sets(labels: Any) -> bool:
    """Whether labels are of texts that may have several: a table of 0 and 1 with two columns or more, or lists."""
    if hasattr(labels, "shape") and len(labels.shape) == 2:
        return bool(labels.shape[1] > 1)
    if isinstance(labels, str) or not isinstance(labels, Sequence | np.ndarray) or not len(labels):
        return False
    return all(isinstance(row, list | tuple | set | frozenset | np.ndarray) for row in labels)


def read_label_sets(labels: Any) -> tuple[list[tuple[Label, ...]], tuple[Label, ...]]:
    """Give all labels of each text, and the labels there are.

    Columns of an indicator matrix (MultiLabelBinarizer, also sparse) are numbered, those of a frame have its names.
    Lists of labels are taken as they are; lists of 0 and 1 alone, all of one length, are a matrix.
    """
    names: Any = getattr(labels, "columns", None)
    if hasattr(labels, "toarray"):
        labels = labels.toarray()
    table = labels.to_numpy() if names is not None else labels
    if not hasattr(table, "shape"):
        rows = [list(row) for row in table]
        if len({len(row) for row in rows}) != 1 or any(type(v) is not int or v not in (0, 1) for r in rows for v in r):
            sets = [tuple(dict.fromkeys(_label(label, i) for label in row)) for i, row in enumerate(rows)]
            return sets, label_names(Document(Words((), ()), labels=labels) for labels in sets)
        table = np.array(rows)
    elif table.ndim == 1:
        return read_label_sets([list(row) for row in table])
    if not np.isin(table, (0, 1)).all():
        raise DataError("A table of labels must hold 0 and 1 alone, one column per label: give an indicator matrix.")
    known: tuple[Label, ...] = tuple(range(table.shape[1])) if names is None else tuple(read_labels(list(names)))
    return [tuple(known[column] for column in np.flatnonzero(row)) for row in table], known


def read_documents(texts: Any, labels: Any) -> list[Document]:
    """Join texts with their label, or with all of their labels where they may have several."""
    words = read_texts(texts)
    several = are_label_sets(labels)
    classes: Sequence[Any] = read_label_sets(labels)[0] if several else read_labels(labels)
    if len(words) != len(classes):
        raise DataError(f"There are {len(words)} texts and {len(classes)} labels: give one label per text.")
    if not words:
        raise DataError("There are no texts to learn from: give at least two, of different classes.")
    for row, text in enumerate(words):
        if not len(text):
            raise DataError(f"Text {row} holds no words ({str(text.texts)[:40]}): drop it or fix it.")
        if len(text.texts) != len(words[0].texts):
            raise DataError(f"Text {row} is a {_kind(text)} and text 0 is a {_kind(words[0])}: give one kind.")
    if several:
        return [Document(text, labels=label_set) for text, label_set in zip(words, classes, strict=True)]
    return [Document(text, label) for text, label in zip(words, classes, strict=True)]


def labelled_documents(texts: Any, labels: Any = None) -> list[Document]:
    """Join texts with the labels they have, if any; texts that are documents already keep what is known of them."""
    rows = list(texts) if not isinstance(texts, str) and hasattr(texts, "__iter__") else texts
    if isinstance(rows, list) and all(isinstance(row, Document) for row in rows):
        documents = rows
    else:
        documents = [Document(words) for words in read_texts(rows if isinstance(texts, Iterator) else texts)]
    if labels is None:
        return documents
    several = are_label_sets(labels)
    known: Sequence[Any] = read_label_sets(labels)[0] if several else read_labels(labels)
    if len(known) != len(documents):
        raise DataError(f"There are {len(documents)} texts and {len(known)} labels: give one label per text.")
    if several:
        return [replace(document, labels=each) for document, each in zip(documents, known, strict=True)]
    return [replace(document, label=label) for document, label in zip(documents, known, strict=True)]


def with_rationales(documents: Sequence[Document], rationales: Any = None) -> list[Document]:
    """Join documents with the marked passages that are given, if any."""
    if rationales is None:
        return list(documents)
    marked = read_rationales(rationales, [document.words for document in documents])
    return [replace(document, rationale=spans) for document, spans in zip(documents, marked, strict=True)]


def _kind(text: Words) -> str:
    return "pair" if len(text.texts) == 2 else "single text"


def _shown(value: Any) -> str:
    return f"{type(value).__name__} {repr(value)[:40]}"


Marked = tuple[tuple[Span, ...], ...]


def read_rationales(rationales: Any, texts: Sequence[Words]) -> list[Marked | None]:
    """Read (start, end) character spans per text, two lists of them for a pair; None where nobody marked any."""
    if isinstance(rationales, str) or not isinstance(rationales, Iterable):
        raise DataError("The rationales must be a list, with a list of (start, end) spans for each text.")
    rows = list(rationales)
    if len(rows) != len(texts):
        raise DataError(f"There are {len(texts)} texts and {len(rows)} rationales: give one per text, or None.")
    return [_marked(marked, text, row) for row, (marked, text) in enumerate(zip(rows, texts, strict=True))]


def _marked(marked: Any, text: Words, row: int) -> Marked | None:
    if marked is None:
        return None
    parts = [marked] if len(text.texts) == 1 else marked
    try:
        spans = tuple(tuple((int(start), int(end)) for start, end in part) for part in parts)
    except (TypeError, ValueError):
        spans = ()
    if len(spans) != len(text.texts):
        raise DataError(f"Rationale {row} is {repr(marked)[:60]}: give a list of (start, end), two of them for a pair.")
    for part, string in zip(spans, text.texts, strict=True):
        for start, end in part:
            if not 0 <= start < end <= len(string):
                raise DataError(f"Rationale {row} marks ({start}, {end}), but its text has {len(string)} characters.")
    return spans


def draw(documents: Iterable[Document], size: int, seed: int) -> list[Document]:
    """Draw that number of documents at random, each equally likely, in their order; memory holds only those drawn."""
    generator = Random(seed)
    drawn: list[tuple[int, Document]] = []
    for number, document in enumerate(documents):
        if number < size:
            drawn.append((number, document))
        elif (place := generator.randrange(number + 1)) < size:
            drawn[place] = number, document
    return [document for _, document in sorted(drawn, key=lambda item: item[0])]
