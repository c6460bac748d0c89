"""The words a human marked, beside the top words of an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ..interfaces.document import Document
from ..interfaces.explanation import Explanation
from .top_words import top_words


def marked_words(explanation: Explanation) -> np.ndarray | None:
    """Give (word,) bool, True on the words of the rationale; None if no word is marked."""
    return _marked(explanation.document)


@lru_cache(maxsize=8)  # all explainers and metrics ask about one text before they turn to the next
def _marked(document: Document) -> np.ndarray | None:
    marked = np.array(document.rationale_words or (), dtype=bool)
    marked.flags.writeable = False
    return marked if marked.any() else None


def hits(explanation: Explanation, counts: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count, for the top words of each count, those that are marked, those there are, and all marked ones.

    All three are (count,) float64, NaN if no word is marked.
    """
    marked = marked_words(explanation)
    if marked is None:
        undefined = np.full(len(counts), np.nan)
        return undefined, undefined, undefined
    top = top_words(explanation, counts)
    found = (top & marked).sum(1).astype(np.float64)
    return found, top.sum(1).astype(np.float64), np.full(len(counts), float(marked.sum()))
