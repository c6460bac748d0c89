"""Honest figures of a model of several labels a text: beside the baseline, label by label, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data.dataset import Dataset
from ..data.labels import numbered
from ..inference.fitted import FittedClassifier
from ..interfaces.classifier import predicted_labels
from ..interfaces.document import Document
from ..maths.stats.intervals import Estimate, share_interval
from ..maths.stats.labels import difference_of_labels, estimate_labels, f1
from .figures import MAJORITY, MODEL, TF_IDF


def measure_labels(classifier: FittedClassifier, documents: Sequence[Document], split: str) -> dict[str, Any]:
    """Measure subset accuracy, and micro- and macro-F1, with their 95 % intervals."""
    scores = estimate_labels(_predict(classifier, documents), numbered(documents, classifier.classes))
    values: dict[str, Any] = {f"{split}_texts": len(documents)}
    named = {"accuracy": scores.subset_accuracy, "micro_f1": scores.micro_f1, "macro_f1": scores.macro_f1}
    for name, estimate in named.items():
        values |= {f"{split}_{name}": estimate.value}
        values |= {f"{split}_{name}_low": estimate.low, f"{split}_{name}_high": estimate.high}
    return values


def measure_label_figures(
    classifier: FittedClassifier, dataset: Dataset, baseline: FittedClassifier | None
) -> dict[str, Any]:
    """Measure the model on test, or on dev if there is no test, beside the majority and the baseline if there is one.

    Plain values, as those of figures.py; the majority gives a text each label that most texts have.
    """
    split, documents = ("test", dataset.test) if dataset.test else ("dev", dataset.dev)
    classes = classifier.classes
    labels = numbered(documents, classes)
    usual = numbered(dataset.train, classes).mean(0) >= 0.5
    predicted = {MAJORITY: np.tile(usual, (len(labels), 1))}
    if baseline is not None:
        predicted[TF_IDF] = _predict(baseline, documents)
    predicted[MODEL] = _predict(classifier, documents)
    rows = []
    for name, chosen in predicted.items():
        scores = estimate_labels(chosen, labels)
        rows.append(
            {
                "model": name,
                "accuracy": _plain(scores.subset_accuracy),
                "micro_f1": _plain(scores.micro_f1),
                "macro_f1": _plain(scores.macro_f1),
            }
        )
    other = TF_IDF if baseline is not None else MAJORITY
    gain = difference_of_labels(predicted[MODEL], predicted[other], labels)
    return {
        "split": split,
        "texts": len(labels),
        "judged_by": "macro_f1",
        "models": rows,
        "classes": _by_label(classes, predicted[MODEL], labels),
        "gain": {"over": other, "value": gain.value, "low": gain.low, "high": gain.high},
    }


def _by_label(classes: Sequence[Any], predicted: np.ndarray, labels: np.ndarray) -> list[dict[str, Any]]:
    rows = []
    for number, label in enumerate(classes):
        chosen, has = predicted[:, number], labels[:, number]
        hits = int((chosen & has).sum())
        rows.append(
            {
                "label": label,
                "texts": int(has.sum()),
                "precision": _share(hits, int(chosen.sum())),
                "recall": _share(hits, int(has.sum())),
                "f1": float(f1(np.array(hits), chosen.sum(), has.sum())),
            }
        )
    return rows


def _predict(classifier: FittedClassifier, documents: Sequence[Document]) -> np.ndarray:
    return predicted_labels(classifier, classifier.probabilities([document.words for document in documents]))


def _share(ones: int, count: int) -> list[float] | None:
    return [ones / count, *share_interval(ones, count)] if count else None


def _plain(estimate: Estimate) -> list[float]:
    return [estimate.value, estimate.low, estimate.high]
