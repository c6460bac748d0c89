import pytest
import torch

from reference.samples import SETTINGS, attention_on_lstm, equal_weights, sample, training_run, weights
from whyword.training import timing
from whyword.training.timing import (
    Timing,
    choose_threads,
    estimate_seconds,
    fewest_that_help,
    time_steps,
    using_threads,
)

DATA = sample()


def test_timed_steps_leave_no_trace_in_the_run():
    torch.manual_seed(1)
    plain = training_run(attention_on_lstm(DATA.tokenizer.size), DATA, SETTINGS)
    torch.manual_seed(2)
    list(plain.steps())
    torch.manual_seed(1)
    timed = training_run(attention_on_lstm(DATA.tokenizer.size), DATA, SETTINGS)
    torch.manual_seed(2)
    measured = time_steps(timed, (1, 2))
    assert torch.get_num_threads() == 1
    assert measured.threads in (1, 2)
    assert measured.step > 0
    assert measured.forward > 0
    assert timed.history == []
    list(timed.steps())
    assert equal_weights(weights(timed.method), weights(plain.method))
    for record in (*timed.history, *plain.history):
        record.pop("seconds")
    assert timed.history == plain.history


@pytest.mark.parametrize(
    ("seconds", "threads"), [({1: 1.0, 4: 0.9}, 1), ({1: 1.0, 4: 0.8}, 4), ({1: 1.0, 4: 3.0}, 1), ({4: 1.0}, 4)]
)
def test_more_threads_are_used_only_where_they_are_a_fifth_faster(seconds, threads):
    assert fewest_that_help(seconds) == threads


def test_the_number_of_threads_is_measured_only_where_there_is_a_choice(monkeypatch):
    run = training_run(attention_on_lstm(DATA.tokenizer.size), DATA, SETTINGS)
    asked = []
    monkeypatch.setattr(timing, "time_steps", lambda run, threads: asked.append(threads) or Timing(2, 1.0, 1.0))
    assert choose_threads(run) == 1
    with using_threads(2):
        assert choose_threads(run) == 2
    assert asked == [(1, 2)]
    assert torch.get_num_threads() == 1


def test_an_estimate_counts_the_tokens_of_all_epochs_and_of_dev():
    run = training_run(attention_on_lstm(DATA.tokenizer.size), DATA, SETTINGS)
    tokens, dev = int(DATA.train.lengths.sum()), int(DATA.dev.lengths.sum())
    expected = SETTINGS.epochs * (3.0 * tokens + 2.0 * dev)
    assert estimate_seconds(run, Timing(1, 3.0, 2.0), run.plan) == pytest.approx(expected)
