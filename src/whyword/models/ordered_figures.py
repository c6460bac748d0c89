"""Honest figures of a model whose classes have an order: accuracy, absolute error and kappa, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data.dataset import Dataset
from ..data.labels import numbered
from ..data.order import values_of
from ..inference.fitted import FittedClassifier
from ..interfaces.document import Document
from ..maths.stats.ordered import OrderedScores, difference_of_error, estimate_ordered
from .figures import MEDIAN, MODEL, TF_IDF, class_figures, plain, predict

SCORES = ("accuracy", "absolute_error", "kappa")


def measure_ordered(classifier: FittedClassifier, documents: Sequence[Document], split: str) -> dict[str, Any]:
    """Measure accuracy, mean absolute error and quadratic weighted kappa, with their 95 % intervals."""
    scores = _estimate(classifier, predict(classifier, documents), numbered(documents, classifier.classes))
    values: dict[str, Any] = {f"{split}_texts": len(documents)}
    for name in SCORES:
        estimate = getattr(scores, name)
        values |= {f"{split}_{name}": estimate.value}
        values |= {f"{split}_{name}_low": estimate.low, f"{split}_{name}_high": estimate.high}
    return values


def measure_ordered_figures(
    classifier: FittedClassifier, dataset: Dataset, baseline: FittedClassifier | None
) -> dict[str, Any]:
    """Measure the model on test, or on dev if there is no test, beside the median and the baseline if there is one.

    The median class of the training texts is the constant answer of the least absolute error. Plain values, as those
    of figures.py; the gain is how much less the absolute error is.
    """
    split, documents = ("test", dataset.test) if dataset.test else ("dev", dataset.dev)
    classes = classifier.classes
    labels = numbered(documents, classes)
    median = int(np.quantile(numbered(dataset.train, classes), 0.5, method="inverted_cdf"))
    predicted = {MEDIAN: np.full(len(labels), median)}
    if baseline is not None:
        predicted[TF_IDF] = predict(baseline, documents)
    predicted[MODEL] = predict(classifier, documents)
    rows = []
    for name, chosen in predicted.items():
        scores = _estimate(classifier, chosen, labels)
        rows.append({"model": name, **{each: plain(getattr(scores, each)) for each in SCORES}})
    other = TF_IDF if baseline is not None else MEDIAN
    gain = difference_of_error(predicted[MODEL], predicted[other], labels, np.array(values_of(classes)))
    return {
        "split": split,
        "texts": len(labels),
        "judged_by": "absolute_error",
        "models": rows,
        "classes": class_figures(classes, predicted[MODEL], labels),
        "gain": {"over": other, "value": gain.value, "low": gain.low, "high": gain.high},
    }


def _estimate(classifier: FittedClassifier, predicted: np.ndarray, labels: np.ndarray) -> OrderedScores:
    return estimate_ordered(predicted, labels, np.array(values_of(classifier.classes)))
