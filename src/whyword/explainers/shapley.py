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
from ..interfaces.classifier import Classifier, Removal
from ..interfaces.document import Document
from ..interfaces.explanation import Explainer, Explanation
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
    in antithetic pairs (Štrumbelj & Kononenko 2010). Top words are those that speak most for the target.
    """

    samples: int | Literal["auto"] = "auto"  # permutations; auto: until the top words have converged
    top: int = 5
    confidence: float = 0.95  # that the top words have converged
    limit: int = 2000  # most forward passes of a text when samples is auto
    budget: float | None = None  # most seconds of a text; then the scores depend on the speed of the machine
    removal: Removal = "delete"
    seed: int = 0
    name: str = "shapley"

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

    def explain(
        self, classifier: Classifier, documents: Sequence[Document], targets: Sequence[int] | None = None
    ) -> list[Explanation]:
        """Explain each document."""
        chosen = [None] * len(documents) if targets is None else [int(target) for target in targets]
        estimators = [self._estimator(document, target) for document, target in zip(documents, chosen, strict=True)]
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
                base_value=estimator.base_value,
                seed=self.seed,
                forward_passes=estimator.passes,
                seconds=estimator.seconds,
                converged=estimator.confidence,
                tied=estimator.tied,
                resolution=ROUNDED_PROBABILITY,
            )
            for document, estimator in zip(documents, estimators, strict=True)
        ]

    def _estimator(self, document: Document, target: int | None) -> ShapleyEstimator:
        words = document.words
        request = Request(words, target, self.top, self.confidence, self.budget, self.seed)
        short = len(words) <= EXACT_WORDS
        if short and (self.budget is None or len(words) < 2):
            return ExactEstimator(request)
        if short or self.samples == "auto":
            return PairEstimator(request, self.limit)
        return PermutationEstimator(request, self.samples)
