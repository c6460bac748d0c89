import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.maths.stats.holm import holm

P = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def rejected(p, alpha):
    """Holm's procedure as he wrote it: step down from the smallest, stop at the first that is not small enough."""
    out = set()
    for step, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        if p[i] * (len(p) - step) > alpha:
            break
        out.add(i)
    return out


@given(P, st.floats(0.001, 0.999))
def test_the_same_comparisons_are_rejected_as_by_stepping_down(p, alpha):
    assert {i for i, adjusted in enumerate(holm(np.array(p))) if adjusted <= alpha} == rejected(p, alpha)


@given(P)
def test_a_p_value_never_gets_smaller_nor_larger_than_one_and_keeps_its_place(p):
    adjusted = holm(np.array(p))
    assert (adjusted >= np.array(p)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()


def test_a_worked_example():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_what_was_not_compared_does_not_count():
    adjusted = holm(np.array([0.02, np.nan, 0.03]))
    assert adjusted[[0, 2]] == pytest.approx([0.04, 0.04])
    assert np.isnan(adjusted[1])
    assert len(holm(np.array([]))) == 0
