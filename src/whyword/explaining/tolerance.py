"""Scores as precise as wanted: those that a check finds too far off are sampled on, starting from what they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..attribution.rounds import estimate_in_rounds
from ..attribution.shapley.estimators import PairEstimator, Request
from ..attribution.start import Start
from ..interfaces.classifier import Classifier, Removal
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explanation
from ..maths.stats.ties import ROUNDED_PROBABILITY
from .check import PAIRS, Pairs, ask_pairs, with_error

SHAPLEY = "shapley"
LIMIT = 2000  # most forward passes of a text, as for shapley
TOP, CONFIDENCE = 5, 0.95  # what converged and tied are about, as for shapley


def refine(
    classifier: Classifier,
    explanations: Sequence[Explanation],
    tolerance: float,
    limit: int = LIMIT,
    seed: int = 0,
    removal: Removal = "delete",
) -> list[Explanation]:
    """Check each explanation, and sample on those whose error is above the tolerance, in probability.

    They become Shapley values that start from the scores, so that only what these miss is sampled, until the standard
    error of every word is within the tolerance or the limit of forward passes is reached. Their error is that of the
    new scores on the pairs of the check, which they have not learned from.
    """
    check_tolerance(tolerance)
    asked = ask_pairs(classifier, explanations, PAIRS, seed, removal)
    checked = [with_error(explanation, pairs) for explanation, pairs in zip(explanations, asked, strict=True)]
    rough = [i for i, explanation in enumerate(checked) if (explanation.error or 0.0) > tolerance]
    estimators = {i: PairEstimator(_request(checked[i], tolerance, seed), limit) for i in rough}
    estimate_in_rounds(classifier, list(estimators.values()), removal)
    for i, estimator in estimators.items():
        checked[i] = _refined(checked[i], estimator, asked[i], seed)
    return checked


def check_tolerance(tolerance: float) -> None:
    """Refuse a tolerance that cannot be reached."""
    if not 0 < tolerance < math.inf:
        raise OptionError(f"The tolerance is {tolerance}: give a probability above 0, such as 0.02.")


def _request(explanation: Explanation, tolerance: float, seed: int) -> Request:
    classes, target = len(explanation.classes), explanation.target
    scores, base_values = np.zeros((classes, len(explanation.scores))), np.zeros(classes)
    if explanation.all_scores is None or explanation.base_values is None:  # the other classes start from nothing
        scores[target], base_values[target] = explanation.scores, explanation.base_value or 0.0
    else:
        scores[list(explanation.scored_classes)], base_values = explanation.all_scores, explanation.base_values
    start = Start(scores, base_values)
    return Request(
        explanation.document.words, target, TOP, CONFIDENCE, None, seed, start, tolerance, explanation.scored
    )


def _refined(explanation: Explanation, estimator: PairEstimator, pairs: Pairs, seed: int) -> Explanation:
    refined = replace(
        explanation,
        scores=estimator.scores,
        explainer=SHAPLEY,
        std_error=estimator.std_error,
        all_scores=estimator.all_scores,
        scored=estimator.scored,
        base_value=float(estimator.base_values[explanation.target]),
        base_values=estimator.base_values,
        seed=seed,
        forward_passes=explanation.forward_passes + estimator.passes,
        seconds=explanation.seconds + estimator.seconds,
        converged=estimator.confidence,
        tied=estimator.tied,
        resolution=ROUNDED_PROBABILITY,
    )
    return replace(refined, error=pairs.error(refined))
