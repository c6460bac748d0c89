"""The k words that an explanation puts first: sub-texts without them or of them alone, and what metrics of them share.

Ties go to the earlier word, and a text of fewer words gives all it has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..interfaces.document import Document, Label
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explanation
from ..interfaces.metric import Metric


@dataclass(frozen=True)
class TopWordsMetric(Metric):
    """A metric of the top k words, with its curve over k."""

    k: int = 5  # the k of its one number
    longest: int = 10  # the curve goes from 1 to here, or to k if that is more

    def __post_init__(self) -> None:
        """Refuse to count from nothing."""
        if self.k < 1:
            raise OptionError(f"{self.name} has k = {self.k}: give 1 word or more.")

    @property
    def points(self) -> tuple[int, ...]:
        """Each k of the curve."""
        return tuple(range(1, max(self.k, self.longest) + 1))

    def headline(self, curve: np.ndarray) -> np.ndarray:
        """Give the values at k."""
        at_k: np.ndarray = curve[:, self.k - 1]
        return at_k


@dataclass(frozen=True)
class TopSharesMetric(Metric):
    """A metric of top shares of a text's words, averaged over the shares as the authors' scorer of ERASER does."""

    shares: tuple[float, ...] = (0.01, 0.05, 0.1, 0.2, 0.5)  # of the words; rounded up, so that it is at least one word

    def __post_init__(self) -> None:
        """Refuse what is no share."""
        if not self.shares or not all(0 < share <= 1 for share in self.shares):
            raise OptionError(f"{self.name} has shares {self.shares}: give numbers above 0 and up to 1.")

    @property
    def points(self) -> tuple[float, ...]:
        """Each share."""
        return self.shares

    def counts(self, explanation: Explanation) -> list[int]:
        """How many words each share is."""
        words = len(explanation.scores)
        return [math.ceil(round(share * words, 9)) for share in self.shares]  # 0.1 of 30 is 3, whatever floats say

    def headline(self, curve: np.ndarray) -> np.ndarray:
        """Give the mean over shares."""
        means: np.ndarray = curve.mean(1)
        return means


def top_words(explanation: Explanation, counts: Sequence[int]) -> np.ndarray:
    """Mark the top words for each count, (count, word) bool."""
    place = np.argsort(explanation.ranking)
    return place < np.asarray(counts, dtype=np.int64)[:, None]


def whole_and_without_top(explanation: Explanation, counts: Sequence[int]) -> np.ndarray:
    """Keep all words, then all but the top ones of each count, (1 + count, word) bool."""
    return ~top_words(explanation, [0, *counts])


def whole_and_only_top(explanation: Explanation, counts: Sequence[int]) -> np.ndarray:
    """Keep all words, then only the top ones of each count, (1 + count, word) bool."""
    return top_words(explanation, [len(explanation.scores), *counts])


def probability_drops(explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
    """Give the fall of the explained class's probability from the first answer, the whole text, to each other one."""
    probability = answers[:, explained_class(explanation, classes)]
    drops: np.ndarray = probability[0] - probability[1:]
    return drops


def explained_class(explanation: Explanation, classes: Sequence[Label]) -> int:
    """Find the class that the explanation speaks for among those of the judge."""
    return _number(explanation.label, classes, "an explanation speaks for")


def gold_class(explanation: Explanation, classes: Sequence[Label]) -> int | None:
    """Find the gold label among the classes of the judge; None if the text has none."""
    label = explanation.document.label
    return None if label is None else _number(label, classes, "a text has")


def _number(label: Label, classes: Sequence[Label], whose: str) -> int:
    """Find a class by its label, also when an integer label was read as a word."""
    names = [str(name) for name in classes]
    if str(label) not in names:
        known = ", ".join(names)
        raise OptionError(f"The judge knows the classes {known}, but {whose} '{label}': give a judge of the same task.")
    return names.index(str(label))


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
    marked_top = (top & marked).sum(1).astype(np.float64)
    return marked_top, top.sum(1).astype(np.float64), np.full(len(counts), float(marked.sum()))
