import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from whyword.attribution.rounds import TOLERANCE, converged

SCORES = st.lists(st.floats(-1, 1), min_size=1, max_size=12)


def test_two_words_are_converged_with_the_chance_of_the_normal_distribution():
    confidence, tied = converged(np.array([0.3, 0.1]), np.array([0.03, 0.04]), 1, 0.95)
    assert confidence == pytest.approx(norm.cdf((0.2 + TOLERANCE * 0.3) / 0.05))
    assert not tied.any()


def test_chances_to_be_wrong_add_up_over_pairs_inside_and_outside():
    scores, error = np.array([0.5, 0.4, 0.2, 0.1]), np.full(4, 0.06)
    slack = TOLERANCE * 0.5
    gaps = np.array([0.3, 0.4, 0.2, 0.3]) + slack
    expected = 1 - norm.sf(gaps / np.hypot(0.06, 0.06)).sum()
    assert converged(scores, error, 2, 0.95)[0] == pytest.approx(expected)


def test_words_at_the_border_are_tied_and_those_far_from_it_are_not():
    confidence, tied = converged(np.array([0.9, 0.31, 0.3, -0.5]), np.full(4, 0.05), 2, 0.95)
    assert tied.tolist() == [False, True, True, False]
    assert confidence < 0.95


def test_exact_scores_are_converged_and_equal_ones_are_tied():
    confidence, tied = converged(np.array([0.5, 0.2, 0.2, 0.0]), np.zeros(4), 2, 0.95)
    assert confidence == 1
    assert tied.tolist() == [False, True, True, False]


def test_a_gap_within_the_tolerance_is_converged_as_a_tie():
    scores = np.array([1.0, 0.5 + TOLERANCE / 2, 0.5])
    confidence, tied = converged(scores, np.full(3, TOLERANCE / 10), 2, 0.95)
    assert confidence > 0.95
    assert tied.tolist() == [False, True, True]


@pytest.mark.parametrize("top", [5, 9])
def test_with_no_word_outside_all_is_converged(top):
    confidence, tied = converged(np.arange(5.0), np.full(5, 10.0), top, 0.95)
    assert confidence == 1
    assert not tied.any()


def test_words_without_effect_are_converged_as_ties():
    confidence, tied = converged(np.zeros(7), np.zeros(7), 5, 0.95)
    assert confidence == 1
    assert tied.all()


@given(SCORES, st.integers(1, 6), st.floats(0.001, 0.5))
def test_more_certain_scores_are_never_less_converged(scores, top, error):
    values, errors = np.array(scores), np.full(len(scores), error)
    sure, tied_sure = converged(values, errors / 2, top, 0.95)
    unsure, tied_unsure = converged(values, errors, top, 0.95)
    assert 0 <= unsure <= sure + 1e-12 <= 1 + 1e-12
    assert not (tied_sure & ~tied_unsure).any()


def test_the_confidence_holds():
    """Over 2,000 draws of noisy scores, the top is right at least as often as claimed when it is claimed at 0.9."""
    truth = np.linspace(0.5, -0.2, 12)
    generator = np.random.default_rng(0)
    claimed = right = 0
    for _ in range(2000):
        drawn = generator.normal(truth, 0.035)
        if converged(drawn, np.full(12, 0.035), 3, 0.9)[0] >= 0.9:
            claimed += 1
            right += set(np.argsort(-drawn)[:3]) == {0, 1, 2}
    assert claimed > 100
    assert right / claimed > 0.9
