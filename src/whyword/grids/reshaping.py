"""Data sets as some experiments want them: shorter texts, or classes in a ratio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..data.dataset import Dataset, labels
from ..interfaces.document import Document
from ..interfaces.errors import OptionError

MOST_UNEQUAL = 5  # times the smaller class, in the ratios that are compared: all of them keep equally many texts


def first_words(dataset: Dataset, longest: int) -> Dataset:
    """Keep the first words of every text: some posts have ten thousand, which an LSTM reads one after the other."""

    def short(documents: Sequence[Document]) -> tuple[Document, ...]:
        words = (replace(d.words, spans=tuple(spans[:longest] for spans in d.words.spans)) for d in documents)
        return tuple(replace(d, words=kept) for d, kept in zip(documents, words, strict=True))

    return replace(dataset, train=short(dataset.train), dev=short(dataset.dev), test=short(dataset.test))


def with_ratio(dataset: Dataset, ratio: str, seed: int) -> Dataset:
    """Drop training texts at random until the second class stands to the first as in "2:5"."""
    classes = labels(dataset.train)
    if len(classes) != 2:
        raise OptionError(f"{dataset.name} has {len(classes)} classes: a ratio is for two.")
    second, first = map(int, ratio.split(":"))
    places = {c: [i for i, document in enumerate(dataset.train) if document.label == c] for c in classes}
    total = min(map(len, places.values())) * (MOST_UNEQUAL + 1) // MOST_UNEQUAL
    generator = np.random.default_rng(seed)
    kept: set[int] = set()
    for label, part in zip(classes, (first, second), strict=True):
        kept |= set(generator.permutation(places[label])[: round(total * part / (first + second))].tolist())
    return replace(dataset, train=tuple(d for i, d in enumerate(dataset.train) if i in kept))
