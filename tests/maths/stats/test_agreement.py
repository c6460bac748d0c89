import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from whyword.maths.stats import agreement
from whyword.maths.stats.agreement import kendall_tau_b, overlap

PAIRS = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=30)


@given(PAIRS)
def test_tau_is_that_of_scipy_also_with_ties(pairs):
    one, other = np.array(pairs, dtype=np.float64).T
    with np.errstate(all="ignore"):
        expected = stats.kendalltau(one, other).statistic
    assert kendall_tau_b(one, other) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_long_texts_are_taken_block_by_block(monkeypatch):
    one, other = np.random.default_rng(0).integers(0, 50, (2, 300)).astype(float)
    whole = kendall_tau_b(one, other)
    monkeypatch.setattr(agreement, "BLOCK", 1000)
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
