from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from whyword.maths.stats.comparisons import cliffs_delta
from whyword.maths.stats.correlation import kendall_tau_b, spearman
from whyword.maths.stats.ties import LARGEST, OWN, ranking, settled, tied_ranks, tolerance

LEVELS = st.lists(st.integers(-20, 20), max_size=30).map(lambda levels: np.array([20, *levels], dtype=np.float64))
DENSE = arrays(
    np.float64, st.integers(1, 40), elements=st.integers(-60, 60).map(lambda n: (1 if n > 0 else -0.01) + n * OWN / 7)
)


def wobbling(levels: np.ndarray, seed: int) -> np.ndarray:
    """Give scores of these levels with digits that are rounding: within 0.8 tolerances for the same level."""
    noise = np.random.default_rng(seed).uniform(-0.4, 0.4, len(levels))
    return levels + noise * np.maximum(OWN * abs(levels), LARGEST * abs(levels).max())


def allowed(one: np.ndarray, other: np.ndarray, scores: np.ndarray) -> np.ndarray:
    return np.maximum(OWN * np.maximum(abs(one), abs(other)), tolerance(scores))


def literal_groups(run: list[float], scores: np.ndarray) -> list[list[float]]:
    """Cut falling scores at their widest gaps until none spans more than is allowed."""
    if run[0] - run[-1] <= allowed(run[0], run[-1], scores):
        return [run]
    gaps = [one - other for one, other in pairwise(run)]
    groups, start = [], 0
    for place in [i + 1 for i, gap in enumerate(gaps) if gap == max(gaps)] + [len(run)]:
        groups += literal_groups(run[start:place], scores)
        start = place
    return groups


@given(LEVELS, st.integers(0, 99))
def test_rounding_changes_neither_ranks_nor_ranking(levels, seed):
    scores = wobbling(levels, seed)
    assert tied_ranks(scores).tolist() == np.unique(-levels, return_inverse=True)[1].tolist()
    assert ranking(scores).tolist() == np.argsort(-levels, kind="stable").tolist()


@given(DENSE)
def test_dense_scores_are_cut_at_their_widest_gaps(scores):
    groups = literal_groups(sorted(scores.tolist(), reverse=True), scores)
    expected = {score: rank for rank, group in enumerate(groups) for score in group}
    assert tied_ranks(scores).tolist() == [expected[score] for score in scores.tolist()]


@given(DENSE)
def test_no_two_ties_are_further_apart_than_the_tolerance_and_no_order_is_turned_round(scores):
    ranks = tied_ranks(scores)
    apart = scores[:, None] - scores
    bound = allowed(scores[:, None], scores, scores)
    assert (apart <= bound)[ranks[:, None] == ranks].all()
    assert (ranks[:, None] < ranks)[apart > bound].all()
    assert (apart[ranks[:, None] < ranks] > 0).all()


def test_many_scores_between_two_do_not_make_them_equal():
    scores = np.linspace(1.0, 1.1, 100_000)  # neighbors are 1e-6 apart
    ranks = tied_ranks(scores)
    assert ranks[0] == ranks.max() > 0.1 / OWN / 1.1
    assert (np.diff(ranks) <= 0).all()


def test_small_weights_beside_a_large_one_keep_their_order():
    assert tied_ranks(np.array([1e-6, 0.99, 3e-6, 2e-6])).tolist() == [3, 0, 1, 2]


def test_a_resolution_ties_small_differences_of_large_numbers():
    scores = np.array([1e-6, 3e-6, 1.1e-6])
    assert tied_ranks(scores).tolist() == [2, 0, 1]
    assert tied_ranks(scores, 5e-7).tolist() == [1, 0, 1]


def test_what_is_no_number_comes_last():
    scores = np.array([np.nan, 1.0, np.inf, -np.inf, 1.0 + 1e-9, np.nan, np.inf])
    assert tied_ranks(scores).tolist() == [3, 1, 0, 2, 1, 3, 0]
    assert tied_ranks(np.empty(0)).tolist() == []


@given(LEVELS, st.integers(0, 99))
def test_correlations_and_effects_do_not_hang_on_rounding(levels, seed):
    one, other = wobbling(levels, seed), wobbling(levels, seed + 1)
    if np.ptp(levels):
        assert kendall_tau_b(one, other) == 1
        assert spearman(one, other).value == pytest.approx(1)
    else:
        assert np.isnan(kendall_tau_b(one, other))
        assert spearman(one, other) is None
    mixed = wobbling(np.concatenate([levels, levels]), seed)
    assert cliffs_delta(*np.split(mixed, 2)).value == pytest.approx(0, abs=1e-12)


def test_what_equals_its_reference_up_to_rounding_becomes_it():
    reference = np.array([0.5, 0.0, -1.0, np.nan])
    values = np.array([0.5 + 4e-5, -9e-7, -1.0 - 2e-4, 0.0])
    assert settled(values, reference).tolist() == [0.5, 0.0, -1.0 - 2e-4, 0.0]


def test_a_model_of_large_scores_does_not_settle_one_of_small_scores():
    small, large = np.array([1e-3, 2e-3]), np.array([1.1e-3, 1e4])
    assert settled(small, large).tolist() == small.tolist()
    assert settled(large, small).tolist() == large.tolist()
