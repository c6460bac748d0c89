"""Passages that people marked as the reason, as Python users hold them, become those of documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..interfaces.document import Span, Words
from ..interfaces.errors import DataError

Marked = tuple[tuple[Span, ...], ...]


def read_rationales(rationales: Any, texts: Sequence[Words]) -> list[Marked | None]:
    """Read (start, end) character spans per text, two lists of them for a pair; None where nobody marked any."""
    if isinstance(rationales, str) or not isinstance(rationales, Iterable):
        raise DataError("The rationales must be a list, with a list of (start, end) spans for each text.")
    given = list(rationales)
    if len(given) != len(texts):
        raise DataError(f"There are {len(texts)} texts and {len(given)} rationales: give one per text, or None.")
    return [_marked(marked, text, row) for row, (marked, text) in enumerate(zip(given, texts, strict=True))]


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
