import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import comb

from whyword.attribution.lime.strata import SizeStrata


def strata(words, seed=0):
    return SizeStrata(np.r_[0.0, np.arange(1.0, words), 0.0], np.random.default_rng(seed))


@settings(max_examples=30, deadline=None)
@given(words=st.integers(1, 40), rounds=st.lists(st.integers(2, 90), min_size=1, max_size=4), seed=st.integers(0, 99))
def test_as_many_are_drawn_as_asked_for_and_none_twice(words, rounds, seed):
    drawn = strata(words, seed)
    parts = [drawn.draw(count) for count in rounds]
    assert len(drawn.subsets) == min(sum(rounds), 2**words)
    assert len(np.unique(drawn.subsets, axis=0)) == len(drawn.subsets)
    np.testing.assert_array_equal(np.concatenate(parts), drawn.subsets)
    assert drawn.complete == (len(drawn.subsets) == 2**words)


def test_the_whole_text_comes_first_and_the_empty_one_is_there():
    drawn = strata(12).draw(20)
    assert drawn[0].all()
    assert (drawn.sum(1) == 0).sum() == 1


def test_sizes_come_as_often_as_preferred():
    counts = np.bincount(strata(30).draw(400).sum(1), minlength=31)
    expected = np.append(398 * np.arange(30) / 435, 0)
    assert np.abs(counts - expected)[1:30].max() < 1
    assert counts[0] == counts[30] == 1


def test_shares_add_up_to_the_mass_where_everything_is_drawn():
    drawn, mass = strata(5), np.arange(6.0)
    drawn.draw(32)
    share, chance = drawn.shares(mass)
    assert not chance.any()
    np.testing.assert_allclose(np.bincount(drawn.subsets.sum(1), share), mass)


@pytest.mark.parametrize("rounds", [(40,), (12, 10, 18)])
def test_sums_weighted_by_shares_are_right_on_average(rounds):
    words, mass = 8, np.r_[1.0, np.ones(7), 2.0]
    everything = (np.arange(2**words)[:, None] >> np.arange(words) & 1).astype(bool)
    values = np.random.default_rng(5).random(2**words)
    truth = (mass / comb(words, np.arange(words + 1)))[everything.sum(1)] @ values

    def weighted_sum(seed):
        drawn = strata(words, seed)
        for count in rounds:
            drawn.draw(count)
        return drawn.shares(mass)[0] @ values[drawn.subsets @ (1 << np.arange(words))]

    sums = np.array([weighted_sum(seed) for seed in range(150)])
    assert abs(sums.mean() - truth) < 4 * sums.std() / np.sqrt(150)  # false alarms: 1 in 16,000


def test_texts_of_thousands_of_words_are_no_trouble():
    drawn = strata(5000).draw(40)
    assert drawn.shape == (40, 5000)
