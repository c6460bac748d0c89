"""A run that is killed and taken up again ends as one that was never stopped."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.samples import SETTINGS, Planned, equal_weights, sample, training_run, weights
from whyword.encoders.lstm import Lstm
from whyword.interfaces.method import Objective, Phase
from whyword.storage.atomic import read_snapshot, write_snapshot
from whyword.training import loop
from whyword.training.loop import DevScore

DATA = sample()
STEPS = 12  # two phases of two epochs of three batches
OPTIMIZERS = ["adam", "adamw", "adagrad", "sgd"]


def plan(model):
    head = [*model.hidden.parameters(), *model.head.parameters()]
    return [
        Phase("joint", 2, [Objective(model.losses, list(model.parameters()))], eligible=False),
        Phase(
            "turns", 2, [Objective(model.losses, list(model.encoder.parameters()), 0.01), Objective(model.losses, head)]
        ),
    ]


def start(seed, **changes):
    torch.manual_seed(seed)
    encoder = Lstm(Lstm.Config(dim=5, hidden=4, dropout=0.3), DATA.tokenizer.size, 0)
    return training_run(Planned(encoder, plan, dropout=0.3), DATA, replace(SETTINGS, **changes), seed=7)


def train_with_kills(folder, kills, **changes):
    """Train; at each of these steps throw the run away and go on from its file with a run that began otherwise."""
    run, done = start(0, **changes), 0
    for kill in sorted(kills):
        steps = run.steps()
        for _ in range(kill - done):
            next(steps)
        write_snapshot(folder, *run.snapshot())
        done, run = kill, start(100 + kill, **changes)
        run.restore(*read_snapshot(folder))
    list(run.steps())
    return run


def outcome(run):
    history = [{name: value for name, value in record.items() if name != "seconds"} for record in run.history]
    return history, run.chosen


@pytest.fixture(scope="module", params=OPTIMIZERS)
def unbroken(request):
    run = start(0, optimizer=request.param, schedule="cosine", warmup=0.2)
    list(run.steps())
    return request.param, run


@pytest.mark.parametrize("kill", range(STEPS + 1))
def test_a_run_killed_after_any_step_ends_in_the_same_weights_and_history(tmp_path, unbroken, kill):
    optimizer, whole = unbroken
    run = train_with_kills(tmp_path, [kill], optimizer=optimizer, schedule="cosine", warmup=0.2)
    assert equal_weights(weights(run.method), weights(whole.method))
    assert outcome(run) == outcome(whole)


@settings(max_examples=12)
@given(st.lists(st.integers(0, STEPS), min_size=2, max_size=6), st.sampled_from(OPTIMIZERS))
def test_a_run_killed_again_and_again_ends_the_same(tmp_path_factory, kills, optimizer):
    whole = start(0, optimizer=optimizer)
    list(whole.steps())
    run = train_with_kills(tmp_path_factory.mktemp("run"), kills, optimizer=optimizer)
    assert equal_weights(weights(run.method), weights(whole.method))
    assert outcome(run) == outcome(whole)


@pytest.mark.parametrize("kill", [4, 6, 7, 10])
def test_patience_is_remembered(tmp_path, monkeypatch, kill):
    accuracies = iter([0.9, 0.5, 0.8, 0.6] * 2)
    monkeypatch.setattr(loop, "evaluate", lambda *_: DevScore(next(accuracies), -0.5))
    whole = start(0, patience=1)
    list(whole.steps())
    run = train_with_kills(tmp_path, [kill], patience=1)
    assert equal_weights(weights(run.method), weights(whole.method))
    assert outcome(run) == outcome(whole)


def test_a_snapshot_in_memory_serves_as_well_as_one_in_a_file():
    whole, run = start(0), start(0)
    list(whole.steps())
    torch.manual_seed(0)
    run = start(0)
    steps = run.steps()
    for _ in range(5):
        next(steps)
    tensors, facts = run.snapshot()
    again = start(1)
    again.restore({name: tensor.clone() for name, tensor in tensors.items()}, facts)
    list(again.steps())
    assert equal_weights(weights(again.method), weights(whole.method))


def test_taking_a_snapshot_changes_nothing():
    plain, watched = start(0), None
    list(plain.steps())
    watched = start(0)
    for _ in watched.steps():
        watched.snapshot()
    assert equal_weights(weights(plain.method), weights(watched.method))


def test_a_snapshot_that_calls_the_epochs_since_the_best_stale_resumes_all_the_same(monkeypatch):
    def falling(*_):
        return DevScore(0.5 - 0.1 * len(run.history), -0.5)  # the first epoch stays the best

    monkeypatch.setattr(loop, "evaluate", falling)
    run = start(0)
    steps = run.steps()
    while len(run.history) < 2:
        next(steps)
    tensors, values = run.snapshot()
    values["best"]["stale"] = values["best"].pop("epochs_since_best")
    resumed = start(1)
    resumed.restore(tensors, values)
    assert resumed.best == run.best
    assert resumed.best.epochs_since_best == 1
