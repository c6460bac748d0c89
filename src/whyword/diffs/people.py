"""Whether reasons moved towards the words that people marked: both models' agreement with them, text by text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..explaining.measure import RANDOM, measure_explanations
from ..interfaces.classifier import Classifier
from ..interfaces.explanation import Explanation
from ..interfaces.metric import Metric, Score
from ..maths.stats.comparisons import Difference, paired_difference
from ..maths.stats.intervals import Estimate
from ..metrics import RationaleAuprc, RationaleF1

OLD, NEW = "old", "new"


@dataclass(frozen=True)
class PairedChange:
    """A number of both models on the same texts, and the paired difference."""

    old: Estimate
    new: Estimate
    change: Difference
    texts: int


@dataclass(frozen=True)
class PeopleChange:
    """How well both models' reasons, each for its own answer, agree with the words that people marked."""

    auprc: PairedChange  # area under precision and recall of the marked words
    f1: PairedChange  # of the top words
    random: float  # area of random words


def agreement_with_people(
    judge: Classifier, old: Sequence[Explanation], new: Sequence[Explanation], top: int, seed: int
) -> tuple[PeopleChange | None, np.ndarray]:
    """Give the change, None if nobody marked a word, and the area of each text, (text, 2), NaN without a mark.

    No model is asked; the judge only says which classes there are.
    """
    documents = [explanation.document for explanation in old]
    if not any(document.rationale_words and any(document.rationale_words) for document in documents):
        return None, np.full((len(documents), 2), np.nan)
    metrics: list[Metric] = [RationaleAuprc(), RationaleF1(k=top)]
    scores = measure_explanations(judge, {OLD: old, NEW: new}, metrics, seed=seed)
    area, f1 = (_change(scores[metric.name, OLD], scores[metric.name, NEW]) for metric in metrics)
    table = np.stack([scores[metrics[0].name, which].per_text for which in (OLD, NEW)], axis=1)
    return PeopleChange(area, f1, scores[metrics[0].name, RANDOM].value), table


def _change(old: Score, new: Score) -> PairedChange:
    difference = paired_difference(new.per_text, old.per_text)
    return PairedChange(Estimate(old.value, *old.interval), Estimate(new.value, *new.interval), difference, old.texts)
