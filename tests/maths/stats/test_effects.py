import numpy as np
import pytest
from scipy import stats

from whyword.maths.stats.effects import Effect, effect_over_runs, effect_over_runs_and_texts, mean_of_effects


def test_over_runs_it_is_students_t_test():
    values = [0.3, 1.2, 0.9, -0.1]
    found, known = effect_over_runs(values), stats.ttest_1samp(values, 0.2)
    interval = known.confidence_interval(0.95)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((interval.low, interval.high))
    assert found.p_above(0.2) == pytest.approx(known.pvalue)  # the mean lies above
    assert found.p_below(0.2) == 1.0


def test_one_run_has_no_variance():
    found = effect_over_runs([3.0])
    assert found.value == 3.0
    assert np.isnan([found.estimate.low, found.p_above(0.0), found.p_below(0.0)]).all()


def test_two_data_sets_of_equal_spread_are_welchs_test_of_their_sum():
    one, other = np.array([1.0, 2.0, 3.5]), np.array([0.5, 2.5, 2.0, 1.0])
    found = mean_of_effects([effect_over_runs(one), effect_over_runs(other)])
    known = stats.ttest_ind(one, -other, equal_var=False)  # the difference is the sum of the two means
    assert 2 * found.value == pytest.approx(one.mean() + other.mean())
    assert found.p_above(0.0) == pytest.approx(known.pvalue)


def test_no_spread_is_sure():
    assert effect_over_runs([2.0, 2.0]).p_above(1.0) == 0.0
    assert effect_over_runs([2.0, 2.0]).p_above(2.0) == 1.0
    assert mean_of_effects([Effect(2.0, 0.0, 1), Effect(4.0, 0.0, 1)]).p_below(3.5) == 0.0


def test_a_true_bound_is_crossed_once_in_twenty():
    """300 tables of 4 seeds and 30 texts, both random: a standard deviation of 1.3 %."""
    generator = np.random.default_rng(0)

    def table():
        seeds, texts = generator.normal(size=(4, 1)), generator.normal(size=(1, 30))
        return effect_over_runs_and_texts(0.2 * seeds + texts + generator.normal(size=(4, 30)))

    alarms = [min(effect.p_above(0.0), effect.p_below(0.0)) < 0.05 for effect in (table() for _ in range(300))]
    assert np.mean(alarms) < 0.05 + 4 * 0.013
