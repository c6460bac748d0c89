"""The classes of documents, and spellings of one class that differ only in case or spaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..interfaces.document import Document, Label
from ..interfaces.errors import DataError
from .texts_alike import label_key


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


def spellings(counts: Mapping[Label, int]) -> dict[Label, list[Label]]:
    """Find labels that differ only in case or spaces: the most frequent spelling, and the others."""
    groups: dict[str | int | None, list[Label]] = {}
    for label in sorted(counts, key=lambda label: (-counts[label], str(label))):
        groups.setdefault(label_key(label), []).append(label)
    return {first: others for first, *others in groups.values() if others}


def merge_spellings(splits: Mapping[str, tuple[Document, ...]]) -> tuple[dict[str, tuple[Document, ...]], list[str]]:
    """Write every class as it is written most often, and say so."""
    counts = Counter(item.label for rows in splits.values() for item in rows if item.label is not None)
    found = spellings(counts)
    into = {other: first for first, others in found.items() for other in others}
    notes = [f"Labels {', '.join(map(repr, others))} were read as {first!r}." for first, others in found.items()]
    merged = {
        name: tuple(replace(item, label=into[item.label]) if item.label in into else item for item in rows)
        for name, rows in splits.items()
    }
    return merged, notes
