from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from whyword.maths.stats import bootstrap
from whyword.maths.stats.bootstrap import mean_interval, mean_intervals, paired_difference, paired_differences

DRAWS = {
    "normal": (lambda rng, size: rng.normal(size=size), 0.0),
    "skewed": (lambda rng, size: rng.exponential(size=size), 1.0),
    "shares": (lambda rng, size: rng.beta(0.3, 1.5, size), 0.3 / 1.8),
    "mostly zero": (lambda rng, size: (rng.random(size) < 0.3) * rng.random(size), 0.15),
    "yes and no": (lambda rng, size: (rng.random(size) < 0.8).astype(float), 0.8),
    "up and down": (lambda rng, size: rng.choice([1.0, 0.0, -1.0], size, p=[0.3, 0.6, 0.1]), 0.2),
}


@pytest.mark.parametrize("texts", [30, 100])
@pytest.mark.parametrize("kind", DRAWS)
def test_nineteen_of_twenty_intervals_hold_the_truth(kind, texts):
    """The seed is fixed: 1,000 cases have a standard deviation of 0.7 %, others leave the range now and then."""
    draw, truth = DRAWS[kind]
    low, high = mean_intervals(draw(np.random.default_rng(5), (texts, 1000))).T
    assert 0.93 <= np.mean((low <= truth) & (truth <= high)) <= 0.97


def test_the_interval_is_near_that_of_scipys_bootstrap():
    values = np.random.default_rng(0).exponential(size=300)
    expected = stats.bootstrap((values,), np.mean, method="BCa", rng=np.random.default_rng(1)).confidence_interval
    width = expected.high - expected.low
    assert mean_interval(values) == pytest.approx((expected.low, expected.high), abs=0.05 * width)


@settings(max_examples=25)
@given(st.lists(st.floats(-1, 1, width=16), min_size=2, max_size=40))
def test_an_interval_holds_the_mean_and_stays_within_the_values(values):
    low, high = mean_interval(np.array(values) / 2)
    mean = np.mean(values) / 2
    assert low <= mean + 1e-9
    assert high >= mean - 1e-9
    if set(values) - {-2.0, 0.0, 2.0}:
        assert min(values) / 2 - 1e-9 <= low
        assert high <= max(values) / 2 + 1e-9


def test_columns_are_taken_one_by_one_and_nan_is_left_out():
    rng = np.random.default_rng(0)
    table = rng.random((50, 3))
    table[:20, 1] = np.nan
    together = mean_intervals(table)
    assert tuple(together[0]) == pytest.approx(mean_interval(table[:, 0]))
    assert tuple(together[1]) == pytest.approx(mean_interval(table[20:, 1]))
    assert np.isnan(mean_intervals(np.full((5, 1), np.nan))).all()
    assert np.isnan(mean_interval(np.array([0.3]))).all()
    assert mean_intervals(np.empty((0, 2))).shape == (2, 2)


def test_values_that_are_all_the_same_leave_no_doubt():
    assert mean_interval(np.full(9, 0.25)) == (0.25, 0.25)


def test_a_seed_is_repeated_and_another_one_hardly_matters(monkeypatch):
    values = np.random.default_rng(0).random(60)
    assert mean_interval(values) == mean_interval(values)
    assert mean_interval(values) != mean_interval(values, seed=1)
    assert mean_interval(values) == pytest.approx(mean_interval(values, seed=1), abs=0.01)
    whole = mean_interval(values)
    monkeypatch.setattr(bootstrap, "CHUNK", 500)  # a few resamples at a time: the same stream
    assert mean_interval(values) == pytest.approx(whole)


def test_a_paired_difference_is_the_mean_of_differences_where_both_are_defined():
    rng = np.random.default_rng(0)
    one, other = rng.random((2, 80))
    one[:5] = np.nan
    found = paired_difference(one, other)
    assert found.value == pytest.approx(np.mean((one - other)[5:]))
    assert (found.low, found.high) == pytest.approx(mean_interval((one - other)[5:]))
    turned = paired_difference(other, one)
    assert (turned.value, turned.p) == pytest.approx((-found.value, found.p))
    _, second = paired_differences(np.stack([one, other], 1), np.stack([other, one], 1))
    assert astuple(second) == pytest.approx(astuple(turned))


def test_the_p_value_is_that_of_scipys_permutation_test():
    rng = np.random.default_rng(3)
    for shift in (0.0, 0.15, 0.3):
        one, other = rng.normal(size=(2, 12))
        one += shift * 4
        expected = stats.permutation_test(
            (one - other,), np.mean, permutation_type="samples", n_resamples=np.inf
        ).pvalue
        assert paired_difference(one, other).p == pytest.approx(expected, abs=0.02)  # four standard deviations


def test_chance_alone_is_called_a_difference_once_in_twenty():
    """500 cases have a standard deviation of 1 %."""
    rng = np.random.default_rng(1)
    one, other = rng.random((2, 40, 500))
    found = paired_differences(one, other)
    assert np.mean([difference.p < 0.05 for difference in found]) == pytest.approx(0.05, abs=0.03)


def test_no_difference_and_no_texts_have_plain_answers():
    values = np.random.default_rng(0).random(30)
    same = paired_difference(values, values)
    assert (same.value, same.p) == (0.0, 1.0)
    assert same.low <= 0.0 <= same.high
    nothing = paired_difference(np.empty(0), np.empty(0))
    assert np.isnan([nothing.value, nothing.low, nothing.high, nothing.p]).all()
    assert paired_difference(values + 1.0, values).p == pytest.approx(0.0001)
