"""Where texts longer than an encoder's limit are cut."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.data.windows import EDGE, OVERLAP, cut
from whyword.interfaces.document import Tokens, Words

COUNTS = st.lists(st.integers(0, 5) | st.just(30), min_size=1, max_size=60)  # some words are longer than any window


def windows(room, *counts):
    """Cut a text, or a pair, whose words have so many tokens."""
    words = Words(("",) * len(counts), tuple(((0, 0),) * len(part) for part in counts))
    word = np.repeat(np.arange(len(words)), np.concatenate(counts).astype(int))
    ids = np.zeros(len(word), dtype=np.int64)
    return cut(words, Tokens(ids, word, ids, len(words)), room + EDGE)


def test_windows_are_full_and_overlap_by_a_quarter():
    assert [(w[0], w[-1]) for w in windows(12, [1] * 30)] == [(0, 11), (9, 20), (18, 29)]
    assert [(w[0], w[-1]) for w in windows(12, [2] * 15)] == [(0, 5), (5, 10), (9, 14)]


def test_the_last_window_is_as_full_as_the_others():
    assert [(w[0], w[-1]) for w in windows(12, [1] * 13)] == [(0, 11), (1, 12)]


def test_a_word_longer_than_a_window_is_alone_in_one():
    assert [w.tolist() for w in windows(4, [1, 1, 1, 90, 1, 1])] == [[0, 1, 2], [3], [4, 5]]
    assert [w.tolist() for w in windows(4, [90])] == [[0]]


def test_the_shorter_text_of_a_pair_stays_whole():
    found = windows(12, [1] * 4, [1] * 20)
    assert [w.tolist()[:4] for w in found] == [[0, 1, 2, 3]] * len(found)
    assert [(w[4], w[-1]) for w in found] == [(4, 11), (10, 17), (16, 23)]
    swapped = windows(12, [1] * 20, [1] * 4)
    assert [(w[0], w[-5]) for w in swapped] == [(0, 7), (6, 13), (12, 19)]
    assert [w.tolist()[-4:] for w in swapped] == [[20, 21, 22, 23]] * 3


def test_two_long_texts_are_each_read_beside_the_beginning_of_the_other():
    found = [w.tolist() for w in windows(8, [1] * 7, [1] * 6)]
    start, pair_start = [0, 1, 2, 3], [7, 8, 9, 10]
    assert found == [start + pair_start, [3, 4, 5, 6, *pair_start], [*start, 9, 10, 11, 12]]


def test_an_empty_text_beside_a_long_one_is_no_obstacle():
    assert [w.tolist() for w in windows(4, [], [1] * 6)] == [[0, 1, 2, 3], [2, 3, 4, 5]]


@given(st.lists(COUNTS, min_size=1, max_size=2), st.integers(-3, 25))
def test_every_word_is_in_a_window_no_window_is_in_another_and_none_is_too_full(counts, room):
    found = windows(room, *counts)
    sizes = np.concatenate(counts)
    assert sorted(set(np.concatenate(found).tolist())) == list(range(len(sizes)))
    for window in found:
        parts = [window[window < len(counts[0])], window[window >= len(counts[0])]]
        for part in parts:
            assert (np.diff(part) == 1).all()
        fits = sizes[window].sum() <= max(room, 2)
        assert fits or any(len(part) == 1 and sizes[part].sum() > room // 2 - 1 for part in parts)
    held = [set(window.tolist()) for window in found]
    assert not any(one < other for one in held for other in held)
    assert len(found) <= sum(map(len, counts))


@given(COUNTS.map(lambda counts: [min(count, 5) for count in counts]))
def test_neighboring_windows_share_words_where_words_are_short(counts):
    found = windows(40, counts)
    for one, other in pairwise(found):
        shared = np.array(counts)[np.intersect1d(one, other)].sum()
        assert shared > OVERLAP * 40 - 5


def test_tokens_of_no_word_count_with_the_word_before():
    word = np.array([-1, 0, -1, 1, -1, 2, -1, 3, -1])
    tokens = Tokens(np.zeros_like(word), word, np.zeros_like(word), 4)
    words = Words(("",), (((0, 0),) * 4,))
    assert [w.tolist() for w in cut(words, tokens, 4 + EDGE)] == [[0, 1], [2, 3]]


@pytest.mark.parametrize("words", [0, 1])
def test_a_text_of_hardly_any_words_has_one_window(words):
    assert len(windows(3, [9] * words)) == 1
