"""Shapley values: what a word adds to the probability of the target, averaged over all orders of adding words."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import torch

from ..attribution.groups.cuts import Cuts, members
from ..attribution.groups.owen import draw_contexts, draw_pairs, owen_values, pairs_of, sub_texts
from ..attribution.groups.pieces import Piece, open_largest, scores_of_words
from ..attribution.groups.watch import Watched
from ..attribution.rounds import estimate_in_rounds
from ..attribution.shapley.estimators import (
    ANSWER_DIGITS,
    ExactEstimator,
    PairEstimator,
    PermutationEstimator,
    Request,
    ShapleyEstimator,
)
from ..attribution.start import Start, StartName, starts
from ..interfaces.classifier import Classifier, Removal
from ..interfaces.document import Document
from ..interfaces.explanation import Explainer, Explanation, Scored
from ..interfaces.settings import check_between_zero_and_one, check_from, refuse
from ..maths.stats.ties import ROUNDED_PROBABILITY

EXACT_WORDS = 10  # up to which all sub-texts are asked about, unless a budget of seconds is to be kept
FEWEST_PASSES = 16
PASSES_OF_A_GROUP = 16  # of a long text: so many passes there are for each group, half of them for those inside groups
MOST_PASSES = 10_000  # what is learned from pairs takes memory by the square, and time by the cube, of their number


@dataclass(frozen=True)
class Shapley(Explainer):
    """Scores that add up to what the whole text changes against the empty one, exactly, however few the samples.

    Texts of at most 10 words get exact values. Others get an estimate from complementary pairs of sub-texts that stops
    as soon as the top words have converged or, with a number of samples, plain sampling of that many permutations
    in antithetic pairs (Štrumbelj & Kononenko 2010). Top words are those that speak most for the target. Where a model
    has contributions, pairs start from them: fewer have to be asked about.

    Of a long text, groups of words have Shapley values, and the words of the groups whose values are largest have Owen
    values, which add up to those of their group (attribution/groups/README.md).
    """

    samples: int | Literal["auto"] = "auto"  # permutations; auto: until the top words have converged
    top: int = 5
    confidence: float = 0.95  # that the top words have converged
    limit: int = 2000  # most forward passes of a text when samples is auto, but for long texts: limit_in_groups
    budget: float | None = None  # most seconds of a text; then the scores depend on the speed of the machine
    start: StartName | None = "own"  # contributions, where the model has them; None: nothing is known before
    removal: Removal = "delete"
    groups: int | None = 1000  # words from which on a text is scored in groups first; None: never
    limit_in_groups: int = 4000  # most forward passes of such a text
    seed: int = 0
    cost = "all 2ⁿ up to 10 words, else until converged, at most 2,000"
    name: str = "shapley"
    scored: Scored = None  # classes, beside the target; None: all of few, of many those of the highest probability
    not_settings = ("name", "scored")

    def __post_init__(self) -> None:
        """Refuse settings out of range."""
        if self.samples != "auto" and (not isinstance(self.samples, int) or self.samples < 1):
            refuse(self, "samples", "a whole number from 1 on, or auto")
        if not FEWEST_PASSES <= self.limit <= MOST_PASSES:
            expected = (
                f"a whole number from {FEWEST_PASSES} to {MOST_PASSES:,}; for more passes, give a number of samples"
            )
            refuse(self, "limit", expected)
        if self.top < 1:
            refuse(self, "top", "a whole number from 1 on")
        check_between_zero_and_one(self, "confidence")
        check_from(self, 2, "groups")
        if not FEWEST_PASSES <= self.limit_in_groups <= 2 * MOST_PASSES:
            refuse(self, "limit_in_groups", f"a whole number from {FEWEST_PASSES} to {2 * MOST_PASSES:,}")
        if self.budget is not None and not 0 < self.budget < math.inf:
            refuse(self, "budget", "a number of seconds above 0")
        if self.start not in ("own", None):
            refuse(self, "start", "own or None")

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        chosen = [None] * len(documents) if targets is None else [int(target) for target in targets]
        long = {i for i, d in enumerate(documents) if self.groups is not None and len(d.words) >= self.groups}
        short = [i for i in range(len(documents)) if i not in long]
        together = self._each_word(classifier, [documents[i] for i in short], [chosen[i] for i in short])
        explained = dict(zip(short, together, strict=True))
        explained |= {i: self._by_groups(classifier, documents[i], chosen[i]) for i in sorted(long)}
        return [explained[i] for i in range(len(documents))]

    def _each_word(
        self, classifier: Classifier, documents: Sequence[Document], chosen: Sequence[int | None]
    ) -> list[Explanation]:
        """Give every word a value of its own."""
        known = self._starts(classifier, documents)
        estimators = [
            self._estimator(self._request(classifier, document, target, start))
            for document, target, start in zip(documents, chosen, known, strict=True)
        ]
        estimate_in_rounds(classifier, estimators, self.removal)
        return [
            self._explanation(
                classifier,
                document,
                estimator,
                scores=estimator.scores,
                std_error=estimator.std_error,
                all_scores=estimator.all_scores,
                forward_passes=estimator.passes + (0 if start is None else start.passes),
                seconds=estimator.seconds,
                converged=estimator.confidence,
                tied=estimator.tied,
            )
            for document, estimator, start in zip(documents, estimators, known, strict=True)
        ]

    def _explanation(
        self, classifier: Classifier, document: Document, estimator: ShapleyEstimator, **known: Any
    ) -> Explanation:
        return Explanation(
            document=document,
            target=estimator.target or 0,
            classes=classifier.classes,
            probabilities=estimator.probabilities,
            explainer=self.name,
            scored=estimator.scored,
            base_value=float(estimator.base_values[estimator.target or 0]),
            base_values=estimator.base_values,
            seed=self.seed,
            resolution=ROUNDED_PROBABILITY,
            **known,
        )

    def _by_groups(self, classifier: Classifier, document: Document, target: int | None) -> Explanation:
        """Give groups of words their values, and then the words of those that matter, as far as the limit goes."""
        words, cuts = document.words, Cuts(document.words)
        started = time.perf_counter()
        watched = Watched(classifier, len(words), self.limit_in_groups, share=0.5)
        (start,) = starts(classifier, [words], self.start) if self.samples == "auto" else [None]
        runs = cuts.first(self.limit_in_groups // PASSES_OF_A_GROUP)
        half = replace(
            self, limit=max(FEWEST_PASSES, self.limit_in_groups // 2), budget=self.budget and self.budget / 2
        )
        request = replace(half._request(classifier, document, target, None), members=members(runs))
        request = replace(request, start=None if start is None else start.of_groups(members(runs)))
        estimator = half._estimator(request)
        estimate_in_rounds(watched, [estimator], self.removal)
        errors = np.zeros(len(runs)) if estimator.std_error is None else estimator.std_error
        groups = [
            Piece(run, scores, tuple(runs), None, float(error))
            for run, scores, error in zip(runs, estimator.all_scores.T, errors, strict=True)
        ]
        generator = request.generator

        def affordable(piece: Piece) -> bool:
            in_time = self.budget is None or time.perf_counter() - started < self.budget
            return in_time and watched.passes + 2 * pairs_of(len(cuts.open(piece.run))) <= self.limit_in_groups

        def open_up(piece: Piece) -> list[Piece]:
            parts = cuts.open(piece.run)
            halves, weights = draw_pairs(len(parts), generator)
            contexts = draw_contexts(piece, len(words), len(halves), generator)
            subsets = np.concatenate([sub_texts(contexts, one, parts) for one in (halves, ~halves)])
            (answer,) = watched.probabilities_of_many([(words, torch.from_numpy(subsets))], self.removal)
            table = np.asarray(answer, dtype=np.float64).round(ANSWER_DIGITS)
            if estimator.scored is not None:
                table = table[:, list(estimator.scored)]
            first, second = np.split(table, 2)
            values, spread = owen_values(halves, weights, (first, second), piece.scores, generator)
            return [
                Piece(run, scores, tuple(parts), piece, float(error))
                for run, scores, error in zip(parts, values, spread[:, estimator.column], strict=True)
            ]

        known = scores_of_words(open_largest(groups, estimator.column, affordable, open_up))
        return self._explanation(
            classifier,
            document,
            estimator,
            scores=known["all_scores"][estimator.column],
            forward_passes=watched.passes + (0 if start is None else start.passes),
            seconds=time.perf_counter() - started,
            **known,
        )

    def _starts(self, classifier: Classifier, documents: Sequence[Document]) -> list[Start | None]:
        """Ask for what is known of the texts whose values are estimated from pairs."""
        paired = [i for i, document in enumerate(documents) if self._by_pairs(len(document.words))]
        found = dict(zip(paired, starts(classifier, [documents[i].words for i in paired], self.start), strict=True))
        return [found.get(i) for i in range(len(documents))]

    def _by_pairs(self, words: int) -> bool:
        if words <= EXACT_WORDS:
            return self.budget is not None and words > 1
        return self.samples == "auto"

    def _request(self, classifier: Classifier, document: Document, target: int | None, start: Start | None) -> Request:
        return Request(
            document.words,
            target,
            self.top,
            self.confidence,
            self.budget,
            self.seed,
            start,
            scored=self.scored,
            classifier=classifier,
        )

    def _estimator(self, request: Request) -> ShapleyEstimator:
        if self._by_pairs(request.count):
            return PairEstimator(request, self.limit)
        if request.count <= EXACT_WORDS:
            return ExactEstimator(request)
        assert self.samples != "auto"
        return PermutationEstimator(request, self.samples)
