"""Shapley values: what a word adds to the probability of the target, averaged over all orders of adding words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..attribution.rounds import estimate_in_rounds
from ..attribution.shapley.estimators import (
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
from ..interfaces.settings import check_between_zero_and_one, refuse
from ..maths.stats.ties import ROUNDED_PROBABILITY

EXACT_WORDS = 10  # up to which all sub-texts are asked about, unless a budget of seconds is to be kept
FEWEST_PASSES = 16
MOST_PASSES = 10_000  # what is learned from pairs takes memory by the square, and time by the cube, of their number


@dataclass(frozen=True)
class Shapley(Explainer):
    """Scores that add up to what the whole text changes against the empty one, exactly, however few the samples.

    Texts of at most 10 words get exact values. Others get an estimate from complementary pairs of sub-texts that stops
    as soon as the top words have converged or, with a number of samples, plain sampling of that many permutations
    in antithetic pairs (Štrumbelj & Kononenko 2010). Top words are those that speak most for the target. Where a model
    has contributions, pairs start from them: fewer have to be asked about.
    """

    samples: int | Literal["auto"] = "auto"  # permutations; auto: until the top words have converged
    top: int = 5
    confidence: float = 0.95  # that the top words have converged
    limit: int = 2000  # most forward passes of a text when samples is auto
    budget: float | None = None  # most seconds of a text; then the scores depend on the speed of the machine
    start: StartName | None = "own"  # contributions, where the model has them; None: nothing is known before
    removal: Removal = "delete"
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
        if self.budget is not None and not 0 < self.budget < math.inf:
            refuse(self, "budget", "a number of seconds above 0")
        if self.start not in ("own", None):
            refuse(self, "start", "own or None")

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        chosen = [None] * len(documents) if targets is None else [int(target) for target in targets]
        known = self._starts(classifier, documents)
        estimators = [
            self._estimator(self._request(classifier, document, target, start))
            for document, target, start in zip(documents, chosen, known, strict=True)
        ]
        estimate_in_rounds(classifier, estimators, self.removal)
        return [
            Explanation(
                document=document,
                scores=estimator.scores,
                target=estimator.target or 0,
                classes=classifier.classes,
                probabilities=estimator.probabilities,
                explainer=self.name,
                std_error=estimator.std_error,
                all_scores=estimator.all_scores,
                scored=estimator.scored,
                base_value=float(estimator.base_values[estimator.target or 0]),
                base_values=estimator.base_values,
                seed=self.seed,
                forward_passes=estimator.passes + (0 if start is None else start.passes),
                seconds=estimator.seconds,
                converged=estimator.confidence,
                tied=estimator.tied,
                resolution=ROUNDED_PROBABILITY,
            )
            for document, estimator, start in zip(documents, estimators, known, strict=True)
        ]

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
        if self._by_pairs(len(request.words)):
            return PairEstimator(request, self.limit)
        if len(request.words) <= EXACT_WORDS:
            return ExactEstimator(request)
        assert self.samples != "auto"
        return PermutationEstimator(request, self.samples)
