"""Krippendorff's alpha against his own examples, and against the matrix of coincidences filled pair by pair."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.maths.stats.agreement import krippendorff_alpha

# Krippendorff (2011): section A has two observers and two values, section C four observers and missing values
TWO_VALUES = ["0100000010", "1110010000"]
MISSING = [
    "123321412...",
    "123322412 5.3".replace(" ", ""),
    ".33323422 51.".replace(" ", ""),
    "1233244125 1.".replace(" ", ""),
]


def table(observers: list[str]) -> np.ndarray:
    values = sorted(set("".join(observers)) - {"."})
    return np.array([[unit.count(value) for value in values] for unit in zip(*observers, strict=True)])


def by_pairs(units: list[list[int]]) -> float | None:
    """Fill the coincidence matrix one pair of values at a time, and compare it with all pairs there are."""
    matrix = np.zeros((4, 4))
    for unit in units:
        for one, other in permutations(range(len(unit)), 2):
            matrix[unit[one], unit[other]] += 1 / (len(unit) - 1)
    totals = matrix.sum(0)
    n = totals.sum()
    expected = (np.outer(totals, totals) - np.diag(totals)) / (n - 1) if n > 1 else matrix
    off = ~np.eye(4, dtype=bool)
    return None if not expected[off].any() else 1 - matrix[off].sum() / expected[off].sum()


@pytest.mark.parametrize(("observers", "alpha"), [(TWO_VALUES, 1 - 19 * 4 / (14 * 6)), (MISSING, 0.743)])
def test_published_examples_come_out(observers, alpha):
    assert krippendorff_alpha(table(observers)) == pytest.approx(alpha, abs=5e-4)


@given(st.lists(st.lists(st.integers(0, 3), max_size=5), max_size=8))
def test_the_closed_form_is_what_pairs_give(units):
    counts = np.array([[unit.count(value) for value in range(4)] for unit in units], dtype=np.int64).reshape(-1, 4)
    assert krippendorff_alpha(counts) == pytest.approx(by_pairs(units))


def test_perfect_agreement_is_one_and_what_cannot_be_told_is_none():
    assert krippendorff_alpha(np.array([[2, 0], [0, 3]])) == 1
    assert krippendorff_alpha(np.array([[2, 0], [5, 0]])) is None, "no value but one was ever given"
    assert krippendorff_alpha(np.array([[1, 0], [0, 1]])) is None, "nobody judged what another judged"
    assert krippendorff_alpha(np.zeros((0, 2))) is None
