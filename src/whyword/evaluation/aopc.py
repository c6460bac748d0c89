"""The area over the perturbation curve (AOPC), normalized by the lowest and the highest that a text allows.

Edin et al. (ACL 2025, arXiv 2408.08137): how far a probability can fall depends on the model and the text, so the AOPC
of two models cannot be compared; its place between the two limits can. The limits are those of the worst and the best
order of the words, found by beam search.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..interfaces.document import Label
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explanation
from ..interfaces.metric import Metric
from ..maths.stats.ties import ROUNDED_PROBABILITY
from .top_words import explained_class, probability_drops

DIGITS = 6  # of the answers that a search compares


@dataclass(frozen=True)
class NormalizedAopc(Metric):
    """(AOPC - lowest) / (highest - lowest); AOPC is the mean fall of p(ŷ|x) as all words go, one step after the other.

    The authors remove one word a step; texts of more words than steps lose several at a time. NaN where no order of the
    words is better than another, as in a text of one word.
    """

    steps: int = 10
    width: int = 2  # orders that the search follows at a time
    candidates: int = 16  # words that each of them tries in a step after the first: bounds the cost of long texts

    def __post_init__(self) -> None:
        """Refuse a search that finds nothing."""
        for name in ("steps", "width", "candidates"):
            if getattr(self, name) < 1:
                raise OptionError(f"{self.name} has {name} = {getattr(self, name)}: give 1 or more.")

    def counts(self, explanation: Explanation) -> list[int]:
        """How many words are gone after each step."""
        return removed_words(len(explanation.scores), self.steps)

    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give the AOPC as it is, (1,)."""
        drops = probability_drops(explanation, answers, classes)
        return np.array([drops.mean() if len(drops) > 1 else np.nan])

    def search(self, explanation: Explanation, classes: Sequence[Label]) -> AopcLimits:
        """Look for the lowest and the highest AOPC of the text."""
        target = explained_class(explanation, classes)
        return AopcLimits(len(explanation.scores), target, self.steps, self.width, self.candidates)

    def normalize(self, values: np.ndarray, found: np.ndarray) -> np.ndarray:
        """Give the place between the limits, from 0 to 1; an order beyond one that the search found counts as that."""
        low, high = found
        if not high - low > ROUNDED_PROBABILITY:
            return np.full_like(values, np.nan)
        place: np.ndarray = np.clip((values - low) / (high - low), 0.0, 1.0)
        return place


def removed_words(words: int, steps: int) -> list[int]:
    """Give the number of words that are gone after each step, the last one all."""
    taken = min(words, steps)
    return [math.ceil(words * step / taken) for step in range(1, taken + 1)]


@dataclass(frozen=True)
class AopcLimits:
    """A search for the lowest and the highest AOPC that an order of a text's words can have.

    It takes about width * words² forward passes, and on long texts at most
    words + 2 * steps * width * (candidates + width).
    """

    words: int
    target: int  # column of the answers
    steps: int
    width: int
    candidates: int

    def rounds(self) -> Generator[np.ndarray, np.ndarray, np.ndarray]:
        """Ask step by step; give the lowest and the highest, (2,)."""
        (whole,) = yield from self._ask([np.zeros((1, self.words), dtype=bool)])
        beams = [_Beam(sign, float(whole[0]), self.words) for sign in (-1.0, 1.0)]
        counts = removed_words(self.words, self.steps)
        most = self.words  # every word is tried in the first step
        for before, after in pairwise([0, *counts]):
            answers = yield from self._ask([beam.trials(most) for beam in beams])
            for beam, answer in zip(beams, answers, strict=True):
                beam.learn(answer)
            answers = yield from self._ask([beam.children(after - before, self.width) for beam in beams])
            for beam, answer in zip(beams, answers, strict=True):
                beam.grow(answer, self.width)
            most = self.candidates
        return np.array([beam.sign * beam.total.max() / max(1, len(counts)) for beam in beams])

    def _ask(self, removed: list[np.ndarray]) -> Generator[np.ndarray, np.ndarray, list[np.ndarray]]:
        """Ask about texts without these words; answers are rounded, so that equal words tie in any batch."""
        answers = (yield ~np.concatenate(removed))[:, self.target].round(DIGITS)
        return np.split(answers, np.cumsum([len(rows) for rows in removed])[:-1])


class _Beam:
    """The orders that a search follows towards the highest AOPC (sign 1) or the lowest (sign -1)."""

    def __init__(self, sign: float, whole: float, words: int) -> None:
        self.sign, self.whole = sign, whole
        self.removed = np.zeros((1, words), dtype=bool)  # (order, word) gone so far
        self.total = np.zeros(1)  # (order,) sum of the falls of its steps, times the sign
        self.probability = np.full(1, whole)  # (order,) after its last step
        self.effect = np.zeros((1, words))  # (order, word) fall by removing the word next, when it was last tried

    def trials(self, most: int) -> np.ndarray:
        """Remove one more word from each order: in turn those that did most when they were last tried."""
        self.tried = [(order, word) for order in range(len(self.removed)) for word in self._best(order)[:most]]
        return np.array([self._without(order, [word]) for order, word in self.tried])

    def learn(self, answers: np.ndarray) -> None:
        """Take the answers to the trials."""
        for (order, word), answer in zip(self.tried, answers, strict=True):
            self.effect[order, word] = self.sign * (self.probability[order] - answer)

    def children(self, count: int, width: int) -> np.ndarray:
        """Remove from each order the words of the largest effects, the last of which is chosen in several ways."""
        offers: dict[bytes, tuple[int, np.ndarray]] = {}  # the same words may be gone in another order: keep the better
        for order in np.argsort(-self.total, kind="stable"):
            best = self._best(order)
            for last in best[count - 1 : count - 1 + width]:
                removed = self._without(order, [*best[: count - 1], last])
                offers.setdefault(removed.tobytes(), (int(order), removed))
        self.parents = np.array([order for order, _ in offers.values()])
        self.offered = np.array([removed for _, removed in offers.values()])
        return self.offered

    def grow(self, answers: np.ndarray, width: int) -> None:
        """Take the answers to the children and follow the best of them."""
        total = self.total[self.parents] + self.sign * (self.whole - answers)
        best = np.argsort(-total, kind="stable")[:width]
        self.removed, self.total, self.probability = self.offered[best], total[best], answers[best]
        self.effect = self.effect[self.parents[best]]

    def _best(self, order: int) -> np.ndarray:
        """List the words that an order has left, the largest effect first."""
        left = np.flatnonzero(~self.removed[order])
        best: np.ndarray = left[np.argsort(-self.effect[order, left], kind="stable")]
        return best

    def _without(self, order: int, words: Sequence[int]) -> np.ndarray:
        removed: np.ndarray = self.removed[order].copy()
        removed[list(words)] = True
        return removed
