import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import mutual_info_score

from whyword.maths.stats import correlation
from whyword.maths.stats.correlation import (
    entropy,
    joint_counts,
    kendall_tau_b,
    matthews,
    mutual_information,
    overlap,
    pearson,
    pearson_interval,
    spearman,
    spearman_interval,
)

PAIRS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=4, max_size=30)


@settings(max_examples=50)
@given(PAIRS)
def test_both_coefficients_are_those_of_scipy_also_with_ties(pairs):
    x, y = np.array(pairs, dtype=np.float64).T
    assume(np.ptp(x) > 0)
    assume(np.ptp(y) > 0)
    assert pearson(x, y).value == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    assert spearman(x, y).value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)


@settings(max_examples=50)
@given(PAIRS)
def test_swapping_keeps_a_coefficient_and_turning_one_side_round_turns_its_sign(pairs):
    x, y = np.array(pairs, dtype=np.float64).T
    assume(np.ptp(x) > 0)
    assume(np.ptp(y) > 0)
    for measure in (pearson, spearman):
        found, swapped, turned = measure(x, y), measure(y, x), measure(x, -y)
        assert swapped.value == pytest.approx(found.value, abs=1e-9)
        assert (turned.value, turned.low, turned.high) == pytest.approx(
            (-found.value, -found.high, -found.low), abs=1e-9
        )
        assert -1 <= found.low <= found.value <= found.high <= 1


@pytest.mark.parametrize("n", [4, 10, 500])
def test_the_interval_of_pearson_is_the_one_of_scipy(n):
    x, y = np.random.default_rng(n).normal(size=(2, n))
    expected = stats.pearsonr(x, y).confidence_interval(0.95)
    assert pearson_interval(stats.pearsonr(x, y).statistic, n) == pytest.approx((expected.low, expected.high))


def test_the_interval_of_spearman_is_wider_by_the_factor_of_bonett_and_wright():
    narrow, wide = (
        math.atanh(interval(0.6, 50)[1]) - math.atanh(0.6) for interval in (pearson_interval, spearman_interval)
    )
    assert wide / narrow == pytest.approx(math.sqrt(1 + 0.6**2 / 2))


@pytest.mark.parametrize("interval", [pearson_interval, spearman_interval])
def test_three_pairs_tell_nothing_and_a_perfect_relation_has_no_width(interval):
    assert interval(0.4, 3) == (-1.0, 1.0)
    assert interval(1.0, 9) == (1.0, 1.0)
    assert interval(-1.0, 9) == (-1.0, -1.0)


@pytest.mark.parametrize("measure", [pearson, spearman])
def test_what_does_not_vary_has_no_correlation(measure):
    assert measure(np.full(5, 0.1), np.arange(5)) is None
    assert measure(np.arange(5), np.full(5, 0.1)) is None
    assert measure(np.array([1.0]), np.array([2.0])) is None


@pytest.mark.parametrize("strength", [0.0, 0.5])
def test_nineteen_of_twenty_intervals_hold_the_truth(strength):
    """False alarms: 1,000 draws have a standard deviation of 0.7 %, so 3 % is 4.3 of them, 2 in 100,000."""
    generator = np.random.default_rng(1)
    held = np.zeros(2)
    truths = strength, 6 / math.pi * math.asin(strength / 2)  # of bivariate normal pairs
    for _ in range(1000):
        x, noise = generator.normal(size=(2, 30))
        y = strength * x + math.sqrt(1 - strength**2) * noise
        for i, measure in enumerate((pearson, spearman)):
            found = measure(x, y)
            held[i] += found.low <= truths[i] <= found.high
    assert held / 1000 == pytest.approx([0.95, 0.95], abs=0.03)


def test_frequencies_as_skewed_as_those_of_words_raise_no_more_false_alarms():
    """Shuffled scores are unrelated to frequency; false alarms of the test itself: as above."""
    generator = np.random.default_rng(2)
    frequencies = 5000 // np.arange(1, 2001)  # Zipf's law
    scores = generator.random(2000)
    found = [pearson(frequencies, generator.permutation(scores)) for _ in range(1000)]
    assert np.mean([r.low <= 0 <= r.high for r in found]) == pytest.approx(0.95, abs=0.03)


RANKINGS = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=30)


@given(RANKINGS)
def test_tau_is_that_of_scipy_also_with_ties(pairs):
    one, other = np.array(pairs, dtype=np.float64).T
    with np.errstate(all="ignore"):
        expected = stats.kendalltau(one, other).statistic
    assert kendall_tau_b(one, other) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_long_texts_are_taken_block_by_block(monkeypatch):
    one, other = np.random.default_rng(0).integers(0, 50, (2, 300)).astype(float)
    whole = kendall_tau_b(one, other)
    monkeypatch.setattr(correlation, "MOST_PAIRS_AT_ONCE", 1000)
    assert kendall_tau_b(one, other) == whole


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=20, unique=True))
def test_an_order_agrees_with_itself_and_is_the_opposite_of_its_reverse(scores):
    scores = np.array(scores) / 1000
    assert kendall_tau_b(scores, scores) == 1
    assert kendall_tau_b(scores, -scores) == -1


def test_what_does_not_vary_has_no_order():
    for one in (np.empty(0), np.ones(1), np.full(4, 0.2)):
        assert np.isnan(kendall_tau_b(one, np.arange(len(one), dtype=float)))


def test_overlap_is_the_share_of_common_marks():
    one, other = np.array([True, True, False, False]), np.array([False, True, True, False])
    assert overlap(one, other) == 0.5
    assert overlap(one, one) == 1
    assert np.isnan(overlap(np.zeros(3, dtype=bool), np.zeros(3, dtype=bool)))


GENERATOR = np.random.default_rng(0)


def test_entropy_of_equal_shares_is_the_logarithm_of_their_number():
    assert entropy(np.array([3, 3, 3, 3, 0])) == pytest.approx(math.log(4))
    assert entropy(np.array([7, 0])) == 0.0


def test_identical_variables_tell_each_other_everything():
    words = GENERATOR.integers(0, 9, 500)
    assert mutual_information(joint_counts(words, words)) == pytest.approx(entropy(np.bincount(words)))
    renamed = GENERATOR.permutation(9)[words]
    assert mutual_information(joint_counts(words, renamed)) == pytest.approx(entropy(np.bincount(words)))


def test_independent_variables_tell_each_other_nothing():
    assert mutual_information(np.outer([1, 2, 3], [4, 5, 6, 0])) == pytest.approx(0.0, abs=1e-12)


def test_it_is_that_of_scikit_learn_and_the_counts_are_joint():
    one, other = GENERATOR.integers(0, 5, 300), GENERATOR.integers(0, 7, 300)
    joint = joint_counts(one, other)
    assert joint.shape == (5, 7)
    assert all(joint[a, b] == ((one == a) & (other == b)).sum() for a in range(5) for b in range(7))
    assert mutual_information(joint) == pytest.approx(mutual_info_score(one, other))


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_matthews_correlation_is_that_of_scikit_learn(classes):
    from sklearn.metrics import matthews_corrcoef

    generator = np.random.default_rng(classes)
    gold = generator.integers(classes, size=60)
    said = np.where(generator.random(60) < 0.6, gold, generator.integers(classes, size=60))
    assert matthews(said.tolist(), gold.tolist()) == pytest.approx(matthews_corrcoef(gold, said))
    assert matthews([0] * 60, gold.tolist()) == 0.0
    assert matthews(gold.tolist(), gold.tolist()) == pytest.approx(1.0)
