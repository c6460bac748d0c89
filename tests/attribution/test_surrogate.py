import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from whyword.attribution.shapley.exact import all_subsets, shapley_of_table
from whyword.attribution.surrogate import (
    LARGEST_WEIGHT,
    NEAR_ENOUGH,
    Surrogate,
    fit_surrogate,
    surrogate_with_shapley,
)

WEIGHTS = st.lists(st.floats(-6, 6), min_size=1, max_size=9)


def random_subsets(rows, words, seed=0):
    return np.random.default_rng(seed).random((rows, words)) < 0.5


@settings(max_examples=60, deadline=None)
@given(WEIGHTS, st.floats(-6, 6))
def test_its_shapley_values_are_those_of_enumeration(weights, bias):
    surrogate = Surrogate(bias, np.array(weights))
    expected = shapley_of_table(surrogate(all_subsets(len(weights))), len(weights))
    np.testing.assert_allclose(surrogate.shapley(), expected, atol=1e-8)


@pytest.mark.parametrize(("words", "size"), [(40, 1.0), (40, 8.0), (200, 0.5), (600, 0.3)])
def test_its_shapley_values_add_up_for_long_texts_and_steep_models(words, size):
    weights = size * np.random.default_rng(words).normal(size=words)
    surrogate = Surrogate(0.3, weights)
    whole, empty = surrogate(np.array([np.ones(words), np.zeros(words)]))
    assert surrogate.shapley().sum() == pytest.approx(whole - empty, abs=1e-7)


def test_words_of_the_same_weight_have_the_same_shapley_value_and_those_of_none_have_none():
    scores = Surrogate(-1.0, np.array([0.7, 0.0, 0.7, -2.0, 0.0])).shapley()
    assert scores[0] == pytest.approx(scores[2], abs=1e-12)
    np.testing.assert_allclose(scores[[1, 4]], 0, atol=1e-12)


def test_a_model_of_its_own_form_is_found_again():
    truth = Surrogate(-0.4, np.array([1.5, -0.8, 0.0, 0.3]))
    subsets = random_subsets(60, 4)
    found = fit_surrogate(subsets, truth(subsets), ridge=1e-9)
    assert found.bias == pytest.approx(truth.bias, abs=1e-5)
    np.testing.assert_allclose(found.weights, truth.weights, atol=1e-5)


def test_the_fit_is_the_minimum_of_the_penalized_cross_entropy():
    generator = np.random.default_rng(3)
    subsets, answers, importance = random_subsets(25, 5), generator.random(25), generator.random(25) + 0.1

    def loss(solution):
        log_odds = subsets @ solution[:-1] + solution[-1]
        entropy = importance @ (np.logaddexp(0, log_odds) - answers * log_odds)
        return entropy + 0.2 / 2 * solution[:-1] @ solution[:-1]

    expected = minimize(loss, np.zeros(6), tol=1e-12).x
    found = fit_surrogate(subsets, answers, importance, ridge=0.2)
    np.testing.assert_allclose(np.append(found.weights, found.bias), expected, atol=1e-4)


@pytest.mark.parametrize("answer", [0.0, 1.0, 0.5])
def test_constant_answers_are_fitted(answer):
    subsets = random_subsets(30, 6)
    found = fit_surrogate(subsets, np.full(30, answer))
    np.testing.assert_allclose(found(subsets), answer, atol=1e-3)
    assert np.isfinite(found.shapley()).all()


def test_answers_that_jump_from_0_to_1_are_fitted():
    subsets = random_subsets(40, 6)
    answers = subsets[:, 0].astype(float)
    found = fit_surrogate(subsets, answers)
    assert ((found(subsets) > 0.5) == subsets[:, 0]).all()
    assert found.weights.argmax() == 0


def test_more_ridge_gives_smaller_weights():
    subsets = random_subsets(30, 5)
    answers = expit(subsets @ np.array([2.0, -1, 0.5, 0, 1]) - 1)
    small, large = (np.linalg.norm(fit_surrogate(subsets, answers, ridge=ridge).weights) for ridge in (10.0, 0.01))
    assert small < large


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1.5, 1.5), min_size=1, max_size=12), st.floats(-2, 2))
def test_the_surrogate_with_given_shapley_values_is_found(weights, bias):
    scores = Surrogate(bias, np.array(weights)).shapley()
    found = surrogate_with_shapley(scores, float(expit(bias)))
    np.testing.assert_allclose(found.shapley(), scores, atol=5 * NEAR_ENOUGH)  # it may stop at its last step
    assert found.bias == pytest.approx(bias)
    assert found.weights.sum() == pytest.approx(sum(weights), abs=1e-4)


@pytest.mark.parametrize("scores", [[0.9, -0.5, 0.5], [5.0, -3.0], [0.0, 0.0], [2.0]])
def test_scores_that_no_surrogate_has_give_one_that_is_finite(scores):
    found = surrogate_with_shapley(np.array(scores), 0.5)
    assert np.abs(found.weights).max() <= LARGEST_WEIGHT
    assert np.isfinite(found.shapley()).all()


def test_a_ridge_pulls_to_the_start():
    subsets = random_subsets(40, 6)
    start = Surrogate(0.2, np.linspace(-1, 1, 6))
    answers = expit(-0.4 + subsets @ np.linspace(2, -1, 6))
    far = fit_surrogate(subsets, answers, ridge=1e6, start=start)
    np.testing.assert_allclose(far.weights, start.weights, atol=1e-3)
    near = fit_surrogate(subsets, answers, ridge=1e-6, start=start)
    np.testing.assert_allclose(near.weights, np.linspace(2, -1, 6), atol=1e-3)
    one = fit_surrogate(subsets, answers, ridge=np.array([1e6, *[1e-6] * 5]), start=start)
    assert one.weights[0] == pytest.approx(-1, abs=1e-3)
    assert one.weights[1] != pytest.approx(start.weights[1], abs=0.1)
