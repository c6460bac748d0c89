import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.maths.stats.effect_size import cliffs_delta
from whyword.maths.stats.estimate import Estimate

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
