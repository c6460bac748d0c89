import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from whyword.maths.tensors.token_groups import NONE, mean_dot_products, token_groups

NEGATIVE, POSITIVE, NEUTRAL = 0, 1, 2


@pytest.mark.parametrize(
    ("negative", "positive", "group"),
    [
        (0, 6, POSITIVE),  # γ = 1: the purest words belong to their class
        (0, 5, NONE),  # not often enough
        (2, 6, NONE),  # γ = 0.5 exactly
        (2, 7, POSITIVE),
        (7, 2, NEGATIVE),
        (0, 0, NONE),
        (1, 1, NEUTRAL),
        (50, 54, NEUTRAL),
        (50, 55, NONE),  # |γ| < 0.1, but five apart
        (4, 5, NONE),  # one apart, but |γ| > 0.1
    ],
)
def test_two_classes_are_told_apart_as_in_the_authors_code(negative, positive, group):
    assert token_groups(np.array([[negative, positive]])) == [group]


@given(arrays(np.int64, (8, 2), elements=st.integers(0, 60)))
def test_with_two_classes_the_rule_is_the_one_of_gamma(counts):
    for (f_minus, f_plus), group in zip(counts, token_groups(counts), strict=True):
        gamma = (f_plus - f_minus) / max(1, f_plus + f_minus)
        expected = NONE
        if gamma > 0.5 and f_plus > 5:
            expected = POSITIVE
        elif gamma < -0.5 and f_minus > 5:
            expected = NEGATIVE
        elif f_plus + f_minus and abs(gamma) < 0.1 and abs(f_plus - f_minus) < 5:
            expected = NEUTRAL
        assert group == expected


def test_with_more_classes_the_largest_share_decides():
    counts = np.array([[1, 1, 8], [3, 1, 8], [3, 3, 3], [10, 11, 10], [0, 10, 10], [40, 3, 3]])
    assert token_groups(counts).tolist() == [2, NONE, 3, 3, NONE, 0]


def test_mean_dot_products_leave_out_a_word_with_itself():
    vectors, groups = np.random.default_rng(0).normal(size=(7, 3)), np.array([0, 1, 0, -1, 1, 0, 2])
    means = mean_dot_products(vectors, groups, 3)
    for one in range(3):
        for other in range(3):
            pairs = [
                vectors[i] @ vectors[k]
                for i in np.flatnonzero(groups == one)
                for k in np.flatnonzero(groups == other)
                if i != k
            ]
            np.testing.assert_allclose(means[one, other], np.mean(pairs) if pairs else np.nan)
