"""What is looked at, or learned from, where rows are too many for memory: a sample, drawn with a fixed seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..data.splits import SEED, Dataset
from ..data.store import StoredDocuments, some_of
from ..interfaces.document import Document

SAMPLE = 50_000  # rows


def draw(documents: Sequence[Document]) -> Sequence[Document]:
    """Draw as many documents of a data set on disk as fit into memory; take those in memory as they are."""
    return some_of(documents, SAMPLE, SEED)


def sampled(dataset: Dataset, on_event: Callable[[str], None]) -> Dataset:
    """Let what must have all of its training texts in memory learn from a sample of those on disk, and say so."""
    if not isinstance(dataset.train, StoredDocuments) or len(dataset.train) <= SAMPLE:
        return dataset
    train = dataset.train.draw(SAMPLE, SEED, every_label=True)
    on_event(
        f"TF-IDF, and --encoder auto, need their texts in memory: they learn from {len(train):,} of "
        f"{len(dataset.train):,} training texts, drawn with the seed {SEED}; --encoder lstm, for one, learns from all."
    )
    return replace(dataset, train=tuple(train))
