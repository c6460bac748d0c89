"""Rows held out of texts that may have several labels: each label in proportion, rarest first.

Sechidis, Tsoumakas & Vlahavas, ECML 2011, for one side that is held out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from ..interfaces.document import Document, Label


def choose_rows(documents: Sequence[Document], wanted: int, seed: int) -> set[int]:
    """Choose rows so that each label, and having none, is held out in proportion; every label keeps a row."""
    rows: dict[Label | None, list[int]] = {}
    for row, item in enumerate(documents):
        for label in item.all_labels or (None,):
            rows.setdefault(label, []).append(row)
    generator = Random(seed)
    left = Counter({label: len(members) for label, members in rows.items()})
    held: set[int] = set()
    share = wanted / max(1, len(documents))
    settled: set[int] = set()  # rows of labels that were looked at: held out, or not
    for label in sorted(rows, key=lambda label: (len(rows[label]), str(label))):
        members = rows[label]
        generator.shuffle(members)
        missing = round(share * len(members)) - sum(row in held for row in members)
        for row in members:
            if missing > 0 and len(held) < wanted and row not in settled and _spare(documents[row], left):
                held.add(row)
                left.subtract(documents[row].all_labels or (None,))
                missing -= 1
        settled.update(members)
    for row in generator.sample(range(len(documents)), len(documents)):  # rounding may have left some out
        if len(held) == wanted:
            break
        if row not in held and _spare(documents[row], left):
            held.add(row)
            left.subtract(documents[row].all_labels or (None,))
    return held


def _spare(document: Document, left: Counter[Label | None]) -> bool:
    """Whether every label of a text has another row."""
    return all(left[label] > 1 for label in document.all_labels)
