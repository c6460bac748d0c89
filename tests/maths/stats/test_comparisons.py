import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from whyword.maths.stats.comparisons import (
    cliffs_delta,
    crossed_difference,
    holm,
    paired_difference,
    paired_differences,
)
from whyword.maths.stats.intervals import Estimate, mean_interval


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


def test_with_one_seed_it_is_the_paired_t_test_over_texts():
    one, other = np.random.default_rng(0).random((2, 1, 40))
    found, known = crossed_difference(one, other), stats.ttest_rel(one[0], other[0])
    interval = known.confidence_interval()
    np.testing.assert_allclose([found.p, found.low, found.high], [known.pvalue, interval.low, interval.high])


def test_when_only_seeds_differ_it_is_the_paired_t_test_over_seeds():
    by_seed = np.array([0.3, 0.5, 0.1, 0.4])
    found = crossed_difference(np.repeat(by_seed[:, None], 1000, 1), np.zeros((4, 1000)))
    assert found.p == pytest.approx(stats.ttest_1samp(by_seed, 0).pvalue)


def test_false_alarms_come_in_about_one_of_twenty_tables_of_pure_chance():
    """With seeds and texts both at random; 400 tables, of which more than 9 % would come once in 2000 times."""
    generator = np.random.default_rng(1)

    def table():
        return generator.normal(size=(5, 1)) * 0.3 + generator.normal(size=(1, 60)) + generator.normal(size=(5, 60))

    alarms = [crossed_difference(table(), table()).p < 0.05 for _ in range(400)]
    assert 0.01 < np.mean(alarms) < 0.09


def test_swapping_the_two_turns_the_sign_and_nothing_else():
    one, other = np.random.default_rng(2).random((2, 3, 20))
    found, turned = crossed_difference(one, other), crossed_difference(other, one)
    assert (turned.value, turned.low, turned.high) == pytest.approx((-found.value, -found.high, -found.low))
    assert turned.p == pytest.approx(found.p)


def test_equal_values_differ_by_nothing():
    same = np.ones((3, 10))
    assert crossed_difference(same, same).p == 1
    assert crossed_difference(same, same).value == 0


def test_if_all_texts_differ_alike_p_is_that_of_the_sign_test():
    found = crossed_difference(np.ones((1, 8)), np.zeros((1, 8)))
    assert found.p == pytest.approx(stats.binomtest(8, 8).pvalue)


def test_texts_without_a_value_are_left_out():
    one, other = np.random.default_rng(3).random((2, 2, 10))
    holed = np.concatenate([one, [[np.nan], [1.0]]], 1)
    assert crossed_difference(holed, np.concatenate([other, [[1.0], [1.0]]], 1)) == crossed_difference(one, other)
    assert math.isnan(crossed_difference(holed[:, -1:], holed[:, -1:]).p)


P = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def rejected(p, alpha):
    """Holm's procedure as he wrote it: step down from the smallest, stop at the first that is not small enough."""
    out = set()
    for step, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        if p[i] * (len(p) - step) > alpha:
            break
        out.add(i)
    return out


@given(P, st.floats(0.001, 0.999))
def test_the_same_comparisons_are_rejected_as_by_stepping_down(p, alpha):
    assert {i for i, adjusted in enumerate(holm(np.array(p))) if adjusted <= alpha} == rejected(p, alpha)


@given(P)
def test_a_p_value_never_gets_smaller_nor_larger_than_one_and_keeps_its_place(p):
    adjusted = holm(np.array(p))
    assert (adjusted >= np.array(p)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()


def test_a_worked_example():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_what_was_not_compared_does_not_count():
    adjusted = holm(np.array([0.02, np.nan, 0.03]))
    assert adjusted[[0, 2]] == pytest.approx([0.04, 0.04])
    assert np.isnan(adjusted[1])
    assert len(holm(np.array([]))) == 0


numbers = st.lists(st.integers(-5, 5), min_size=1, max_size=12).map(np.array)


@given(numbers, numbers)
def test_delta_counts_pairs_that_are_above_less_those_below(ones, others):
    signs = np.sign(ones[:, None] - others[None])
    effect = cliffs_delta(ones, others)
    assert effect.value == pytest.approx(signs.mean())
    assert effect.low <= effect.value + 1e-12
    assert effect.high >= effect.value - 1e-12


@given(numbers, numbers)
def test_swapping_the_groups_turns_value_and_interval_around(ones, others):
    effect, back = cliffs_delta(ones, others), cliffs_delta(others, ones)
    assert (back.value, back.low, back.high) == pytest.approx((-effect.value, -effect.high, -effect.low), abs=1e-12)


def test_nothing_can_be_said_of_an_empty_group_and_no_interval_given_for_one_number():
    assert cliffs_delta(np.array([]), np.ones(3)) is None
    assert cliffs_delta(np.array([2.0]), np.ones(3)) == Estimate(1.0, -1.0, 1.0)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    """500 draws of 40 + 60 normal numbers: with 95 %, below 92 or above 98 has a chance of one in four hundred."""
    generator, truth = np.random.default_rng(1), 0.276326  # 2 Φ(0.5 / √2) − 1
    effects = [cliffs_delta(generator.normal(0.5, 1, 40), generator.normal(0, 1, 60)) for _ in range(500)]
    assert 0.92 <= np.mean([effect.low <= truth <= effect.high for effect in effects]) <= 0.98
