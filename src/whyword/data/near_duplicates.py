"""Texts that are nearly the same: at least four fifths of their runs of three words are shared (Jaccard similarity).

Candidates come from MinHash with bands (Broder 1997; Leskovec, Rajaraman & Ullman, ch. 3), in time that grows with the
number of words and memory that grows with the number of texts; each candidate is then compared exactly. A pair that
shares just four fifths is found with probability 0.9998, and more surely the more it shares; case and punctuation do
not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from ..interfaces.document import Words

SIMILAR = 0.8  # share of the runs of words that two texts have in common
RUN = 3  # words
BANDS, ROWS = 16, 4  # at 0.8, the chance to miss a pair is (1 - 0.8 ** 4) ** 16
_CHUNK = 4096  # texts hashed at a time
_WORD = re.compile(r"\w+")
_MIX = np.uint64(0x9E3779B97F4A7C15)


def near_duplicates(texts: Sequence[Words]) -> list[tuple[int, int]]:
    """Give each text that is nearly the same as an earlier one, with that one, in order."""
    ids: dict[str, int] = {}
    runs = (_runs(text, ids) for text in texts)
    signatures = np.concatenate([_signatures(chunk) for chunk in _chunks(runs)]) if texts else np.empty((0, 1))
    known = np.array([len(text) > 0 for text in texts], dtype=bool)
    found: dict[int, int] = {}
    cache: dict[int, frozenset[int]] = {}

    def shingles(number: int) -> frozenset[int]:
        if number not in cache:
            if len(cache) > _CHUNK:
                cache.clear()
            cache[number] = frozenset(_runs(texts[number], ids).tolist())
        return cache[number]

    for band in range(BANDS):
        for group in _groups(signatures[:, band * ROWS : (band + 1) * ROWS], known):
            first = group[0]
            for other in group[1:]:
                if other not in found and _jaccard(shingles(first), shingles(other)) >= SIMILAR:
                    found[other] = first
    return sorted(found.items())


def _runs(text: Words, ids: dict[str, int]) -> np.ndarray:
    """Hash the runs of words of a text, or all of it if it is shorter; words are numbered as they are met."""
    words = [ids.setdefault(word, len(ids)) for string in text.texts for word in _WORD.findall(string.casefold())]
    numbers = np.array(words or [len(ids) + 1], dtype=np.uint64) + np.uint64(1)
    width = min(RUN, len(numbers))
    hashed = np.zeros(len(numbers) - width + 1, dtype=np.uint64)
    for shift in range(width):
        hashed = (hashed ^ numbers[shift : shift + len(hashed)]) * _MIX
        hashed ^= hashed >> np.uint64(29)
    return np.unique(hashed)


def _chunks(runs: Iterator[np.ndarray]) -> Iterator[list[np.ndarray]]:
    while chunk := list(islice(runs, _CHUNK)):
        yield chunk


def _signatures(runs: Sequence[np.ndarray]) -> np.ndarray:
    """Give the least value of each text's runs under each of many hash functions: (text, function) uint32."""
    generator = np.random.default_rng(0)
    factors = generator.integers(1, 2**63, BANDS * ROWS, dtype=np.uint64) | np.uint64(1)
    flat = np.concatenate(runs)
    starts = np.concatenate([[0], np.cumsum([len(run) for run in runs])[:-1]]).astype(np.int64)
    columns = [np.minimum.reduceat((flat * factor) >> np.uint64(32), starts) for factor in factors]
    return np.stack(columns, axis=1).astype(np.uint32)


def _groups(keys: np.ndarray, known: np.ndarray) -> Iterator[list[int]]:
    """Yield the numbers of texts whose keys are equal, in order; texts without words are in no group."""
    numbers = np.flatnonzero(known)
    _, inverse, counts = np.unique(keys[numbers], axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(inverse.reshape(-1), kind="stable")
    for members in np.split(numbers[order], np.cumsum(counts)[:-1]):
        if len(members) > 1:
            yield members.tolist()


def _jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    return len(one & other) / len(one | other)
