import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import silhouette_score

from whyword.maths.stats import separation as module
from whyword.maths.stats.separation import linear_discriminant, separation


def cloud(seed, count=30, classes=3, shift=1.0):
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, classes, count)
    return generator.normal(size=(count, 4)) + shift * labels[:, None], labels


def ratio_by_hand(vectors, labels):
    pairs = {True: [], False: []}
    for i, j in combinations(range(len(labels)), 2):
        pairs[bool(labels[i] == labels[j])].append(math.dist(vectors[i], vectors[j]))
    return np.mean(pairs[False]) / np.mean(pairs[True])


@given(st.integers(0, 1000), st.floats(0, 3))
def test_it_agrees_with_scikit_learn_and_with_all_pairs(seed, shift):
    vectors, labels = cloud(seed, shift=shift)
    result = separation(vectors, labels)
    assert result.silhouette == pytest.approx(silhouette_score(vectors, labels), abs=1e-10)
    assert result.distance_ratio == pytest.approx(ratio_by_hand(vectors, labels), abs=1e-10)


def test_a_text_alone_in_its_class_counts_as_zero():
    vectors, labels = cloud(0)
    labels[0] = 9
    assert separation(vectors, labels).silhouette == pytest.approx(silhouette_score(vectors, labels))


def test_memory_is_bounded_without_changing_the_answer(monkeypatch):
    vectors, labels = cloud(1)
    whole = separation(vectors, labels)
    monkeypatch.setattr(module, "CHUNK", 7)
    parts = separation(vectors, labels)
    assert (parts.silhouette, parts.distance_ratio) == pytest.approx((whole.silhouette, whole.distance_ratio))


def test_tight_classes_are_far_apart_and_mixed_ones_are_not():
    points = np.array([[0.0], [0.0], [5.0], [5.0]])
    assert separation(points, np.array([0, 0, 1, 1])) == module.Separation(1.0, math.inf)
    assert separation(points, np.array([0, 1, 0, 1])).silhouette < 0
    assert separation(np.zeros((4, 2)), np.array([0, 0, 1, 1])) == module.Separation(0.0, 1.0)


@pytest.mark.parametrize("labels", [[], [0], [0, 0, 0], [0, 1, 2]], ids=["none", "one", "one class", "all alone"])
def test_without_two_classes_and_a_pair_there_is_no_answer(labels):
    assert separation(np.ones((len(labels), 2)), np.array(labels, dtype=np.int64)) is None


GENERATOR = np.random.default_rng(0)


def test_it_answers_as_scikit_learn_does():
    classes = np.repeat([2, 5, 7], [30, 60, 90])
    points = GENERATOR.normal(size=(180, 4)) + 1.5 * GENERATOR.normal(size=(9, 4))[classes]
    asked = GENERATOR.normal(size=(200, 4)) * 2
    expected = LinearDiscriminantAnalysis().fit(points, classes).predict(asked)
    assert (linear_discriminant(points, classes, asked) == expected).mean() > 0.97  # a ridge and n against n - 3


@pytest.mark.parametrize("spread", [0.0, 1e-3])
def test_classes_apart_are_told_apart_even_if_their_points_lie_in_a_plane_or_on_one_spot(spread):
    classes = np.tile([0, 1, 2], 10)
    points = np.zeros((30, 5))
    points[:, :3] = np.eye(3)[classes] + spread * GENERATOR.normal(size=(30, 3))
    assert (linear_discriminant(points, classes, points) == classes).all()
