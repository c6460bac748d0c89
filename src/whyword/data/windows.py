"""Where a text longer than an encoder's limit is cut: overlapping windows of whole words."""

from __future__ import annotations

import numpy as np

from ..interfaces.document import Tokens, Words

OVERLAP = 0.25  # share of a window that the next one reads again, so that words near a cut have context on both sides
EDGE = 2  # tokens left free in a window: a word at its edge may be cut into other pieces than inside a text


def cut(text: Words, tokens: Tokens, size: int) -> list[np.ndarray]:
    """Give the numbers of the words in each window of at most size tokens; tokens are those of the whole text.

    Windows slide over the longer text of a pair beside the whole of the other, which may fill half of the window. If
    both are longer than that, windows slide over each of them beside the beginning of the other.
    """
    counts = _tokens_per_word(tokens)
    size = max(size - EDGE, 2)
    if len(text.texts) == 1:
        return _slide(counts, size)
    words = len(text.spans[0])
    first, second = counts[:words], counts[words:]
    half = (size + 1) // 2
    slides = _slide(first, size - min(int(second.sum()), half))
    beside = [words + window for window in _slide(second, size - min(int(first.sum()), half))]
    pairs = [(window, beside[0]) for window in slides] + [(slides[0], window) for window in beside[1:]]
    return [np.concatenate(pair) for pair in pairs]


def _tokens_per_word(tokens: Tokens) -> np.ndarray:
    """Count the tokens of each word, (word,); one of no word, such as a blank, counts with the word before it."""
    owner = np.maximum.accumulate(tokens.word)  # words come in reading order
    return np.bincount(owner[owner >= 0], minlength=tokens.words)


def _slide(counts: np.ndarray, size: int) -> list[np.ndarray]:
    """Slide a window over one text; a word that is longer than a window is alone in its window."""
    ends = np.cumsum(counts)
    starts = ends - counts
    windows: list[np.ndarray] = []
    first, stop = 0, 0
    while stop < len(counts):
        if ends[-1] - starts[first] <= size:  # the last window is as full as the others
            first = int(np.searchsorted(starts, ends[-1] - size))
        stop = max(first + 1, int(np.searchsorted(ends, starts[first] + size, side="right")))
        windows.append(np.arange(first, stop))
        if stop < len(counts):
            overlapping = int(np.searchsorted(starts, ends[stop - 1] - OVERLAP * size))
            reaching_on = int(np.searchsorted(starts, ends[stop] - size))
            first = min(stop, max(overlapping, reaching_on))
    return windows or [np.arange(0)]
