import numpy as np
import pytest
from scipy import stats

from whyword.maths.stats.proportions import share_difference_interval, share_interval


@pytest.mark.parametrize(("ones", "count"), [(0, 1), (3, 30), (30, 30), (250, 500)])
def test_the_interval_of_a_share_is_wilsons(ones, count):
    expected = stats.binomtest(ones, count).proportion_ci(method="wilson")
    assert share_interval(ones, count) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize("share", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("count", [30, 100])
def test_intervals_of_shares_hold_the_truth_as_often_as_they_say(share, count):
    chance = stats.binom.pmf(np.arange(count + 1), count, share)
    held = [low <= share <= high for low, high in (share_interval(ones, count) for ones in range(count + 1))]
    assert 0.925 < chance @ held < 0.98  # exact; a share of few texts can only take few values


@pytest.mark.parametrize(("up", "down"), [(0.3, 0.05), (0.1, 0.1), (0.6, 0.02)])
@pytest.mark.parametrize("count", [30, 200])
def test_intervals_of_paired_differences_hold_the_truth_as_often_as_they_say(up, down, count):
    """False alarms: 4,000 draws have a standard deviation of 0.35 %, so 2 % is 5 of them."""
    drawn = np.random.default_rng(0).multinomial(count, [up, down, 1 - up - down], size=4_000)
    held = [low <= up - down <= high for low, high in (share_difference_interval(*row[:2], count) for row in drawn)]
    assert np.mean(held) == pytest.approx(0.95, abs=0.022)


def test_texts_that_all_agree_do_not_make_a_share_certain():
    assert share_interval(30, 30)[0] == pytest.approx(1 / (1 + 1.96**2 / 30), abs=1e-3)
    low, high = share_difference_interval(0, 0, 30)
    assert low == -high < 0


def test_turning_the_signs_round_turns_the_interval_round():
    low, high = share_difference_interval(7, 2, 40)
    assert share_difference_interval(2, 7, 40) == pytest.approx((-high, -low))
