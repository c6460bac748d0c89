"""Texts that stand in two splits: a model has seen what it is judged by.

They are cut from train, not from test, so that figures stay comparable with those of others on the same test split, and
since train can best spare them; of a text in dev and test, dev gives way. A class never loses its last rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from itertools import chain

import numpy as np

from .splits import Dataset, Documents
from .store import StoredDocuments
from .texts_alike import Key, text_key


def cut_leaks(dataset: Dataset) -> Dataset:
    """Cut texts of dev and test from train, and texts of test from dev; say how many."""
    judged = {text_key(item.words) for item in dataset.test}
    dev, from_dev = _without(dataset.dev, judged)
    train, from_train = _without(dataset.train, judged | {text_key(item.words) for item in dev})
    notes = [
        f"Cut from {split}, as they are in {others} too: {_texts(cut)}; --keep-leaks keeps them."
        for split, cut, others in (("train", from_train, "dev or test"), ("dev", from_dev, "test"))
        if cut
    ]
    left = _leaks(train, dev, dataset.test)
    if left:
        notes.append(f"Warning: still in train and in dev or test: {_texts(left)}, as a class has no others.")
    return replace(dataset, train=train, dev=dev, notes=(*dataset.notes, *notes))


def _texts(count: int) -> str:
    return f"{count:,} {'text' if count == 1 else 'texts'}"


def _without(documents: Documents, judged: Collection[Key]) -> tuple[Documents, int]:
    """Cut the texts that are judged, but for those of a class that has no others."""
    if isinstance(documents, StoredDocuments) and documents.chosen is None:
        return _without_stored(documents, judged)
    leaks = [text_key(item.words) in judged for item in documents]
    left = Counter(label for item, leak in zip(documents, leaks, strict=True) if not leak for label in item.all_labels)
    kept = tuple(
        item
        for item, leak in zip(documents, leaks, strict=True)
        if not leak or not all(left[label] for label in item.all_labels)
    )
    return (kept, len(documents) - len(kept)) if kept else (documents, 0)


def _without_stored(documents: StoredDocuments, judged: Collection[Key]) -> tuple[Documents, int]:
    """Cut texts by what is kept of their keys, but for those of a class that has no others."""
    leaks = documents.with_keys(judged)
    labels = documents.label_numbers()
    all_of, cut_of = (np.bincount(numbers, minlength=len(documents.names)) for numbers in (labels, labels[leaks]))
    cut = leaks[(all_of - cut_of)[labels[leaks]] > 0]
    return (documents.part(cut)[0], len(cut)) if len(cut) else (documents, 0)


def _leaks(train: Documents, dev: Documents, test: Documents) -> int:
    judged = {text_key(item.words) for item in chain(dev, test)}
    if isinstance(train, StoredDocuments):
        return len(train.with_keys(judged))
    return sum(text_key(item.words) in judged for item in train)
