"""Explanations of texts of several labels, label by label: of each label that the model gives to a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ..evaluation.measure import Scores, pool
from ..inference.one_label import OneLabel, as_one_label, for_label
from ..interfaces.classifier import Classifier
from ..interfaces.explanation import Explanation
from ..interfaces.metric import Metric
from .measure import RANDOM, measure_explanations

Explained = Mapping[str, Sequence[Explanation]]  # by explainer


def given_labels(explained: Explained) -> list[set[int]]:
    """Give the numbers of the labels that the model gives to each text.

    Explainers ask about a text in other company, which moves the last digit: a label that one of them finds just below
    its threshold is left out for all.
    """
    known = [[set(one.labels) for one in rows if one.labels is not None] for rows in explained.values()]
    return [set.intersection(*labels) for labels in zip(*filter(None, known), strict=True)]


def by_label(explained: Explained) -> dict[int, Explained]:
    """Give, for each label that the model gives to any text, the explanations of those texts as of two classes."""
    given = given_labels(explained)
    return {
        number: {
            name: [
                as_one_label(for_label(one, number))
                for one, labels in zip(explanations, given, strict=True)
                if number in labels
            ]
            for name, explanations in explained.items()
        }
        for number in sorted(set().union(*given))
    }


def measure_by_label(
    classifier: Classifier,
    judge: Classifier | None,
    units: Mapping[int, Explained],
    metrics: Sequence[str | Metric] | None,
    seed: int,
    draws: int,
    on_event: Callable[[int], object] = lambda done: None,
) -> tuple[Scores, dict[int, Scores]]:
    """Measure the explanations of each label; give the scores over all labels, and those of each."""
    done, scores = 0, {}
    for number, explained in units.items():
        judged = {name: rows for name, rows in explained.items() if name != RANDOM}
        scores[number] = measure_explanations(
            OneLabel(classifier, number),
            judged or explained,
            metrics,
            judge=None if judge is None else OneLabel(judge, number),
            seed=seed,
            draws=draws,
            on_event=partial(_after, on_event, done),
        )
        done += scores[number].texts
    return pool(list(scores.values())), scores


def _after(on_event: Callable[[int], object], before: int, count: int) -> None:
    on_event(before + count)
