"""Weights that change through training."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.maths.tensors.schedules import rising, staged_decay

PROGRESS = st.floats(0, 1)


def test_the_stages_are_those_of_the_vmask_code():
    middles = [(stage + 0.5) / 10 for stage in range(10)]
    weights = [staged_decay(1.0, 0.109, 10, progress) for progress in middles]
    assert weights == pytest.approx([1.0, 0.901, 0.802, 0.703, 0.604, 0.505, 0.406, 0.307, 0.208, 0.109])


def test_a_stage_starts_where_the_one_before_ends_and_the_last_lasts_to_the_end():
    assert staged_decay(1.0, 0.109, 10, 0.0) == 1.0
    assert staged_decay(1.0, 0.109, 10, 0.0999) == 1.0
    assert staged_decay(1.0, 0.109, 10, 0.1) == pytest.approx(0.901)
    assert staged_decay(1.0, 0.109, 10, 0.9) == pytest.approx(0.109)
    assert staged_decay(1.0, 0.109, 10, 1.0) == pytest.approx(0.109)


@pytest.mark.parametrize("stages", [2, 3, 5, 10, 20])
def test_every_epoch_of_a_training_lies_in_the_stage_whole_numbers_give(stages):
    for epochs in range(1, 121):
        for epoch in range(epochs):
            expected = 1.0 - epoch * stages // epochs / (stages - 1)
            assert staged_decay(1.0, 0.0, stages, epoch / epochs) == pytest.approx(expected, abs=1e-12)


@given(PROGRESS, PROGRESS, st.integers(2, 20), st.floats(0, 5), st.floats(0, 5))
def test_it_never_rises_and_stays_between_start_and_end(first, second, stages, one, other):
    start, end = max(one, other), min(one, other)
    early, late = (staged_decay(start, end, stages, at) for at in sorted((first, second)))
    assert start >= early >= late
    assert late >= end - 1e-12


@given(PROGRESS)
def test_one_stage_is_a_constant(progress):
    assert staged_decay(0.7, 0.1, 1, progress) == 0.7


@given(PROGRESS, st.floats(0, 5))
def test_a_rising_weight_is_a_straight_line_from_zero(progress, end):
    assert rising(end, 0.0) == 0.0
    assert rising(end, 1.0) == end
    assert rising(end, progress) == pytest.approx(end * progress)
