"""The splits of a data set; those that it lacks are cut out of its training rows, the same way each time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from ..interfaces.document import Document, Label
from ..interfaces.errors import DataError
from .label_splits import choose_rows
from .labels import are_multi_label
from .rows import Columns
from .store import StoredDocuments
from .texts_alike import same_texts

SEED = 13
SHARE = 0.1
MOST_HELD = 10_000  # rows held out for dev, and as many for test, wherever the rows lie: every command cuts the same
FEW_ROWS = 20  # with more, it is not their number that leaves none to hold out

Documents = Sequence[Document]


@dataclass(frozen=True)
class Dataset:
    """Documents to learn from, to select on and to test with; the test may be empty."""

    name: str
    train: Documents
    dev: Documents
    test: Documents
    notes: tuple[str, ...] = ()  # what the user should know about how it came about
    columns: Columns | None = None  # of the file it was read from


def cut_dev_and_test(
    documents: Documents, source: str, together: bool = False
) -> tuple[Documents, Documents, Documents, str]:
    """Cut 80/10/10 into train, dev and test, and say so; copies of a text go to one side together if so wanted."""
    hold = hold_out_together if together and not isinstance(documents, StoredDocuments) else hold_out
    rest, test = hold(documents, _tenth(documents), 1)
    train, dev = hold(rest, _tenth(documents))
    _check(dev, documents, source)
    cut = f"{len(dev)} and {len(test)} of {len(documents)}, seed {SEED}"
    note = f"No dev and test splits in {source}: {_percent(dev, documents)} of the rows each ({cut}) were held out."
    if not test:
        note = f"{_dev_note(dev, documents, source)} There are too few rows for a test split."
    return train, dev, test, note


def cut_dev(documents: Documents, source: str, together: bool = False) -> tuple[Documents, Documents, str]:
    """Cut 90/10 into train and dev, and say so; copies of a text go to one side together if so wanted."""
    hold = hold_out_together if together and not isinstance(documents, StoredDocuments) else hold_out
    train, dev = hold(documents, _tenth(documents))
    _check(dev, documents, source)
    return train, dev, _dev_note(dev, documents, source)


def hold_out(documents: Documents, wanted: int, spare: int = 0) -> tuple[Documents, Documents]:
    """Part documents into the rest and those held out, each class or label in proportion; the order of the rows stays.

    Every class keeps at least one row, and as many rows as `spare` says stay free to be held out later, so fewer
    than wanted may come back.
    """
    if isinstance(documents, StoredDocuments):
        return documents.part(_draw(documents.label_numbers(), wanted, spare))
    if are_multi_label(documents):
        return _part(documents, choose_rows(documents, max(0, min(wanted, len(documents) - 1 - spare)), SEED))
    numbers: dict[Label | None, int] = {}
    labels = np.array([numbers.setdefault(item.label, len(numbers)) for item in documents], dtype=np.int32)
    return _part(documents, set(_draw(labels, wanted, spare).tolist()))


def _draw(labels: np.ndarray, wanted: int, spare: int) -> np.ndarray:
    """Draw the rows to hold out by the (row,) numbers of their labels, label after label as they appear."""
    rows = _by_label(labels)
    free = [len(members) - 1 for members in rows]
    wanted = max(0, min(wanted, sum(free) - spare))
    shares = [wanted * len(members) / len(labels) for members in rows]
    generator = Random(SEED)
    held = [np.empty(0, dtype=np.int64)]
    for members, count in zip(rows, _whole(shares, free, wanted), strict=True):
        generator.shuffle(members)  # type: ignore[arg-type]
        held.append(members[:count])
    return np.concatenate(held)


def _by_label(labels: np.ndarray) -> list[np.ndarray]:
    """Put the numbers of the rows of each label together, the label that appears first before the others."""
    order = np.argsort(labels, kind="stable").astype(np.int32)
    groups = np.split(order, np.cumsum(np.unique(labels, return_counts=True)[1])[:-1])
    return sorted((group for group in groups if len(group)), key=lambda group: int(group[0]))


def _part(documents: Documents, held: set[int]) -> tuple[Documents, Documents]:
    rest = tuple(item for row, item in enumerate(documents) if row not in held)
    return rest, tuple(documents[row] for row in sorted(held))


def hold_out_together(documents: Documents, wanted: int, spare: int = 0) -> tuple[Documents, Documents]:
    """Part documents as hold_out does, but copies of a text, whatever their labels, stay on one side."""
    groups = same_texts(documents)
    if len(groups) == len(documents):
        return hold_out(documents, wanted, spare)
    firsts = tuple(documents[group[0]] for group in groups)
    _, held = hold_out(firsts, min(wanted, max(1, round(wanted * len(groups) / len(documents)))), spare)
    if not held:  # hardly a text is there only once
        return hold_out(documents, wanted, spare)
    chosen = set(map(id, held))
    return _part(
        documents, {r for first, group in zip(firsts, groups, strict=True) if id(first) in chosen for r in group}
    )


def _whole(shares: Sequence[float], most: Sequence[int], total: int) -> list[int]:
    """Round shares to whole numbers that add up to the total, largest remainders first, none above its most."""
    counts = [min(math.floor(share), limit) for share, limit in zip(shares, most, strict=True)]
    while sum(counts) < total:
        open_classes = [i for i, limit in enumerate(most) if counts[i] < limit]
        counts[max(open_classes, key=lambda i: shares[i] - counts[i])] += 1
    return counts


def _tenth(documents: Documents) -> int:
    return min(max(1, round(SHARE * len(documents))), MOST_HELD)


def _check(dev: Documents, documents: Documents, source: str) -> None:
    if dev:
        return
    if len(documents) > FEW_ROWS:
        raise DataError(
            f"Nearly every one of the {len(documents):,} rows of {source} has a label of its own: name the column of "
            "the classes with --label."
        )
    raise DataError(
        f"{source} has no dev split and too few rows ({len(documents)}) to hold one out: give at least one class a "
        "second row, or add a dev file."
    )


def _dev_note(dev: Documents, documents: Documents, source: str) -> str:
    cut = f"{len(dev)} of {len(documents)}, seed {SEED}"
    return f"No dev split in {source}: {_percent(dev, documents)} of the rows ({cut}) were held out."


def _percent(part: Documents, whole: Documents) -> str:
    share = 100 * len(part) / len(whole)
    return f"{share:.0f} %" if share >= 1 or not part else f"{share:.1g} %"
