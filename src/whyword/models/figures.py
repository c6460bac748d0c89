"""Honest figures of a trained model: beside the majority and the baseline, class by class, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..data.dataset import Dataset
from ..data.labels import count_labels
from ..inference.fitted import FittedClassifier
from ..interfaces.classifier import predicted_classes
from ..interfaces.document import Document, Label
from ..maths.stats.classes import (
    accuracy_estimate,
    class_estimates,
    difference_of_accuracy,
    difference_of_macro_f1,
    macro_f1_estimate,
)
from ..maths.stats.intervals import Estimate
from ..report.tables import Entry, Table

MOST_CLASSES = 20  # shown in a table
MAJORITY, MEDIAN, TF_IDF, MODEL = "majority", "median", "TF-IDF", "this model"
METRICS = {  # as tables name them
    "accuracy": "accuracy",
    "micro_f1": "micro-F1",
    "macro_f1": "macro-F1",
    "absolute_error": "mean absolute error",
    "kappa": "weighted kappa",
}
NUMBERS = ("absolute_error", "kappa")  # that are no shares


def measure_figures(
    classifier: FittedClassifier, dataset: Dataset, by_macro_f1: bool, baseline: FittedClassifier | None
) -> dict[str, Any]:
    """Measure the model on test, or on dev if there is no test, beside the majority and the baseline if there is one.

    Plain values: estimates are [value, low, high], with 95 % intervals.
    """
    split, documents = ("test", dataset.test) if dataset.test else ("dev", dataset.dev)
    classes = classifier.classes
    labels = np.array([classes.index(document.label) for document in documents if document.label is not None])
    commonest = count_labels(dataset.train).most_common(1)[0][0]
    predicted = {MAJORITY: np.full(len(labels), classes.index(commonest))}
    if baseline is not None:
        predicted[TF_IDF] = predict(baseline, documents)
    predicted[MODEL] = predict(classifier, documents)
    rows = []
    for name, chosen in predicted.items():
        rows.append(
            {
                "model": name,
                "accuracy": plain(accuracy_estimate(chosen, labels)),
                "macro_f1": plain(macro_f1_estimate(chosen, labels, len(classes))),
            }
        )
    figures: dict[str, Any] = {
        "split": split,
        "texts": len(labels),
        "judged_by": "macro_f1" if by_macro_f1 else "accuracy",
        "models": rows,
        "classes": class_figures(classes, predicted[MODEL], labels),
    }
    other = TF_IDF if baseline is not None else MAJORITY
    difference = difference_of_macro_f1 if by_macro_f1 else difference_of_accuracy
    gain = difference(predicted[MODEL], predicted[other], labels, len(classes))
    figures["gain"] = {"over": other, "value": gain.value, "low": gain.low, "high": gain.high}
    return figures


def class_figures(classes: Sequence[Label], predicted: np.ndarray, labels: np.ndarray) -> list[dict[str, Any]]:
    """Say of each class how many texts have it, and how precise and complete it is found."""
    own = class_estimates(predicted, labels, len(classes))
    return [
        {"label": label, "texts": one.texts, "precision": plain(one.precision), "recall": plain(one.recall)}
        for label, one in zip(classes, own, strict=True)
    ]


def predict(classifier: FittedClassifier, documents: Sequence[Document]) -> np.ndarray:
    """Give the number of the class that is predicted for each document."""
    return predicted_classes(classifier, classifier.probabilities([document.words for document in documents]))


def plain(estimate: Estimate | None) -> list[float] | None:
    """Write an estimate as [value, low, high]."""
    return None if estimate is None else [estimate.value, estimate.low, estimate.high]


def warn_of(figures: Mapping[str, Any]) -> str | None:
    """Say in a sentence that the model is not better than the baseline, and what to do; None if it is."""
    gain = figures["gain"]
    if gain["low"] > 0:
        return None
    how = "worse than" if gain["high"] < 0 else "not measurably better than"
    if figures["judged_by"] == "absolute_error":
        value, most, least = (-gain[name] for name in ("value", "low", "high"))
        shown = f"mean absolute error {value:+.3f}, 95 % interval {least:+.3f} to {most:+.3f}"
    else:
        metric = "macro-F1" if figures["judged_by"] == "macro_f1" else "accuracy"
        shown = f"{metric} {gain['value']:+.1%}, 95 % interval {gain['low']:+.1%} to {gain['high']:+.1%}"
    if gain["over"] in (MAJORITY, MEDIAN):
        advice = "look at the labels, or give it more texts"
    else:
        advice = "use  --encoder tfidf,  or try  --encoder minilm,  word vectors (--embeddings) or more texts"
    return f"The model is {how} {gain['over']} on {figures['split']} ({shown}): {advice}."


def figure_tables(figures: Mapping[str, Any]) -> list[Table]:
    """Lay the figures out as two tables: the models, and the classes of this model."""
    on, several = f"on {figures['texts']:,} {figures['split']} texts", "micro_f1" in figures["models"][0]
    measured = [name for name in figures["models"][0] if name != "model"]
    named = {**METRICS, "accuracy": "all labels right"} if several else METRICS
    heads = (
        (on, *(named[name] for name in measured)),
        (
            "label" if several else "class",
            "texts",
            "precision",
            "recall",
        ),
    )
    models = [
        [row["model"], *(_shown(row[name], name not in NUMBERS) for name in measured)] for row in figures["models"]
    ]
    rows = figures["classes"]
    left = max(0, len(rows) - MOST_CLASSES)
    if left:  # those where most goes wrong, as nobody reads a thousand
        rows = sorted(rows, key=_missed, reverse=True)[:MOST_CLASSES]
    classes = [
        [str(row["label"]), f"{row['texts']:,}", _shown(row["precision"]), _shown(row["recall"])] for row in rows
    ]
    if left:
        classes.append([f"and {left:,} with fewer missed texts, in metrics.json", "", "", ""])
    return [_table(heads[0], models), _table(heads[1], classes)]


def _missed(row: Mapping[str, Any]) -> float:
    """How many texts of a class were not found."""
    return 0.0 if row["recall"] is None else round(row["texts"] * (1 - row["recall"][0]))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    return [[Entry(text, right=column > 0) for column, text in enumerate(row)] for row in (head, *rows)]


def _shown(estimate: Sequence[float] | None, share: bool = True) -> str:
    if estimate is None:
        return "–"
    value, low, high = estimate
    if not share:
        return f"{value:.3f} [{low:.3f}, {high:.3f}]"
    return f"{value:.1%} [{low:.1%}, {high:.1%}]"
