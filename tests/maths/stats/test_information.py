import math

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from whyword.maths.stats.information import entropy, joint_counts, mutual_information

GENERATOR = np.random.default_rng(0)


def test_entropy_of_equal_shares_is_the_logarithm_of_their_number():
    assert entropy(np.array([3, 3, 3, 3, 0])) == pytest.approx(math.log(4))
    assert entropy(np.array([7, 0])) == 0.0


def test_identical_variables_tell_each_other_everything():
    words = GENERATOR.integers(0, 9, 500)
    assert mutual_information(joint_counts(words, words)) == pytest.approx(entropy(np.bincount(words)))
    renamed = GENERATOR.permutation(9)[words]
    assert mutual_information(joint_counts(words, renamed)) == pytest.approx(entropy(np.bincount(words)))


def test_independent_variables_tell_each_other_nothing():
    assert mutual_information(np.outer([1, 2, 3], [4, 5, 6, 0])) == pytest.approx(0.0, abs=1e-12)


def test_it_is_that_of_scikit_learn_and_the_counts_are_joint():
    one, other = GENERATOR.integers(0, 5, 300), GENERATOR.integers(0, 7, 300)
    joint = joint_counts(one, other)
    assert joint.shape == (5, 7)
    assert all(joint[a, b] == ((one == a) & (other == b)).sum() for a in range(5) for b in range(7))
    assert mutual_information(joint) == pytest.approx(mutual_info_score(one, other))
