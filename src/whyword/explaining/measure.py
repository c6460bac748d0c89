"""Measure how good explanations are, always with random words beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import catalog
from ..evaluation.measure import Scores, measure
from ..interfaces.classifier import Classifier, Removal
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explanation
from ..interfaces.metric import Metric
from .any_model import as_classifier, known_label
from .inputs import read_labels

RANDOM = "random"
DRAWS = 10  # random orders of the words of a text, so that the floor is not one draw's luck


def measure_explanations(
    model: Any,
    explanations: Mapping[str, Sequence[Explanation]],
    metrics: Sequence[str | type[Metric] | Metric] | None = None,
    *,
    labels: Any = None,
    judge: Any = None,
    removal: Removal = "delete",
    seed: int = 0,
    draws: int = DRAWS,
    on_event: Callable[[int], object] | None = None,
) -> Scores:
    """Measure the explanations of the same texts by several explainers, each under its name.

    The model is the one that was explained. It also answers for the sub-texts, unless a separate judge is given. By
    default every metric is measured for which there is what it needs: labels (of the documents, or given here),
    or rationales. Random words are the mean of several draws, unless explanations of that name are given.
    """
    if not explanations or not all(explanations.values()):
        raise OptionError("There are no explanations to measure: give at least one per explainer.")
    first = next(iter(explanations.values()))
    example, classes = [first[0].document.words], first[0].classes
    classifier = as_classifier(model, example, classes)
    answering = classifier if judge is None else as_classifier(judge, example, classes)
    if draws < 1:
        raise OptionError(f"Random words were to be drawn {draws} times: give 1 or more.")
    rows: dict[str, Sequence[Explanation | Sequence[Explanation]]] = {**explanations}
    if labels is not None:
        rows = {name: _labeled(row, labels, answering) for name, row in explanations.items()}
        first = _labeled(first, labels, answering)
    if RANDOM not in rows:
        documents, targets = [e.document for e in first], [e.target for e in first]
        once = catalog.load("explainers", RANDOM)(seed=seed).explain(classifier, documents, targets)
        rows[RANDOM] = [rotations(explanation, draws) for explanation in once]
    return measure(answering, rows, _metrics(metrics, first), removal, on_event)


def rotations(explanation: Explanation, draws: int) -> list[Explanation]:
    """Begin an order of words at several of its places, never twice at the same, and go on from its end to its start.

    Of a random order each one is a random order too, and every word comes first equally often where there are as many
    draws as words. Any words that follow each other leave such words behind, so that sub-texts without the top words
    and of the top words alone are often the same.
    """
    order, words = explanation.ranking, len(explanation.scores)
    number = max(1, min(draws, words))
    rotated = []
    for start in np.arange(number) * words // number:
        scores = np.empty(words)
        scores[np.roll(order, -start)] = np.arange(words, 0, -1)
        rotated.append(replace(explanation, scores=scores))
    return rotated


def _labeled(explanations: Sequence[Explanation], labels: Any, judge: Classifier) -> list[Explanation]:
    gold = read_labels(labels)
    if len(gold) != len(explanations):
        raise OptionError(f"There are {len(explanations)} texts and {len(gold)} labels: give one label per text.")
    known = [known_label(judge.classes, label) for label in gold]
    return [
        replace(explanation, document=replace(explanation.document, label=label))
        for explanation, label in zip(explanations, known, strict=True)
    ]


def _metrics(chosen: Sequence[str | type[Metric] | Metric] | None, explanations: Sequence[Explanation]) -> list[Metric]:
    has_labels = any(explanation.document.label is not None for explanation in explanations)
    has_rationales = any(explanation.document.rationale is not None for explanation in explanations)
    if chosen is None:
        every = [catalog.make_metric(name) for name in catalog.built_in_names("metrics")]
        return [m for m in every if m.needs_labels <= has_labels and m.needs_rationale <= has_rationales]
    metrics = [catalog.make_metric(metric) for metric in chosen]
    for metric in metrics:
        if metric.needs_labels and not has_labels:
            raise OptionError(f"'{metric.name}' compares with gold labels, but no text has one: give labels.")
        if metric.needs_rationale and not has_rationales:
            raise OptionError(f"'{metric.name}' compares with marked words, but no text has a rationale: leave it out.")
    return metrics
