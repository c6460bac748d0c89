"""Three estimators of the Shapley values of a text: from all sub-texts, from permutations, from complementary pairs."""

from __future__ import annotations

import time
import zlib
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ...interfaces.classifier import Classifier
from ...interfaces.document import Words
from ...interfaces.explanation import Scored
from ..classes import ScoredClasses
from ..rounds import converged
from ..start import Start
from .exact import all_subsets, shapley_of_table
from .gaussian_process import shapley_of_pairs
from .pairs import ComplementaryPairs

MOST_CELLS_PER_ROUND = 4_000_000  # sub-texts times words in a round of permutations: bounds the memory of long texts
SPARE_FIRST_PAIRS = 12  # pairs in the first round beyond the whole text and one per word, at least; else words / 2
FIRST_PAIRS_WITH_BUDGET = 16  # pairs in the first round under a budget of seconds, to learn what a pass costs
ROUND_GROWTH = 1.4  # factor of the pairs from round to round: at most 40 % more than needed, few fits
ANSWER_DIGITS = 6  # decimals: the width of a batch moves the seventh, which must not decide when to stop


@dataclass(frozen=True)
class Request:
    """A text, the class to explain, and when to stop."""

    words: Words
    target: int | None  # None: the class predicted
    top: int
    confidence: float
    budget: float | None
    seed: int
    start: Start | None = None
    tolerance: float | None = None  # largest standard error of a word at which to stop, whatever the top words are
    scored: Scored = None  # classes, beside the target
    classifier: Classifier | None = None  # whose predicted labels are scored where a text may have several
    members: np.ndarray | None = None  # (word,) number of the group that is scored as one; None: every word by itself

    @property
    def count(self) -> int:
        """Count what is scored: words, or groups of them."""
        return len(self.words) if self.members is None else int(self.members.max(initial=-1)) + 1

    @property
    def generator(self) -> np.random.Generator:
        """A random stream that depends on the seed and the text alone."""
        key = zlib.crc32("\0".join(self.words.texts).encode("utf-8", "surrogatepass"))
        return np.random.default_rng([self.seed, key])


class ShapleyEstimator(ABC):
    """The state of one text's estimate; the first sub-texts asked about are the whole and the empty one."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.words = request.words
        self.count = request.count
        self.base_values = np.zeros(0)  # (class,) of the empty text
        self.passes = 0  # sub-texts asked about
        self.seconds = 0.0
        self.scores = np.zeros(self.count)
        self.std_error: np.ndarray | None = np.zeros(self.count)
        self.confidence: float | None = None
        self.tied: np.ndarray | None = None
        self._scored = ScoredClasses(request.target, request.scored, request.classifier)
        self._answers = np.zeros((0, 0))  # (subset, kept class), those taken in last
        self._ends = np.zeros((2, 0))  # (whole and empty text, kept class)

    def subsets(self) -> np.ndarray:
        """Choose the next sub-texts."""
        started = time.perf_counter()
        chosen = self._choose()
        if not self.passes:
            ends = np.array([[True], [False]]).repeat(self.count, axis=1)
            chosen = np.concatenate([ends[: self.count + 1], chosen])  # without words, the whole is the empty one
        self.seconds += time.perf_counter() - started
        return chosen if self.request.members is None else chosen[:, self.request.members]

    def take(self, probabilities: np.ndarray) -> None:
        """Keep the answers for the classes that are scored."""
        kept = self._scored.keep(probabilities)
        if not self.passes:
            self.base_values = probabilities[:2][-1].copy()
            self._ends = kept[[0, len(kept[:2]) - 1]]
            kept = kept[2:]
        self._answers = kept
        self.passes += len(probabilities)

    def learn(self, seconds: float) -> None:
        """Update scores, standard errors and convergence with the answers taken in."""
        started = time.perf_counter()
        if self.count:
            self._estimate(self._answers)
        if self.std_error is not None:
            top, confidence = self.request.top, self.request.confidence
            self.confidence, self.tied = converged(self.scores, self.std_error, top, confidence)
        self.seconds += seconds + time.perf_counter() - started

    @property
    def target(self) -> int | None:
        """The class that is explained; None while nobody knows which is predicted."""
        return self._scored.target

    @property
    def probabilities(self) -> np.ndarray:
        """The probabilities of the whole text, (class,)."""
        return self._scored.probabilities

    @property
    def column(self) -> int:
        """The row of all_scores that is for the target."""
        return self._scored.column

    @property
    def scored(self) -> tuple[int, ...] | None:
        """The numbers of the classes that are scored; None: all are."""
        return self._scored.numbers

    @property
    def all_scores(self) -> np.ndarray:
        """Scores of the classes that are scored, (kept class, word), which add up for each of them."""
        scores = self._scored.scores(self.scores, self._of_class)
        missing = self._ends[0] - self._ends[1] - scores.sum(axis=1)
        added_up: np.ndarray = scores + missing[:, None] / max(1, self.count)
        return added_up

    def within_budget(self, passes: int) -> int:
        """Give how many of these further passes the budget has time for, judging by those so far."""
        if self.request.budget is None or not self.passes:
            return passes
        left = self.request.budget / max(self.seconds, 1e-9) - 1
        return max(0, min(passes, int(left * self.passes)))

    def _no_subsets(self) -> np.ndarray:
        return np.zeros((0, self.count), dtype=bool)

    @abstractmethod
    def _choose(self) -> np.ndarray:
        """Choose the next sub-texts, besides the whole and the empty one."""

    @abstractmethod
    def _estimate(self, answers: np.ndarray) -> None:
        """Set scores and standard errors, given the answers (subset, kept class) to what was chosen last."""

    @abstractmethod
    def _of_class(self, column: int) -> np.ndarray:
        """Give the scores of the class in a column of the answers, (word,)."""


class ExactEstimator(ShapleyEstimator):
    """From every sub-text: the values are exact."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._table = np.zeros((0, 0))  # (subset, kept class) answers, in the order of all_subsets

    def _choose(self) -> np.ndarray:
        return self._no_subsets() if self.passes else all_subsets(self.count)[1:-1]

    def _estimate(self, answers: np.ndarray) -> None:
        self._table = np.concatenate([self._ends[1:], answers, self._ends[:1]])
        self.scores = self._of_class(self._scored.column)

    def _of_class(self, column: int) -> np.ndarray:
        return shapley_of_table(self._table[:, column], self.count)


class PermutationEstimator(ShapleyEstimator):
    """From the words added one by one in random orders, each also taken backwards (Štrumbelj & Kononenko 2010)."""

    def __init__(self, request: Request, samples: int) -> None:
        super().__init__(request)
        self._samples = samples
        self._generator = request.generator
        self._answer_of: dict[bytes, np.ndarray] = {}  # (kept class,) by packed sub-text
        self._new_keys: list[bytes] = []  # of the sub-texts chosen last
        self._places = np.zeros((0, self.count), dtype=np.int64)  # (permutation, word) of this round
        self._keys: list[bytes] = []  # sub-texts of this round
        self._gains = np.zeros((0, self.count, 0))  # (permutation, word, kept class) so far: change by adding the word

    def _choose(self) -> np.ndarray:
        while len(self._draw()):
            subsets = (self._places[:, None] < np.arange(1, self.count)[:, None]).reshape(-1, self.count)
            self._keys = [row.tobytes() for row in np.packbits(subsets, axis=1)]
            new = {key: row for row, key in enumerate(self._keys) if key not in self._answer_of}
            self._new_keys = list(new)
            if new:
                return subsets[list(new.values())]
            self._estimate(np.zeros(0))
            if self.request.budget is not None:
                break  # every sub-text has been asked about
        return self._no_subsets()

    def _draw(self) -> np.ndarray:
        """Draw the permutations of the next round."""
        done, cost = len(self._gains), self.count - 1  # cost: passes of a permutation, besides both ends
        pairs = max(1, MOST_CELLS_PER_ROUND // (2 * self.count * cost))
        wanted = min(2 if self.request.budget is not None and not done else 2 * pairs, self._samples - done)
        fits = self.within_budget(wanted * cost) // cost
        wanted = wanted if fits >= wanted else 2 * (fits // 2)
        forward = self._generator.random(((wanted + 1) // 2, self.count)).argsort(axis=1)
        self._places = np.stack([forward, cost - forward], axis=1).reshape(-1, self.count)[:wanted]
        return self._places

    def _estimate(self, answers: np.ndarray) -> None:
        self._answer_of.update(zip(self._new_keys, answers, strict=True))
        between = np.stack([self._answer_of[key] for key in self._keys]) if self._keys else answers
        path = np.empty((len(self._places), self.count + 1, self._ends.shape[1]))
        path[:, -1], path[:, 0] = self._ends
        path[:, 1:-1] = between.reshape(len(self._places), self.count - 1, -1)
        gains = np.take_along_axis(np.diff(path, axis=1), self._places[..., None], axis=1)
        self._gains = np.concatenate([self._gains, gains]) if len(self._gains) else gains
        self.scores = self._of_class(self._scored.column)
        of_target = self._gains[..., self._scored.column]
        pairs = (of_target[: len(of_target) // 2 * 2 : 2] + of_target[1::2]) / 2
        self.std_error = pairs.std(axis=0, ddof=1) / len(pairs) ** 0.5 if len(pairs) > 1 else None

    def _of_class(self, column: int) -> np.ndarray:
        scores: np.ndarray = self._gains[..., column].mean(axis=0)
        return scores


class PairEstimator(ShapleyEstimator):
    """From complementary pairs of sub-texts, until the top words have converged (gaussian_process.py)."""

    def __init__(self, request: Request, limit: int) -> None:
        super().__init__(request)
        self._start = request.start
        self._most_pairs = (limit - (0 if self._start is None else self._start.passes)) // 2
        known = None
        if self._start is not None:
            self._scored.target = self._start.likeliest if self.target is None else self.target
            known = self._start.scores[self.target]
        each_word = self.count < self._most_pairs
        self._pairs = ComplementaryPairs(self.count, request.generator, each_word, known)
        self._halves = self._no_subsets()
        self._new_halves = self._no_subsets()
        self._answered = np.zeros((0, 2, 0))  # (pair, half, kept class)

    def _choose(self) -> np.ndarray:
        self._new_halves = self._pairs.draw(self._next_pairs())
        rest = self._new_halves if self.passes else self._new_halves[1:]  # the whole and the empty text come anyway
        return np.concatenate([rest, ~rest])

    def _next_pairs(self) -> int:
        """Give the number of pairs to ask about next."""
        done = len(self._halves)
        if done and self._is_precise():
            return 0
        first = 1 + max(SPARE_FIRST_PAIRS, self.count // 2) + (self.count if self._start is None else 0)
        if self.request.budget is not None:
            first = min(first, FIRST_PAIRS_WITH_BUDGET)
        more = min(self._most_pairs, max(first, int(done * ROUND_GROWTH))) - done
        return self.within_budget(2 * more) // 2

    def _is_precise(self) -> bool:
        if self.request.tolerance is not None:
            return self.std_error is not None and bool(self.std_error.max(initial=0.0) <= self.request.tolerance)
        return self.confidence is not None and self.confidence >= self.request.confidence

    def _estimate(self, answers: np.ndarray) -> None:
        pairs = np.stack(np.split(answers, 2), axis=1)
        before = self._answered if len(self._answered) else self._ends[None].round(ANSWER_DIGITS)
        self._answered = np.concatenate([before, pairs.round(ANSWER_DIGITS)])
        self._halves = np.concatenate([self._halves, self._new_halves])
        column = self._scored.column
        self.scores, self.std_error = self._values_of(column)
        self.scores += (self._ends[0] - self._ends[1])[column] / self.count - self.scores.mean()

    def _of_class(self, column: int) -> np.ndarray:
        return self._values_of(column)[0]

    def _values_of(self, column: int) -> tuple[np.ndarray, np.ndarray]:
        start = None if self._start is None else self._start.surrogate(int(self._scored.classes[column]))
        answers, opposite = self._answered[..., column].T
        return shapley_of_pairs(self._halves, answers, opposite, start)
