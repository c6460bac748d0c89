import math

import numpy as np
import pytest
from scipy import stats

from whyword.maths.stats.crossed_difference import crossed_difference


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
