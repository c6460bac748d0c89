import numpy as np
import pytest
from scipy.special import expit, logit

from whyword.attribution.shapley.complementary_pairs import ComplementaryPairs
from whyword.attribution.shapley.log_odds_process import LINEAR, TOGETHER, WHITE, fit_process
from whyword.attribution.surrogate import Surrogate

WORDS = 9
DISTANCE = np.random.default_rng(0).random(WORDS)


def learn(pairs, seed=1):
    halves = ComplementaryPairs(WORDS, np.random.default_rng(seed)).draw(pairs)
    answers, opposite = np.random.default_rng(seed).uniform(0.05, 0.95, (2, pairs))
    return halves, answers, opposite


def literal_prediction(subsets, asked, answers):
    """Condition on all answers at once, as if they were no pairs; the mean of pairs is taken out before."""

    def covariance(left, right):
        apart = (left[:, None] != right[None]) @ DISTANCE
        return LINEAR / WORDS * (left - 0.5) @ (right - 0.5).T + TOGETHER * np.exp(-apart)

    middle = logit(answers).mean()
    table = covariance(asked, asked) + WHITE * np.eye(len(asked))
    return expit(middle + covariance(subsets, asked) @ np.linalg.solve(table, logit(answers) - middle))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_even_and_odd_parts_predict_what_conditioning_on_all_answers_does(dtype):
    halves, answers, opposite = learn(20)
    process = fit_process(halves, answers, opposite, DISTANCE).process
    subsets = np.random.default_rng(2).random((50, WORDS)) < 0.5
    found = process(subsets.astype(dtype))
    asked, known = np.concatenate([halves, ~halves]), np.concatenate([answers, opposite])
    expected = [literal_prediction(one, asked, known) for one in (subsets, ~subsets)]
    np.testing.assert_allclose(found, expected, atol=1e-9 if dtype == np.float64 else 1e-4)


def test_what_is_fitted_is_what_is_predicted():
    halves, answers, opposite = learn(20)
    fit = fit_process(halves, answers, opposite, DISTANCE)
    np.testing.assert_allclose(fit.fitted, fit.process(halves.astype(np.float64)), atol=1e-10)


def test_a_pair_left_out_is_predicted_as_by_the_others_alone():
    halves, *_ = learn(12)
    mean, half = np.random.default_rng(6).normal(size=(2, 12))
    mean[0] = 0.0
    mean[1:] -= mean[1:].mean()  # so that the mean of all is 0 with and without the first
    answers, opposite = expit(mean + half), expit(mean - half)
    fit, others = (fit_process(halves[k:], answers[k:], opposite[k:], DISTANCE) for k in (0, 1))
    first = others.process(halves[:1].astype(np.float64))
    np.testing.assert_allclose([one[:1] for one in fit.left_out], first, atol=1e-10)


def test_an_additive_model_is_foreseen():
    surrogate = Surrogate(0.3, np.random.default_rng(3).normal(size=WORDS))
    halves = ComplementaryPairs(WORDS, np.random.default_rng(4)).draw(40)
    process = fit_process(halves, surrogate(halves), surrogate(~halves), DISTANCE).process
    subsets = np.random.default_rng(5).random((100, WORDS)) < 0.5
    found = process(subsets.astype(np.float64))
    np.testing.assert_allclose(found[0], surrogate(subsets), atol=0.01)
    np.testing.assert_allclose(found[1], surrogate(~subsets), atol=0.01)


def test_certain_answers_stay_finite():
    halves, answers, opposite = learn(15)
    answers[0], opposite[0], answers[3] = 1.0, 0.0, 0.0
    fit = fit_process(halves, answers, opposite, DISTANCE)
    assert np.isfinite([fit.fitted, fit.left_out]).all()
