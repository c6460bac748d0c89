import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reference.spying import explanation
from whyword.evaluation.top_words import top_words, whole_and_only_top, whole_and_without_top


@given(st.lists(st.integers(0, 3), max_size=9), st.integers(0, 10))
def test_the_top_words_have_the_highest_scores_and_ties_go_to_the_earlier(scores, k):
    e = explanation(" ".join(f"w{i}" for i in range(len(scores))), scores)
    expected = sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:k]
    assert np.flatnonzero(top_words(e, [k])[0]).tolist() == sorted(expected)


@given(st.lists(st.floats(-1, 1), max_size=9))
def test_what_is_left_without_the_top_words_is_all_but_them(scores):
    e = explanation(" ".join(f"w{i}" for i in range(len(scores))), scores)
    without, only = whole_and_without_top(e, [1, 3]), whole_and_only_top(e, [1, 3])
    assert without[0].all()
    assert only[0].all()
    np.testing.assert_array_equal(without[1:], ~only[1:])
