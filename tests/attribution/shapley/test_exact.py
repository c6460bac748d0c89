from itertools import permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.attribution.shapley.exact import all_subsets, shapley_of_table, weight_of_subsets


def over_all_permutations(answers, words):
    """Average what each word adds, literally, over every order."""
    total = np.zeros(words)
    orders = list(permutations(range(words)))
    for order in orders:
        code = 0
        for word in order:
            total[word] += answers[code | 1 << word] - answers[code]
            code |= 1 << word
    return total / len(orders)


@given(st.integers(0, 5), st.integers(0, 10**6))
def test_enumeration_is_the_mean_over_all_permutations(words, seed):
    answers = np.random.default_rng(seed).random(2**words)
    np.testing.assert_allclose(shapley_of_table(answers, words), over_all_permutations(answers, words), atol=1e-12)


def test_an_additive_model_has_its_weights():
    weights = np.array([0.3, -0.2, 0.0, 0.05, 0.1, -0.4, 0.2])
    np.testing.assert_allclose(shapley_of_table(0.5 + all_subsets(7) @ weights, 7), weights, atol=1e-12)


@pytest.mark.parametrize("words", [1, 4, 10])
def test_scores_add_up_to_whole_minus_empty(words):
    answers = np.random.default_rng(words).random(2**words)
    assert shapley_of_table(answers, words).sum() == pytest.approx(answers[-1] - answers[0], abs=1e-12)


def test_subsets_are_listed_once_from_the_empty_to_the_whole_text():
    subsets = all_subsets(4)
    assert len(np.unique(subsets, axis=0)) == 16
    assert not subsets[0].any()
    assert subsets[-1].all()


@pytest.mark.parametrize("words", [2, 9, 300])
def test_weights_are_one_over_the_number_of_like_subsets(words):
    subsets = np.arange(words) < np.array([[1], [words // 2], [words]])
    for row, kept in zip(weight_of_subsets(subsets), subsets, strict=True):
        size = int(kept.sum())
        np.testing.assert_allclose(row[kept], 1 / (words * comb(words - 1, size - 1)), rtol=1e-9)
        if size < words:
            np.testing.assert_allclose(row[~kept], -1 / (words * comb(words - 1, size)), rtol=1e-9)
