"""How much can be learned from what a person says about a text: it is less certain, or its explanations disagree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ...explainers.occlusion import Occlusion
from ...explainers.own import Own
from ...inference.windows import explain_in_windows
from ...interfaces.classifier import HALF, Classifier, is_multi_label
from ...interfaces.document import Document
from ...interfaces.errors import OptionError, unknown_name
from ...interfaces.pausing import pausing
from ...maths.stats.correlation import spearman
from ..jobs import in_steps
from ..models import ServedModel

Order = Literal["uncertain", "disagree", "file"]
ORDERS: tuple[Order, ...] = get_args(Order)
Usefulness = Callable[[Classifier, Sequence[Document]], list[float]]


def read_order(name: str) -> Order:
    """Read the name of an order."""
    for order in ORDERS:
        if name == order:
            return order
    raise unknown_name(name, "the orders of texts", ORDERS)


def make_usefulness(order: Order, model: ServedModel) -> Usefulness | None:
    """Give what to sort texts by, the largest first; None: by their place in the file."""
    if order == "file":
        return None
    if order == "uncertain":
        return uncertainty
    if "own" not in model.signs:
        raise OptionError(
            f"--order disagree compares a model's own scores with removal, but {model.name} has none: choose uncertain."
        )
    return disagreement


@dataclass(frozen=True)
class RankJob:
    """How useful each text is."""

    model: ServedModel
    useful: Usefulness

    @property
    def kind(self) -> str:
        """Name the model and the measure."""
        return f"{self.model.name} {self.useful.__name__}"

    def work(self, document: Document) -> int:
        """Count the words twice over, as of explanations."""
        return (1 + len(document.words)) ** 2

    def run(self, documents: Sequence[Document], between_steps: Callable[[], None]) -> list[float]:
        """Rank texts."""
        with pausing(between_steps):
            return self.useful(in_steps(self.model.explained, between_steps), documents)


def uncertainty(classifier: Classifier, documents: Sequence[Document]) -> list[float]:
    """Give minus the lead of the likeliest class over the next.

    Where labels do not exclude each other, it is minus the distance of the nearest probability from its threshold.
    """
    table = np.asarray(classifier.probabilities([document.words for document in documents]), dtype=np.float64)
    if is_multi_label(classifier):
        thresholds = getattr(classifier, "thresholds", None)
        nearest = np.abs(table - (HALF if thresholds is None else thresholds)).min(1)
        return [-float(distance) for distance in nearest]
    if table.shape[1] < 2:
        return [0.0] * len(table)
    ordered = np.sort(table, axis=1)
    return [float(after - first) for after, first in ordered[:, -2:]]


def disagreement(classifier: Classifier, documents: Sequence[Document]) -> list[float]:
    """Give minus the rank correlation of the own scores of the words with the effect of leaving each out.

    Where it is not defined, as for a single word, there is nothing to learn: minus 1, as for those who agree.
    """
    own, removal = (explain_in_windows(explainer, classifier, documents) for explainer in (Own(), Occlusion()))
    pairs = zip(own, removal, strict=True)
    ranked = [spearman(one.scores, other.for_class(one.label).scores) for one, other in pairs]
    return [-1.0 if found is None else -found.value for found in ranked]
