import numpy as np
import pytest

from contributing import contributing, words
from whyword.attribution.shapley.exact import all_subsets, shapley_of_table
from whyword.explainers.own import Own
from whyword.explaining.check import check
from whyword.explaining.tolerance import refine
from whyword.interfaces.errors import OptionError

COUNT = 14


def bent(seed=0):
    """Give a model that is nearly additive in its log-odds, and its exact Shapley values."""
    generator = np.random.default_rng(seed)
    weights, into, out = generator.normal(size=COUNT), generator.normal(size=(COUNT, 4)), generator.normal(size=4)

    def ask(kept):
        return 1 / (1 + np.exp(-(kept @ weights) - 0.3 * np.tanh(0.3 * (kept @ into)) @ out))

    return ask, shapley_of_table(ask(all_subsets(COUNT)), COUNT)


def noisy(truth, size, seed=1):
    noise = size * np.abs(truth).mean() * np.random.default_rng(seed).normal(size=len(truth))
    return truth + noise - noise.mean()


def test_scores_within_the_tolerance_cost_the_check_alone():
    ask, truth = bent()
    model = contributing(ask, COUNT, truth)
    explanations = Own().explain(model, [words(COUNT)], [1])
    (checked,), (refined,) = check(model, explanations), refine(model, explanations, tolerance=0.2)
    assert refined.error == checked.error
    assert refined.forward_passes == checked.forward_passes == 9
    assert refined.explainer == "own"
    assert refined.std_error is None


@pytest.mark.parametrize("tolerance", [0.05, 0.01])
def test_scores_that_are_off_become_shapley_values_of_that_precision(tolerance):
    ask, truth = bent()
    model = contributing(ask, COUNT, noisy(truth, 2.0))
    explanations = Own().explain(model, [words(COUNT), words(COUNT)], [1, 0])
    for refined in refine(model, explanations, tolerance):
        sign = 1 if refined.target == 1 else -1
        assert refined.explainer == "shapley"
        assert refined.std_error.max() <= tolerance
        assert np.abs(refined.scores - sign * truth).max() < 4 * tolerance
        assert refined.base_value + refined.scores.sum() == pytest.approx(refined.probability, abs=1e-9)
        np.testing.assert_allclose(refined.all_scores[refined.target], refined.scores, atol=1e-9)
        assert refined.forward_passes > 9


def test_a_smaller_tolerance_takes_more_passes_and_the_error_falls():
    ask, truth = bent(2)
    model = contributing(ask, COUNT, noisy(truth, 3.0))
    explanations = Own().explain(model, [words(COUNT)], [1])
    (checked,) = check(model, explanations)
    rough, fine = (refine(model, explanations, tolerance)[0] for tolerance in (0.03, 0.002))
    assert rough.forward_passes < fine.forward_passes
    assert fine.error < checked.error


def test_the_limit_is_kept():
    ask, truth = bent()
    model = contributing(ask, COUNT, noisy(truth, 2.0))
    (refined,) = refine(model, Own().explain(model, [words(COUNT)], [1]), 1e-9, limit=60)
    assert refined.forward_passes <= 1 + 8 + 60


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan"), float("inf")])
def test_a_tolerance_that_cannot_be_reached_is_refused(tolerance):
    with pytest.raises(OptionError, match="give a probability above 0"):
        refine(contributing(lambda kept: kept[:, 0], 1, np.ones(1)), [], tolerance)
