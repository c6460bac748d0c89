import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.attribution.shapley.pairs import ComplementaryPairs, hadamard, most_open


def pairs(words, seed=0, each_word=True):
    return ComplementaryPairs(words, np.random.default_rng(seed), each_word)


@given(st.integers(1, 20), st.integers(0, 1000), st.lists(st.integers(0, 40), max_size=4))
def test_no_sub_text_is_drawn_twice(words, seed, counts):
    drawing = pairs(words, seed)
    halves = np.concatenate([drawing.draw(count) for count in [0, *counts]])
    both = np.concatenate([halves, ~halves])
    assert len(np.unique(both, axis=0)) == len(both)


@pytest.mark.parametrize("words", [1, 2, 3, 8, 14])
def test_all_pairs_of_a_short_text_are_drawn_in_the_end(words):
    drawing = pairs(words)
    assert len(drawing.draw(10**6)) == 2 ** (words - 1)
    assert len(drawing.draw(1)) == 0


@pytest.mark.parametrize("words", [6, 20])
def test_the_whole_text_comes_first_and_then_each_word(words):
    halves = pairs(words).draw(words + 1)
    assert halves[0].all()
    smaller = np.minimum(halves[1:].sum(1), words - halves[1:].sum(1))
    assert (smaller == 1).all()
    odd_one = np.where(halves[1:].sum(1)[:, None] == 1, halves[1:], ~halves[1:])
    assert sorted(odd_one.argmax(1)) == list(range(words))


def test_the_words_need_not_come_first():
    halves = pairs(30, each_word=False).draw(40)
    assert halves[0].all()
    assert (np.minimum(halves.sum(1), 30 - halves.sum(1))[1:] > 1).sum() > 25


@pytest.mark.parametrize(("words", "order"), [(15, 16), (20, 20), (40, 40), (45, 48)])
def test_then_any_two_words_are_kept_together_in_half_of_the_pairs(words, order):
    halves = pairs(words).draw(words + 1 + order)[words + 1 :]
    signs = np.where(halves, 1, -1)
    np.testing.assert_array_equal(signs.T @ signs, order * np.eye(words))


@pytest.mark.parametrize(("words", "order", "count"), [(15, 16, 300), (40, 40, 2000)])
def test_every_size_is_drawn_as_often_as_any(words, order, count):
    before = words + 1 + order
    halves = pairs(words).draw(before + count)[before:]
    smaller = np.minimum(halves.sum(1), words - halves.sum(1))
    sizes = np.arange(2, words // 2 + 1)
    expected = np.where(2 * sizes == words, 1, 2) * count / (words - 3)
    counts = np.bincount(smaller, minlength=sizes[-1] + 1)[2:]
    several = sizes > 2  # pairs of size 2 are soon used up
    np.testing.assert_allclose(counts[several], expected[several], rtol=0.25)


def test_every_word_is_kept_about_as_often_as_left_out():
    halves = pairs(25).draw(2026)[26:]
    together = (halves == halves[:, :1]).mean(0)  # as the first word: which half is given does not matter
    assert np.ptp(together[1:]) < 0.1


def test_a_seed_repeats_itself_whatever_the_rounds():
    one = pairs(20, 5).draw(60)
    assert np.array_equal(one, pairs(20, 5).draw(60))
    assert not np.array_equal(one, pairs(20, 6).draw(60))


@pytest.mark.parametrize("least", range(1, 130))
def test_rows_and_columns_are_orthogonal(least):
    matrix = hadamard(least)
    order = len(matrix)
    assert np.isin(matrix, (-1, 1)).all()
    np.testing.assert_array_equal(matrix @ matrix.T, order * np.eye(order))
    np.testing.assert_array_equal(matrix.T @ matrix, order * np.eye(order))


def test_orders_are_the_smallest_that_the_construction_reaches():
    orders = [len(hadamard(least)) for least in range(1, 70)]
    assert sorted(set(orders)) == [1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 44, 48, 60, 64, 68, 72]
    assert all(least <= order for least, order in enumerate(orders, 1))
    assert orders == sorted(orders)


def test_with_a_start_words_whose_rank_is_open_come_first():
    """The first and the last word stand apart; the middle ones are within each other's errors."""
    scores = np.array([0.9, 0.02, 0.021, 0.019, -0.8])
    assert set(most_open(scores)[:3].tolist()) == {1, 2, 3}
    halves = ComplementaryPairs(5, np.random.default_rng(0), start=scores).draw(4)
    assert halves[0].all()
    alone = [np.flatnonzero(half if half.sum() == 1 else ~half).tolist() for half in halves[1:]]
    assert sorted(alone) == [[1], [2], [3]]


def test_scores_of_0_have_an_order_too():
    assert most_open(np.zeros(4)).tolist() == [0, 1, 2, 3]
