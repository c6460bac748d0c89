"""Figures of classes against scikit-learn and against resampling text by text."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, log_loss, precision_score, recall_score

from whyword.maths.stats.classes import (
    accuracy_estimate,
    are_unequal,
    class_estimates,
    difference_of_accuracy,
    difference_of_macro_f1,
    judge,
    macro_f1,
    macro_f1_estimate,
)

ANSWERS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30)


def drawn(texts=200, classes=3, right=0.7, seed=0):
    generator = np.random.default_rng(seed)
    labels = generator.choice(classes, texts, p=[0.7, 0.2, 0.1])
    predicted = np.where(generator.random(texts) < right, labels, generator.integers(0, classes, texts))
    return predicted, labels


@settings(max_examples=30, deadline=None)
@given(ANSWERS)
def test_macro_f1_is_scikit_learns(answers):
    predicted, labels = np.array(answers).T
    assert macro_f1(predicted, labels, 3) == pytest.approx(
        f1_score(labels, predicted, average="macro", zero_division=0)
    )


def test_precision_and_recall_are_scikit_learns_with_their_intervals_around_them():
    predicted, labels = drawn()
    estimates = class_estimates(predicted, labels, 3)
    for name, score in (("precision", precision_score), ("recall", recall_score)):
        for estimate, wanted in zip(estimates, score(labels, predicted, average=None), strict=True):
            found = getattr(estimate, name)
            assert found.value == pytest.approx(wanted)
            assert 0 <= found.low < found.value < found.high <= 1
    assert [estimate.texts for estimate in estimates] == np.bincount(labels).tolist()


def test_of_many_classes_no_table_of_all_pairs_is_made():
    classes, texts = 5_000, 300  # a table of pairs would take 200 MB
    generator = np.random.default_rng(0)
    labels = generator.integers(0, classes, texts)
    predicted = np.where(generator.random(texts) < 0.5, labels, generator.integers(0, classes, texts))
    tracemalloc.start()
    estimates, estimate = class_estimates(predicted, labels, classes), macro_f1_estimate(predicted, labels, classes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000_000
    assert estimate.value == pytest.approx(f1_score(labels, predicted, average="macro", zero_division=0))
    assert sum(one.texts for one in estimates) == texts


def test_a_class_that_nobody_predicts_has_no_precision_and_one_without_texts_no_recall():
    never, unseen = class_estimates(np.array([1, 1]), np.array([0, 0]), 2)
    assert never.precision is None
    assert never.recall is not None
    assert unseen.recall is None


def test_the_interval_of_macro_f1_is_that_of_resampling_texts():
    predicted, labels = drawn()
    generator = np.random.default_rng(1)
    by_text = []
    for _ in range(2_000):
        chosen = generator.integers(0, len(labels), len(labels))
        by_text.append(macro_f1(predicted[chosen], labels[chosen], 3))
    estimate = macro_f1_estimate(predicted, labels, 3)
    low, high = np.quantile(by_text, [0.025, 0.975])
    assert abs(estimate.low - low) < 0.015
    assert abs(estimate.high - high) < 0.015
    assert estimate.low < estimate.value < estimate.high


def test_a_better_model_gains_and_the_same_one_does_not():
    labels = drawn()[1]
    good, bad = drawn(right=0.9)[0], drawn(right=0.3, seed=0)[0]
    for difference in (difference_of_accuracy, difference_of_macro_f1):
        gain = difference(good, bad, labels, 3)
        assert gain.low > 0
        assert difference(bad, good, labels, 3).value == pytest.approx(-gain.value)
        same = difference(good, good, labels, 3)
        assert same.value == 0
        assert same.low <= 0 <= same.high
    wanted = f1_score(labels, good, average="macro") - f1_score(labels, bad, average="macro")
    assert difference_of_macro_f1(good, bad, labels, 3).value == pytest.approx(wanted)


def test_accuracy_is_the_share_of_texts_that_are_right():
    labels = np.array([0] * 4 + [1] * 6)
    estimate = accuracy_estimate(np.where(np.arange(10) == 3, 1 - labels, labels), labels)
    assert estimate.value == 0.9
    assert estimate.low < 0.9 < estimate.high


def test_classes_are_unequal_from_more_than_one_and_a_half_times_on():
    assert not are_unequal(np.repeat([0, 1], [15, 10]))
    assert are_unequal(np.repeat([0, 1], [16, 10]))


def test_a_judge_reads_the_metric_and_the_log_probability_of_the_labels():
    generator = np.random.default_rng(0)
    probabilities = generator.dirichlet(np.ones(3), 60)
    labels = np.repeat([0, 1, 2], [40, 15, 5])
    predicted = probabilities.argmax(1)
    logs = np.log(probabilities)
    assert judge(logs, labels, "accuracy") == pytest.approx(
        ((predicted == labels).mean(), -log_loss(labels, probabilities))
    )
    f1 = f1_score(labels, predicted, average="macro")
    assert judge(logs, labels, "macro-f1") == pytest.approx((f1, -log_loss(labels, probabilities)))
    balanced = 60 / (3 * np.bincount(labels))[labels]
    loss = -log_loss(labels, probabilities, sample_weight=balanced)
    assert judge(logs, labels, "balanced-loss") == pytest.approx((loss, loss))
