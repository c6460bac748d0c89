"""Three ways to find the Shapley values of a text: ask about all sub-texts, about permutations, or about pairs."""

from __future__ import annotations

import time
import zlib
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ...interfaces.document import Words
from ..convergence import converged
from .complementary_pairs import ComplementaryPairs
from .exact import all_subsets, shapley_of_table
from .pair_estimate import shapley_of_pairs

ROUND_CELLS = 4_000_000  # words of all sub-texts in a round of permutations: bounds the memory of long texts
FIRST_SPARE = 12  # pairs beyond one for each word in the first round, at least
FIRST_IN_TIME = 16  # pairs in the first round where a budget of seconds is to be kept
GROWTH = 1.4  # of the pairs from round to round
DIGITS = 6  # the width of a batch moves the seventh digit of an answer, which must not decide when to stop


@dataclass(frozen=True)
class Question:
    """A text, the class to explain, and when to stop."""

    words: Words
    target: int | None  # None: the class predicted
    top: int
    confidence: float
    budget: float | None
    seed: int

    @property
    def generator(self) -> np.random.Generator:
        """A random stream that depends on the seed and the text alone."""
        key = zlib.crc32("\0".join(self.words.texts).encode("utf-8", "surrogatepass"))
        return np.random.default_rng([self.seed, key])


class ShapleyInquiry(ABC):
    """What is known of one text; the first sub-texts asked about are the whole and the empty one."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.words = question.words
        self.count = len(question.words)
        self.target = question.target
        self.probabilities = np.zeros(0)  # (class,) of the whole text
        self.base_value = 0.0
        self.passes = 0
        self.seconds = 0.0
        self.scores = np.zeros(self.count)
        self.std_error: np.ndarray | None = np.zeros(self.count)
        self.confidence: float | None = None
        self.tied: np.ndarray | None = None

    def subsets(self) -> np.ndarray:
        """Choose the next sub-texts."""
        started = time.perf_counter()
        chosen = self._choose()
        if not self.passes:
            ends = np.array([[True], [False]]).repeat(self.count, axis=1)
            chosen = np.concatenate([ends[: self.count + 1], chosen])  # without words, the whole is the empty one
        self.seconds += time.perf_counter() - started
        return chosen

    def learn(self, probabilities: np.ndarray, seconds: float) -> None:
        """Take in the answers, and see what is known now."""
        started = time.perf_counter()
        if not self.passes:
            self.probabilities = probabilities[0]
            self.target = int(self.probabilities.argmax()) if self.target is None else self.target
            self.base_value = float(probabilities[:2][-1, self.target])
        answers = probabilities[:, self.target] if self.passes else probabilities[2:, self.target]
        self.passes += len(probabilities)
        if self.count:
            self._estimate(answers)
        if self.std_error is not None:
            top, confidence = self.question.top, self.question.confidence
            self.confidence, self.tied = converged(self.scores, self.std_error, top, confidence)
        self.seconds += seconds + time.perf_counter() - started

    @property
    def whole(self) -> float:
        """Probability of the target given the whole text."""
        return float(self.probabilities[self.target])

    def in_time(self, passes: int) -> int:
        """Say how many of so many passes more the budget has time for, judging by those made."""
        if self.question.budget is None or not self.passes:
            return passes
        left = self.question.budget / max(self.seconds, 1e-9) - 1
        return max(0, min(passes, int(left * self.passes)))

    def _none(self) -> np.ndarray:
        return np.zeros((0, self.count), dtype=bool)

    @abstractmethod
    def _choose(self) -> np.ndarray:
        """Choose the next sub-texts, besides the whole and the empty one."""

    @abstractmethod
    def _estimate(self, answers: np.ndarray) -> None:
        """Set scores and standard errors, given the answers for the target to what was chosen last."""


class AllSubsets(ShapleyInquiry):
    """Asks about every sub-text: the values are exact."""

    def _choose(self) -> np.ndarray:
        return self._none() if self.passes else all_subsets(self.count)[1:-1]

    def _estimate(self, answers: np.ndarray) -> None:
        self.scores = shapley_of_table(np.concatenate([[self.base_value], answers, [self.whole]]), self.count)


class Permutations(ShapleyInquiry):
    """Adds the words one by one in random orders, each also taken backwards (Štrumbelj & Kononenko 2010)."""

    def __init__(self, question: Question, samples: int) -> None:
        super().__init__(question)
        self._samples = samples
        self._generator = question.generator
        self._known: dict[bytes, float] = {}  # answers by packed sub-text
        self._asked: list[bytes] = []  # what was chosen last
        self._places = np.zeros((0, self.count), dtype=np.int64)  # (permutation, word) of this round
        self._keys: list[bytes] = []  # sub-texts of this round
        self._gains = np.zeros((0, self.count))  # (permutation, word) so far: what adding the word has done

    def _choose(self) -> np.ndarray:
        while len(self._draw()):
            subsets = (self._places[:, None] < np.arange(1, self.count)[:, None]).reshape(-1, self.count)
            self._keys = [row.tobytes() for row in np.packbits(subsets, axis=1)]
            new = {key: number for number, key in enumerate(self._keys) if key not in self._known}
            self._asked = list(new)
            if new:
                return subsets[list(new.values())]
            self._estimate(np.zeros(0))
            if self.question.budget is not None:
                break  # all that can be learned has been
        return self._none()

    def _draw(self) -> np.ndarray:
        """Draw the permutations of the next round."""
        done, cost = len(self._gains), self.count - 1
        pairs = max(1, ROUND_CELLS // (2 * self.count * cost))
        wanted = min(2 if self.question.budget is not None and not done else 2 * pairs, self._samples - done)
        fits = self.in_time(wanted * cost) // cost
        wanted = wanted if fits >= wanted else 2 * (fits // 2)
        forward = self._generator.random(((wanted + 1) // 2, self.count)).argsort(axis=1)
        self._places = np.stack([forward, cost - forward], axis=1).reshape(-1, self.count)[:wanted]
        return self._places

    def _estimate(self, answers: np.ndarray) -> None:
        self._known.update(zip(self._asked, answers.tolist(), strict=True))
        between = np.array([self._known[key] for key in self._keys]).reshape(len(self._places), -1)
        path = np.pad(between, ((0, 0), (1, 1)))
        path[:, 0], path[:, -1] = self.base_value, self.whole
        gains = np.take_along_axis(np.diff(path, axis=1), self._places, axis=1)
        self._gains = np.concatenate([self._gains, gains])
        self.scores = self._gains.mean(axis=0)
        pairs = (self._gains[: len(self._gains) // 2 * 2 : 2] + self._gains[1::2]) / 2
        self.std_error = pairs.std(axis=0, ddof=1) / len(pairs) ** 0.5 if len(pairs) > 1 else None


class Pairs(ShapleyInquiry):
    """Asks about complementary pairs of sub-texts until the top words have converged (pair_estimate.py)."""

    def __init__(self, question: Question, limit: int) -> None:
        super().__init__(question)
        self._most = limit // 2
        self._pairs = ComplementaryPairs(self.count, question.generator, each_word=self.count < self._most)
        self._halves = self._none()
        self._new = self._none()
        self._answers = np.zeros((0, 2))  # (pair, half)

    def _choose(self) -> np.ndarray:
        self._new = self._pairs.draw(self._wanted())
        rest = self._new if self.passes else self._new[1:]  # the whole and the empty text are asked about anyway
        return np.concatenate([rest, ~rest])

    def _wanted(self) -> int:
        """Decide how many pairs to ask about next."""
        asked = len(self._halves)
        if self.confidence is not None and self.confidence >= self.question.confidence:
            return 0
        first = self.count + 1 + max(FIRST_SPARE, self.count // 2)
        if self.question.budget is not None:
            first = min(first, FIRST_IN_TIME)
        more = min(self._most, max(first, int(asked * GROWTH))) - asked
        return self.in_time(2 * more) // 2

    def _estimate(self, answers: np.ndarray) -> None:
        if not len(self._answers):
            both = len(answers) // 2
            answers = np.concatenate([[self.whole], answers[:both], [self.base_value], answers[both:]])
        self._halves = np.concatenate([self._halves, self._new])
        self._answers = np.concatenate([self._answers, answers.round(DIGITS).reshape(2, -1).T])
        self.scores, self.std_error = shapley_of_pairs(self._halves, *self._answers.T)
        self.scores += (self.whole - self.base_value - self.scores.sum()) / self.count
