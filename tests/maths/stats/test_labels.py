"""Several labels a text: against scikit-learn, and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, log_loss

from whyword.maths.stats.labels import (
    difference_of_labels,
    estimate_labels,
    judge_labels,
    label_scales,
    log_loss_of_labels,
    macro_f1_of_labels,
    micro_f1,
    subset_accuracy,
    tune_thresholds,
)


@pytest.fixture
def tables() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    return generator.random((60, 4)) < 0.4, generator.random((60, 4)) < 0.3


def test_f1_and_subset_accuracy_are_those_of_scikit_learn(tables: tuple[np.ndarray, np.ndarray]) -> None:
    predicted, labels = tables
    assert micro_f1(predicted, labels) == pytest.approx(f1_score(labels, predicted, average="micro"))
    assert macro_f1_of_labels(predicted, labels) == pytest.approx(f1_score(labels, predicted, average="macro"))
    assert subset_accuracy(predicted, labels) == pytest.approx(accuracy_score(labels, predicted))


def test_the_loss_is_the_binary_cross_entropy_of_each_label() -> None:
    generator = np.random.default_rng(1)
    logits, labels = generator.normal(size=(50, 3)), generator.random((50, 3)) < 0.5
    expected = np.mean([log_loss(labels[:, i], 1 / (1 + np.exp(-logits[:, i]))) for i in range(3)])
    assert log_loss_of_labels(logits, labels).mean() == pytest.approx(expected)
    assert judge_labels(logits, labels, "macro-f1")[1] == pytest.approx(-expected)


def test_the_balanced_loss_counts_each_side_of_each_label_alike() -> None:
    logits = np.array([[2.0], [0.0], [0.0], [0.0]])
    labels = np.array([[True], [False], [False], [False]])
    expected = -(np.log1p(np.exp(-2.0)) + np.log(2.0)) / 2
    assert judge_labels(logits, labels, "balanced-loss") == pytest.approx((expected, expected))


def test_thresholds_reach_the_best_f1_of_any_cut() -> None:
    generator = np.random.default_rng(2)
    labels = generator.random((200, 2)) < 0.2
    probabilities = np.clip(0.3 * labels + generator.random((200, 2)) * 0.6, 0, 1)
    thresholds = tune_thresholds(probabilities, labels)
    for number in range(2):
        cuts = [*np.unique(probabilities[:, number]), 0.5]
        best = max(f1_score(labels[:, number], probabilities[:, number] >= cut) for cut in cuts)
        reached = f1_score(labels[:, number], probabilities[:, number] >= thresholds[number])
        assert reached == pytest.approx(best)


def test_a_rare_label_keeps_the_threshold_of_one_half() -> None:
    labels = np.zeros((100, 1), dtype=bool)
    labels[:5] = True
    assert tune_thresholds(np.where(labels, 0.2, 0.1), labels).tolist() == [0.5]


def test_scales_undo_logits_that_are_too_sure() -> None:
    generator = np.random.default_rng(3)
    logits = generator.normal(size=(4000, 2))
    labels = generator.random((4000, 2)) < 1 / (1 + np.exp(-logits))
    scales = label_scales(logits * np.array([1.0, 4.0]), labels)
    assert scales[0] == pytest.approx(1.0, abs=0.15)
    assert scales[1] == pytest.approx(0.25, abs=0.04)


def test_intervals_hold_the_values_and_equal_models_do_not_differ(tables: tuple[np.ndarray, np.ndarray]) -> None:
    predicted, labels = tables
    scores = estimate_labels(predicted, labels)
    for estimate in (scores.micro_f1, scores.macro_f1, scores.subset_accuracy):
        assert estimate.low <= estimate.value <= estimate.high
    same = difference_of_labels(predicted, predicted, labels)
    assert (same.value, same.low, same.high) == (0.0, 0.0, 0.0)
