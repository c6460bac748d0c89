"""Texts that stand in two splits: a model has seen what it is judged by.

They are cut from train, not from test, so that figures stay comparable with those of others on the same test split, and
since train can best spare them; of a text in dev and test, dev gives way. A class never loses its last rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from .splits import Dataset, Documents
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
    leaks = [text_key(item.words) in judged for item in documents]
    left = Counter(label for item, leak in zip(documents, leaks, strict=True) if not leak for label in item.all_labels)
    kept = tuple(
        item
        for item, leak in zip(documents, leaks, strict=True)
        if not leak or not all(left[label] for label in item.all_labels)
    )
    return (kept, len(documents) - len(kept)) if kept else (documents, 0)


def _leaks(train: Documents, dev: Documents, test: Documents) -> int:
    judged = {text_key(item.words) for item in (*dev, *test)}
    return sum(text_key(item.words) in judged for item in train)
