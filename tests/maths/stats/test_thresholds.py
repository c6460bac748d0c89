"""Thresholds against trying every one, and never worse than none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from whyword.maths.stats.thresholds import decide, offsets_of, threshold_of, tune_offsets


def f1(labels, predicted):
    return f1_score(labels, predicted, average="macro", zero_division=0)


@given(st.floats(0.01, 0.99), st.floats(0, 1))
def test_the_second_class_is_predicted_from_the_threshold_on(threshold, probability):
    if abs(probability - threshold) > 1e-9:
        (chosen,) = decide(np.array([[1 - probability, probability]]), offsets_of(threshold))
        assert chosen == (probability > threshold)
    assert threshold_of(offsets_of(threshold)) == pytest.approx(threshold)


def test_of_two_classes_the_best_threshold_of_all_is_found():
    generator = np.random.default_rng(0)
    labels = (generator.random(120) < 0.1).astype(int)
    rare = np.clip(0.15 * labels + 0.3 * generator.random(120), 0, 1)
    table = np.stack([1 - rare, rare], 1)
    best = max(f1(labels, (rare > threshold).astype(int)) for threshold in np.linspace(0, 0.46, 461))
    found = f1(labels, decide(table, tune_offsets(table, labels)))
    assert found == pytest.approx(best)
    assert found > f1(labels, table.argmax(1))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 50), st.integers(2, 4))
def test_offsets_never_make_macro_f1_worse(seed, classes):
    generator = np.random.default_rng(seed)
    table = generator.dirichlet(np.ones(classes), 30)
    labels = generator.integers(0, classes, 30)
    offsets = tune_offsets(table, labels)
    assert f1(labels, decide(table, offsets)) >= f1(labels, table.argmax(1)) - 1e-12
    assert offsets[0] == 0


def test_without_offsets_the_most_probable_class_is_predicted():
    table = np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]])
    assert decide(table, None).tolist() == [1, 0]
    assert decide(table, np.array([0.0, 0.0, 5.0])).tolist() == [2, 2]
