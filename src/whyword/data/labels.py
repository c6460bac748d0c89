"""The classes of documents, and spellings of one class that differ only in case or spaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..interfaces.document import Document, Label
from ..interfaces.errors import DataError
from .store import StoredDocuments
from .texts_alike import label_key


def labels(documents: Iterable[Document], source: str = "the data") -> tuple[Label, ...]:
    """List the classes of documents in order; the source is named if strings and integers are mixed."""
    classes = set(count_labels(documents))
    strings = sorted(label for label in classes if isinstance(label, str))
    integers = sorted(label for label in classes if isinstance(label, int))
    if strings and integers:
        raise DataError(
            f"Some labels of {source} are strings, such as {strings[0]!r}, and some integers, such as {integers[0]}: "
            "use one kind."
        )
    return tuple(strings or integers)


def are_multi_label(documents: Sequence[Document]) -> bool:
    """Whether these texts may have several labels each."""
    return not isinstance(documents, StoredDocuments) and any(item.labels is not None for item in documents)


def numbered(documents: Sequence[Document], classes: Sequence[Label]) -> np.ndarray:
    """Give the (text,) numbers of their classes or, where a text may have several labels, (text, label) bool."""
    if isinstance(documents, StoredDocuments):
        return documents.numbered(classes)
    number = {label: i for i, label in enumerate(classes)}
    if not are_multi_label(documents):
        return np.array([number[item.label] for item in documents if item.label is not None], dtype=np.int64)
    table = np.zeros((len(documents), len(classes)), dtype=bool)
    for row, item in enumerate(documents):
        table[row, [number[label] for label in item.all_labels]] = True
    return table


def count_labels(documents: Iterable[Document]) -> Counter[Label]:
    """Count the rows of each label, in the order of appearance."""
    if isinstance(documents, StoredDocuments):
        return Counter(documents.label_counts)
    return Counter(label for item in documents for label in item.all_labels)


def spellings(counts: Mapping[Label, int]) -> dict[Label, list[Label]]:
    """Find labels that differ only in case or spaces: the most frequent spelling, and the others."""
    groups: dict[str | int | None, list[Label]] = {}
    for label in sorted(counts, key=lambda label: (-counts[label], str(label))):
        groups.setdefault(label_key(label), []).append(label)
    return {first: others for first, *others in groups.values() if others}


def merge_spellings(splits: Mapping[str, Sequence[Document]]) -> tuple[dict[str, Sequence[Document]], list[str]]:
    """Write every class as it is written most often, and say so."""
    counts = sum(map(count_labels, splits.values()), Counter[Label]())
    found = spellings(counts)
    into = {other: first for first, others in found.items() for other in others}
    notes = [f"Labels {', '.join(map(repr, others))} were read as {first!r}." for first, others in found.items()]
    return {name: _all_respelled(rows, into) for name, rows in splits.items()}, notes


def _all_respelled(rows: Sequence[Document], into: Mapping[Label, Label]) -> Sequence[Document]:
    if isinstance(rows, StoredDocuments):
        return rows.renamed(into)
    return tuple(_respelled(item, into) for item in rows)


def _respelled(item: Document, into: Mapping[Label, Label]) -> Document:
    if item.labels is not None and any(label in into for label in item.labels):
        return replace(item, labels=tuple(dict.fromkeys(into.get(label, label) for label in item.labels)))
    return replace(item, label=into[item.label]) if item.label is not None and item.label in into else item
