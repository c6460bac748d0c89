import numpy as np
import pytest
from scipy.special import comb
from sklearn.linear_model import Ridge

from whyword.attribution.lime.ridge import SubsetRidge


def every_subset(words):
    return (np.arange(2**words)[:, None] >> np.arange(words) & 1).astype(bool)


def shares(ridge, subsets):
    kept = subsets.sum(1)
    return ridge.mass[kept] / comb(ridge.words, kept)


@pytest.mark.parametrize("words", [1, 2, 3, 8])
@pytest.mark.parametrize("width", [5.0, 25.0, 1000.0])
def test_it_is_the_weighted_ridge_of_scikit_learn_on_every_subset(words, width):
    ridge, subsets = SubsetRidge(words, width, samples=700), every_subset(words)
    answers = np.random.default_rng(words).random(len(subsets))
    weights = shares(ridge, subsets)
    expected = Ridge(alpha=1.0).fit(subsets, answers, sample_weight=700 * weights).coef_
    np.testing.assert_allclose(ridge.coefficients(subsets, weights * answers), expected, atol=1e-10)


def test_it_is_what_lime_comes_to_with_each_subset_as_often_as_it_is_drawn_on_average():
    from lime.lime_base import LimeBase

    subsets = every_subset(4)[:-1]
    times = np.array([12, 3, 2, 3])[subsets.sum(1)]  # 12 of each number of words removed
    rows = np.concatenate([np.ones((1, 4)), np.repeat(subsets, times * 10, axis=0)])
    answers = np.random.default_rng(0).random(16)
    distances = 100 * (1 - np.sqrt(rows.mean(1)))
    base = LimeBase(lambda distance: np.sqrt(np.exp(-(distance**2) / 25**2)), random_state=np.random.RandomState(0))
    targets = answers[(rows @ [1, 2, 4, 8]).astype(int)]
    _, coefficients, _, _ = base.explain_instance_with_data(
        rows, np.stack([1 - targets, targets], axis=1), distances, 1, 4, feature_selection="none"
    )
    ridge = SubsetRidge(4, 25.0, samples=len(rows))
    ours = ridge.coefficients(every_subset(4), shares(ridge, every_subset(4)) * answers)
    np.testing.assert_allclose(ours, [value for _, value in sorted(coefficients)], atol=1e-10)


def test_an_additive_function_has_its_weights_as_coefficients_but_for_the_penalty():
    subsets, weights = every_subset(9), np.linspace(-1, 1, 9)
    ridge = SubsetRidge(9, 25.0, samples=10**9)
    found = ridge.coefficients(subsets, shares(ridge, subsets) * (3 + subsets @ weights))
    np.testing.assert_allclose(found, weights, atol=1e-6)


def test_sums_and_functions_of_size_are_known_without_looking_at_subsets():
    ridge, subsets, weights = SubsetRidge(7, 25.0), every_subset(7), np.arange(7) ** 2 - 3.0
    by_size = np.random.default_rng(0).random(8)
    share = shares(ridge, subsets)
    np.testing.assert_allclose(ridge.of_sum(weights), ridge.coefficients(subsets, share * (subsets @ weights)))
    found = ridge.coefficients(subsets, share * by_size[subsets.sum(1)])
    np.testing.assert_allclose(found, ridge.of_size(by_size), atol=1e-12)


def test_squares_are_those_of_the_contributions_one_by_one():
    ridge, subsets = SubsetRidge(6, 25.0), every_subset(6)
    answers = np.random.default_rng(0).normal(size=64)
    one_by_one = np.array([ridge.coefficients(subsets[[i]], answers[[i]]) for i in range(64)])
    np.testing.assert_allclose(ridge.squares(subsets, answers), (one_by_one**2).sum(0))
