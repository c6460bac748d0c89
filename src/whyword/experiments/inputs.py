"""Texts and labels as Python users hold them (lists, arrays, pandas or polars columns) become documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..data.words import split
from ..interfaces.document import Document, Label, Words
from ..interfaces.errors import DataError


def read_texts(texts: Any) -> list[Words]:
    """Cut each text, or pair of texts, into words."""
    if isinstance(texts, str):
        raise DataError("A single string was given where a list of texts is expected: put it in a list, [text].")
    return [_words(text, row) for row, text in enumerate(texts)]


def _words(text: Any, row: int) -> Words:
    if isinstance(text, str):
        return split(str(text))
    if isinstance(text, Words):
        return text
    if isinstance(text, Document):
        return text.words
    if isinstance(text, Sequence | np.ndarray) and len(text) == 2 and all(isinstance(part, str) for part in text):
        return split(str(text[0]), str(text[1]))
    raise DataError(
        f"Text {row} is {type(text).__name__} {str(text)[:40]!r}: give a string, or a pair of strings for pair tasks."
    )


def read_labels(labels: Any) -> list[Label]:
    """Give labels as plain strings and integers."""
    return [_label(label, row) for row, label in enumerate(_plain(labels))]


def _plain(values: Any) -> Iterable[Any]:
    return values.tolist() if hasattr(values, "tolist") else values


def _label(label: Any, row: int) -> Label:
    label = label.item() if isinstance(label, np.generic) else label
    if isinstance(label, str | int):
        return label
    raise DataError(f"Label {row} is {type(label).__name__} {label!r}: labels must be strings or integers.")


def read_documents(texts: Any, labels: Any) -> list[Document]:
    """Join texts with their labels."""
    words, given = read_texts(texts), read_labels(labels)
    if len(words) != len(given):
        raise DataError(f"There are {len(words)} texts and {len(given)} labels: give one label per text.")
    if not words:
        raise DataError("There are no texts to learn from: give at least two, of different classes.")
    return [Document(text, label) for text, label in zip(words, given, strict=True)]
