"""Texts and labels as Python users hold them (lists, arrays, pandas or polars columns) become documents."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data.words import split
from ..interfaces.document import Document, Label, Words
from ..interfaces.errors import DataError


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


def read_documents(texts: Any, labels: Any) -> list[Document]:
    """Join texts with their labels."""
    words, given = read_texts(texts), read_labels(labels)
    if len(words) != len(given):
        raise DataError(f"There are {len(words)} texts and {len(given)} labels: give one label per text.")
    if not words:
        raise DataError("There are no texts to learn from: give at least two, of different classes.")
    for row, text in enumerate(words):
        if not len(text):
            raise DataError(f"Text {row} holds no words ({str(text.texts)[:40]}): drop it or mend it.")
        if len(text.texts) != len(words[0].texts):
            raise DataError(f"Text {row} is a {_kind(text)} and text 0 is a {_kind(words[0])}: give one kind.")
    return [Document(text, label) for text, label in zip(words, given, strict=True)]


def labelled_documents(texts: Any, labels: Any = None) -> list[Document]:
    """Join texts with the labels they have, if any; texts that are documents already keep what is known of them."""
    rows = list(texts) if not isinstance(texts, str) and hasattr(texts, "__iter__") else texts
    if isinstance(rows, list) and all(isinstance(row, Document) for row in rows):
        documents = rows
    else:
        documents = [Document(words) for words in read_texts(rows if isinstance(texts, Iterator) else texts)]
    if labels is None:
        return documents
    known = read_labels(labels)
    if len(known) != len(documents):
        raise DataError(f"There are {len(documents)} texts and {len(known)} labels: give one label per text.")
    return [replace(document, label=label) for document, label in zip(documents, known, strict=True)]


def _kind(text: Words) -> str:
    return "pair" if len(text.texts) == 2 else "single text"


def _shown(value: Any) -> str:
    return f"{type(value).__name__} {repr(value)[:40]}"
