from dataclasses import replace

import pytest

from whyword.interfaces.method import Phase, Refinement
from whyword.training.optimizer import Training
from whyword.training.stopping import SCHEDULE_EPOCHS, is_over, most_epochs, schedule_epochs

PLATEAU = Training(stopping="plateau")


def phase(epochs=30, **fields):
    return Phase("train", epochs, [], **fields)


def epochs_run(accuracies, settings, at=None):
    """Give the number of epochs after which a phase with these dev accuracies ends, by the rule in plain words."""
    best = since = 0
    for epoch in range(1, len(accuracies) + 1):
        better = accuracies[epoch - 1] > max(accuracies[: epoch - 1], default=-1)
        best, since = (epoch, 0) if better else (best, since + 1)
        if is_over(at or phase(), settings, accuracies[:epoch], since):
            return epoch
    return None


SLOW = [0.51, 0.5, 0.52, 0.54, 0.6, 0.59, 0.56, 0.57, 0.59, 0.62, 0.63, 0.64, 0.69, 0.73]  # a rise that noise hides


def test_a_slow_rise_is_not_taken_for_the_end_where_the_mean_counts():
    assert epochs_run(SLOW, Training()) == 9
    assert epochs_run(SLOW, PLATEAU) is None


def test_a_plateau_ends_when_patience_ends():
    fall = [0.7, 0.8, 0.82, 0.83, 0.84, 0.83, 0.82, 0.81, 0.8]
    assert epochs_run(fall, PLATEAU) == 9 == epochs_run(fall, Training())


def test_epochs_that_fall_back_to_the_level_before_the_best_end_it_and_those_above_do_not():
    start = [0.6, 0.6, 0.9]
    assert epochs_run([*start, 0.5, 0.5], replace(PLATEAU, patience=2)) == 5
    assert epochs_run([*start, 0.8, 0.8], replace(PLATEAU, patience=2)) is None  # 0.8 is above (0.6 + 0.9) / 2
    assert epochs_run([*start, 0.8, 0.8, 0.8, 0.8], replace(PLATEAU, patience=2)) == 6


def test_no_patience_runs_all_epochs():
    flat = [0.5] * 40
    assert epochs_run(flat, replace(PLATEAU, patience=None)) == 30
    assert epochs_run(flat, replace(PLATEAU, patience=None), phase(3)) == 3


@pytest.mark.parametrize("given", [None, 30])
def test_a_schedule_is_run_to_its_end_first_in_ten_epochs_unless_their_number_is_given(given):
    at, settings = phase(run_all_epochs=True), replace(PLATEAU, epochs=given)
    expected = SCHEDULE_EPOCHS if given is None else given
    assert schedule_epochs(at, settings) == expected
    assert epochs_run([0.9, *[0.5] * 40], settings, at) == expected
    assert most_epochs(at, settings) == 30  # a better epoch after the schedule is waited for


def test_a_learning_rate_that_ends_at_zero_ends_the_phase():
    settings = replace(PLATEAU, schedule="linear")
    rising = [i / 40 for i in range(40)]
    assert (schedule_epochs(phase(), settings), most_epochs(phase(), settings)) == (SCHEDULE_EPOCHS, SCHEDULE_EPOCHS)
    assert epochs_run(rising, settings) == SCHEDULE_EPOCHS
    assert schedule_epochs(phase(4), settings) == 4
    assert schedule_epochs(phase(20), replace(settings, epochs=20)) == 20


@pytest.mark.parametrize("schedule", ["constant", "linear"])
def test_papers_keep_the_rule_that_their_records_ran_with(schedule):
    settings = Training(schedule=schedule)
    assert settings.stopping == "best"
    assert (schedule_epochs(phase(), settings), most_epochs(phase(), settings)) == (30, 30)
    assert epochs_run([0.9, *[0.5] * 40], settings) == 5
    assert epochs_run([0.9, *[0.5] * 40], settings, phase(run_all_epochs=True)) == 30


def test_a_refinement_that_runs_all_epochs_runs_all_epochs():
    refinement = Refinement(lambda: iter(()), None, lambda: 0.0, lambda loss: {}, 8)
    at = phase(25, run_all_epochs=True, refinement=refinement)
    assert schedule_epochs(at, PLATEAU) == 25
    assert epochs_run([0.5] * 40, PLATEAU, at) == 25
