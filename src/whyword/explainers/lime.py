"""LIME: a linear model of the probabilities of random sub-texts, weighted by their nearness to the text."""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..attribution.classes import ScoredClasses
from ..attribution.groups.cuts import Cuts, Run, members
from ..attribution.groups.pieces import Piece, scores_of_words
from ..attribution.groups.watch import Watched
from ..attribution.lime.estimate import estimate, preferred_sizes
from ..attribution.lime.ridge import LIME_SAMPLES, SubsetRidge
from ..attribution.lime.strata import SizeStrata
from ..attribution.rounds import converged, estimate_in_rounds
from ..attribution.start import Start, StartName, starts
from ..interfaces.classifier import Classifier, Removal
from ..interfaces.document import Document, Words
from ..interfaces.explanation import Explainer, Explanation, Scored
from ..interfaces.settings import check_above_zero, check_between_zero_and_one, check_from, refuse
from ..maths.stats.ties import ROUNDED_PROBABILITY

FEWEST_SAMPLES = 16
FIRST_ROUND = 64  # sub-texts, or two for each word
PASSES_OF_A_GROUP = 24  # of a long text: so many passes there are for each group, those inside it included
PASSES_OF_A_FEATURE = 3  # at least, of groups and words together
KEPT_SHARE = 0.6  # of the words, in the mean sub-text
FIRST_ROUND_IN_TIME = 32  # where a budget of seconds is to be kept


@dataclass(frozen=True)
class Lime(Explainer):
    """Ribeiro et al., KDD 2016: the coefficients that the lime package gives on average with its 5000 samples.

    Sampling, kernel and ridge are those of its text explainer without feature selection: all words are scored. The
    coefficients are found from fewer sub-texts than by its plain sampling (see attribution/lime/README.md), and exactly
    where all sub-texts of a short text are asked about. Top words are those that speak most for the target. Where a
    model has contributions, what is predicted of sub-texts starts from them.

    Of a long text, groups of words are features first, then also the words of the groups whose coefficients are largest
    (attribution/groups/README.md); every occurrence of a word then has a score of its own.
    """

    samples: int | Literal["auto"] = "auto"  # forward passes of a text; auto: until its top words have converged
    top: int = 5
    confidence: float = 0.95  # that the top words have converged
    limit: int = LIME_SAMPLES  # most forward passes of a text when samples is auto, but for long texts: limit_in_groups
    budget: float | None = None  # most seconds of a text; then the scores depend on the speed of the machine
    bag_of_words: bool = True  # all occurrences of a word are removed together, and share a score; lime's default
    kernel_width: float = 25.0  # lime's default
    start: StartName | None = "own"  # contributions, where the model has them; None: nothing is known before
    removal: Removal = "delete"
    groups: int | None = 1000  # words from which on a text is scored in groups first, if samples is auto; None: never
    limit_in_groups: int = 4000  # most forward passes of such a text
    seed: int = 0
    cost = "until converged, at most 5,000"
    name: str = "lime"
    scored: Scored = None  # classes, beside the target; None: all of few, of many those of the highest probability
    not_settings = ("name", "scored")

    def __post_init__(self) -> None:
        """Refuse settings out of range."""
        fewest = self.limit if self.samples == "auto" else self.samples
        if not isinstance(fewest, int) or fewest < FEWEST_SAMPLES:
            name = "limit" if self.samples == "auto" else "samples"
            refuse(self, name, f"a whole number from {FEWEST_SAMPLES} on, or auto for samples")
        check_above_zero(self, "top", "limit", "budget", "kernel_width")
        check_between_zero_and_one(self, "confidence")
        check_from(self, 2, "groups")
        check_from(self, 4 * FEWEST_SAMPLES, "limit_in_groups")
        if self.start not in ("own", None):
            refuse(self, "start", "own or None")

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        chosen = [None] * len(documents) if targets is None else [int(target) for target in targets]
        fewest = self.groups if self.samples == "auto" else None
        long = {i for i, document in enumerate(documents) if fewest is not None and len(document.words) >= fewest}
        short = [i for i in range(len(documents)) if i not in long]
        together = self._each_word(classifier, [documents[i] for i in short], [chosen[i] for i in short])
        explained = dict(zip(short, together, strict=True))
        explained |= {i: self._by_groups(classifier, documents[i], chosen[i]) for i in sorted(long)}
        return [explained[i] for i in range(len(documents))]

    def _each_word(
        self, classifier: Classifier, documents: Sequence[Document], chosen: Sequence[int | None]
    ) -> list[Explanation]:
        """Give every word, or all occurrences of it, a coefficient."""
        known = starts(classifier, [document.words for document in documents], self.start)
        estimators = [
            LimeEstimator(self, document.words, ScoredClasses(target, self.scored, classifier), start)
            for document, target, start in zip(documents, chosen, known, strict=True)
        ]
        estimate_in_rounds(classifier, estimators, self.removal)
        return [
            self._explanation(
                classifier,
                document,
                estimator,
                scores=estimator.scores[estimator.feature],
                std_error=estimator.std_error[estimator.feature],
                all_scores=estimator.all_scores[:, estimator.feature],
                forward_passes=estimator.passes,
                seconds=estimator.seconds,
                converged=estimator.confidence,
                tied=estimator.tied[estimator.feature],
            )
            for document, estimator in zip(documents, estimators, strict=True)
        ]

    def _explanation(
        self, classifier: Classifier, document: Document, estimator: LimeEstimator, **known: Any
    ) -> Explanation:
        return Explanation(
            document=document,
            target=estimator.scored.target or 0,
            classes=classifier.classes,
            probabilities=estimator.scored.probabilities,
            explainer=self.name,
            scored=estimator.scored.numbers,
            base_value=float(estimator.base_values[estimator.scored.target or 0]),
            base_values=estimator.base_values,
            seed=self.seed,
            resolution=ROUNDED_PROBABILITY,
            **known,
        )

    def _by_groups(self, classifier: Classifier, document: Document, target: int | None) -> Explanation:
        """Give groups of words coefficients; open those that matter, and fit again, until words are reached."""
        words, cuts = document.words, Cuts(document.words)
        started = time.perf_counter()
        most = self.limit_in_groups
        watched = Watched(classifier, len(words), most, share=KEPT_SHARE)
        (start,) = starts(classifier, [words], self.start)
        runs = cuts.first(most // PASSES_OF_A_GROUP)
        groups, rounds = len(runs), 1 + cuts.depth(runs)
        features = max(groups, most // (2 * PASSES_OF_A_FEATURE))  # of the last round, which has half of the passes
        for number in range(1, rounds + 1):
            left = most - watched.passes
            passes = left if number == rounds else left // (1 + rounds - number)
            passes = max(FEWEST_SAMPLES, passes)
            part = replace(self, limit=passes, budget=self.budget and self.budget / rounds)
            scored = ScoredClasses(target, self.scored, classifier)
            estimator = LimeEstimator(part, words, scored, start, feature=members(runs))
            estimate_in_rounds(watched, [estimator], self.removal)
            if number < rounds:
                open_to = groups + (features - groups) * number // (rounds - 1)
                opened = _open_largest(cuts, runs, estimator.scores, open_to)
                if opened == runs:
                    break
                runs = opened
        table = estimator.all_scores
        pieces = [
            Piece(run, scores, tuple(runs), None, float(error))
            for run, scores, error in zip(runs, table.T, estimator.std_error, strict=True)
        ]
        known = scores_of_words(pieces)
        return self._explanation(
            classifier,
            document,
            estimator,
            scores=known["all_scores"][estimator.scored.column],
            forward_passes=watched.passes + (0 if start is None else start.passes),
            seconds=time.perf_counter() - started,
            **known,
        )


def _open_largest(cuts: Cuts, runs: list[Run], scores: np.ndarray, most: int) -> list[Run]:
    """Open the groups of the largest coefficients, for or against the class, up to that number of features."""
    opened: dict[Run, list[Run]] = {}
    features = len(runs)
    for number in np.argsort(-np.abs(scores.round(6)), kind="stable"):
        parts = cuts.open(runs[number])
        if len(parts) > 1 and features + len(parts) - 1 <= most:
            opened[runs[number]] = parts
            features += len(parts) - 1
    return [part for run in runs for part in opened.get(run, [run])]


class LimeEstimator:
    """What is known of one text; a feature is a word, or all occurrences of it."""

    def __init__(
        self,
        lime: Lime,
        words: Words,
        scored: ScoredClasses,
        start: Start | None = None,
        feature: np.ndarray | None = None,  # (word,); None: as lime's
    ) -> None:
        self.words = words
        self.scored = scored
        self.answers = np.zeros((0, 0))  # (subset, kept class)
        self.base_values = np.zeros(0)  # (class,) of the empty text
        self.seconds = 0.0
        self.feature = _features(words, lime.bag_of_words) if feature is None else feature  # (word,)
        features = int(self.feature.max(initial=-1)) + 1
        self.scores, self.std_error = np.zeros(features), np.zeros(features)
        self.confidence, self.tied = 0.0, np.zeros(features, dtype=bool)
        self._lime = lime
        self._paid = 0 if start is None else start.passes
        self._start = None if start is None else start.of_groups(self.feature)
        self._ridge = SubsetRidge(max(1, features), lime.kernel_width)
        key = zlib.crc32("\0".join(words.texts).encode("utf-8", "surrogatepass"))
        self._strata = SizeStrata(preferred_sizes(self._ridge), np.random.default_rng([lime.seed, key]))

    def subsets(self) -> np.ndarray:
        """Choose the next sub-texts."""
        if not len(self.words):
            return np.zeros((1 - len(self.answers), 0), dtype=bool)
        started = time.perf_counter()
        subsets = self._strata.draw(self._wanted())[:, self.feature]
        self.seconds += time.perf_counter() - started
        return subsets

    def take(self, probabilities: np.ndarray) -> None:
        """Keep the answers for the classes that are scored; the first is to the whole text."""
        # the width of a batch moves the seventh digit, which must not decide when to stop
        kept = self.scored.keep(probabilities).round(6)
        if not len(self.answers):
            fewest = self._strata.subsets.sum(1).argmin() if len(self.words) else 0
            self.base_values = probabilities[fewest].round(6)
        self.answers = np.concatenate([self.answers, kept]) if len(self.answers) else kept

    def learn(self, seconds: float) -> None:
        """See what is known now."""
        started = time.perf_counter()
        if len(self.words):
            self.scores, self.std_error = self._estimate(self.scored.column)
        self.confidence, self.tied = converged(self.scores, self.std_error, self._lime.top, self._lime.confidence)
        self.seconds += seconds + time.perf_counter() - started

    @property
    def passes(self) -> int:
        """Forward passes so far: sub-texts asked about, and what the start has cost."""
        return len(self.answers) + self._paid

    @property
    def all_scores(self) -> np.ndarray:
        """Scores of the classes that are scored, (kept class, feature)."""
        return self.scored.scores(self.scores, lambda column: self._estimate(column)[0])

    def _estimate(self, column: int) -> tuple[np.ndarray, np.ndarray]:
        start = None if self._start is None else self._start.surrogate(int(self.scored.classes[column]))
        return estimate(self._ridge, self._strata, self.answers[:, column], start)

    def _wanted(self) -> int:
        """Decide how many sub-texts to ask about next."""
        lime, asked, population = self._lime, len(self.answers), self._strata.population
        most = (lime.limit if lime.samples == "auto" else lime.samples) - self._paid
        if lime.samples == "auto" and asked and self.confidence >= lime.confidence:
            return 0
        total = most
        if lime.samples == "auto" or lime.budget is not None:
            first = max(FIRST_ROUND, 2 * self._ridge.words) if lime.budget is None else FIRST_ROUND_IN_TIME
            total = min(most, max(first, asked * 3 // 2))
        if population <= min(most, 2 * total):
            total = int(population)  # half of all there are would be asked about: with the rest, the answer is exact
        if lime.budget is not None and asked:
            total = min(total, asked + int((lime.budget / max(self.seconds, 1e-9) - 1) * asked))
        return max(0, total - asked) if not self._strata.complete else 0


def _features(words: Words, bag_of_words: bool) -> np.ndarray:
    """Give the number of the feature that each word is: (word,); words that differ by case are two, as in lime."""
    strings = words.strings
    if not bag_of_words:
        return np.arange(len(strings))
    number = {string: i for i, string in enumerate(dict.fromkeys(strings))}
    return np.array([number[string] for string in strings], dtype=np.int64)
