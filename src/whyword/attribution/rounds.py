"""Estimate the scores of many texts in rounds of sub-texts, each text until its top words have converged."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np
import torch
from scipy.special import ndtr

from ..interfaces.classifier import Removal
from ..interfaces.document import Words
from ..maths.stats.ties import ROUNDED_PROBABILITY, ranking

TOLERANCE = 0.01  # share of the largest score: words nearer than this are tied, however long one samples


class Estimator(Protocol):
    """The state of one text's estimate: it chooses sub-texts, and updates its scores with the answers."""

    @property
    def words(self) -> Words:
        """The text."""
        ...

    def subsets(self) -> np.ndarray:
        """Choose the words kept in the next sub-texts, (subset, word) bool; no rows: the estimate is finished."""
        ...

    def take(self, probabilities: np.ndarray) -> None:
        """Take in the answers, (subset, class) float64; of many classes, only what is needed shall be kept."""
        ...

    def learn(self, seconds: float) -> None:
        """Update with the answers, and this text's share of the time they took."""
        ...


class Answering(Protocol):
    """Whatever answers for sub-texts: a classifier, or one that is watched."""

    def probabilities_of_many(
        self, requests: Iterable[tuple[Words, torch.Tensor]], removal: Removal = "delete"
    ) -> Iterator[torch.Tensor]:
        """Give (subset, class) probabilities for each text."""
        ...


def estimate_in_rounds(classifier: Answering, estimators: Sequence[Estimator], removal: Removal = "delete") -> None:
    """Run the estimators until all are finished; those still running share the batches of a round."""
    running = list(estimators)
    while running:
        requests = [(estimator, subsets) for estimator in running if len(subsets := estimator.subsets())]
        pending = ((estimator.words, torch.from_numpy(subsets)) for estimator, subsets in requests)
        started = time.perf_counter()
        answers = classifier.probabilities_of_many(pending, removal)
        for (estimator, _), answer in zip(requests, answers, strict=True):
            estimator.take(answer.double().numpy())
        seconds = time.perf_counter() - started
        sizes = [subsets.sum() + len(subsets) for _, subsets in requests]
        for (estimator, _), size in zip(requests, sizes, strict=True):
            estimator.learn(seconds * float(size) / max(1.0, float(sum(sizes))))
        running = [estimator for estimator, _ in requests]


def converged(scores: np.ndarray, std_error: np.ndarray, top: int, confidence: float) -> tuple[float, np.ndarray]:
    """Give the confidence that the top words have converged, and (word,) bool: words whose place is undecided.

    Converged means that no word outside beats a word inside by more than the tolerance. Every pair of a word inside and
    a word outside is tested by its gap (normal, errors independent); the chances to be wrong are added up (Bonferroni).
    A pair is tied if its gap is within the tolerance, or could be turned round with more than 1 - confidence.
    """
    tied = np.zeros(len(scores), dtype=bool)
    if top <= 0 or len(scores) <= top:
        return 1.0, tied
    order = ranking(scores, ROUNDED_PROBABILITY)
    inside, outside = order[:top], order[top:]
    tolerance = TOLERANCE * float(np.abs(scores).max())
    gap = scores[inside, None] - scores[outside]  # (top, rest)
    gap_error = np.sqrt(std_error[inside, None] ** 2 + std_error[outside] ** 2)
    tied_pairs = (gap <= tolerance) | (_chance_below(gap, gap_error, 0.0) > 1 - confidence)
    tied[inside[tied_pairs.any(axis=1)]] = True
    tied[outside[tied_pairs.any(axis=0)]] = True
    return max(0.0, 1.0 - float(_chance_below(gap, gap_error, -tolerance).sum())), tied


def _chance_below(gap: np.ndarray, gap_error: np.ndarray, bound: float) -> np.ndarray:
    """Chance that the true gap is less than the bound; with an error of 0 the gap is known."""
    distance = gap - bound
    return np.where(gap_error > 0, ndtr(-distance / np.where(gap_error > 0, gap_error, 1.0)), distance < 0)
