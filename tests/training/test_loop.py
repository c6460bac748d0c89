"""The training loop: what a plain loop does, in phases and turns, keeping the best weights."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from reference.samples import (
    SETTINGS,
    VOCABULARY,
    Planned,
    attention_on_lstm,
    equal_weights,
    random_batch,
    sample,
    training_run,
    weights,
)
from reference.training import train_plainly
from whyword.encoders.bag import Bag
from whyword.interfaces.errors import OptionError
from whyword.interfaces.method import Objective, Phase
from whyword.training import loop
from whyword.training.loop import Best, DevScore, copy_weights, evaluate
from whyword.training.optimizer import Training

DATA = sample()
BATCHES = 3  # 20 texts, 8 at a time


def planned(plan):
    return Planned(Bag(Bag.Config(dim=4, dropout=0.0), DATA.tokenizer.size, 0), plan)


def objective(model, parameters=None):
    return Objective(model.losses, list(model.parameters()) if parameters is None else parameters)


def script(monkeypatch, accuracies):
    """Let the epochs of the run that is returned score these accuracies on dev, one after another."""
    runs = []
    monkeypatch.setattr(loop, "evaluate", lambda *_: DevScore(accuracies[len(runs[0].history)], -0.5))
    return runs


def epochs_of(run):
    """Train to the end and give the weights after each epoch."""
    return [weights(run.method) for step in run.steps() if step.record is not None]


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("clip", [None, 0.1])
def test_the_loop_is_a_plain_loop_in_torch(dropout, clip):
    settings = replace(SETTINGS, epochs=4, clip=clip)
    torch.manual_seed(1)
    plain = attention_on_lstm(DATA.tokenizer.size, dropout)
    expected = train_plainly(plain, settings, DATA.train, DATA.dev, seed=3)
    torch.manual_seed(1)
    run = training_run(attention_on_lstm(DATA.tokenizer.size, dropout), DATA, settings, seed=3)
    list(run.steps())
    torch.testing.assert_close(weights(run.method), weights(plain), atol=1e-6, rtol=1e-4)
    for record, (loss, accuracy, dev_loss) in zip(run.history, expected, strict=True):
        assert record["losses"]["task"] == pytest.approx(loss, rel=1e-6)
        assert record["dev_accuracy"] == accuracy
        assert record["dev_loss"] == pytest.approx(dev_loss, rel=1e-5)


def test_the_same_seed_trains_the_same_model_and_another_seed_another():
    trained = []
    for seed in (0, 0, 1):
        torch.manual_seed(0)
        run = training_run(attention_on_lstm(DATA.tokenizer.size, 0.3), DATA, seed=seed)
        list(run.steps())
        trained.append(weights(run.method))
    assert equal_weights(trained[0], trained[1])
    assert not equal_weights(trained[0], trained[2])


def test_objectives_take_turns_on_each_batch():
    calls = []

    def plan(model):
        def note(name):
            return lambda batch, progress: (calls.append((name, batch)), model.losses(batch, progress))[1]

        return [
            Phase("turns", 1, [Objective(note("a"), [model.hidden.weight]), Objective(note("b"), [model.hidden.bias])])
        ]

    list(training_run(planned(plan), DATA).steps())
    assert [name for name, _ in calls] == ["a", "b"] * BATCHES
    for (_, first), (_, second) in zip(calls[::2], calls[1::2], strict=True):
        assert first is second


def test_the_second_objective_sees_the_step_of_the_first():
    seen = []

    def plan(model):
        def look(batch, progress):
            seen.append(model.head.linear.weight.detach().clone())
            return model.losses(batch, progress)

        head = list(model.head.parameters())
        return [Phase("turns", 1, [Objective(look, head), Objective(look, [model.hidden.weight])])]

    list(training_run(planned(plan), DATA).steps())
    assert not torch.equal(seen[0], seen[1])
    assert torch.equal(seen[1], seen[2])  # the second moved something else


def test_progress_runs_evenly_through_each_phase():
    progresses = []

    def plan(model):
        def note(batch, progress):
            progresses.append(progress)
            return model.losses(batch, progress)

        return [
            Phase("a", 2, [Objective(note, [model.hidden.weight])]),
            Phase("b", 1, [Objective(note, [model.hidden.weight])]),
        ]

    list(training_run(planned(plan), DATA).steps())
    assert progresses == pytest.approx([i / 6 for i in range(6)] + [i / 3 for i in range(3)])


def test_each_step_names_its_phase_epoch_and_place():
    run = training_run(planned(lambda m: [Phase("a", 2, [objective(m)]), Phase("b", 1, [objective(m)])]), DATA)
    steps = list(run.steps())
    assert [(s.phase, s.epoch, s.step, s.steps) for s in steps] == [
        (phase, epoch, step, BATCHES) for phase, epoch in (("a", 0), ("a", 1), ("b", 0)) for step in (1, 2, 3)
    ]
    assert [s.record is not None for s in steps] == [False, False, True] * 3
    assert [s.tokens for s in steps[2::3]] == [int(DATA.train.lengths.sum())] * 3


def test_every_epoch_leaves_a_record():
    def plan(model):
        def two(batch, progress):
            task = model.losses(batch, progress)["task"]
            return {"task": task, "twice": 2 * task}

        return [Phase("only", 2, [Objective(two, list(model.parameters()))])]

    run = training_run(planned(plan), DATA)
    list(run.steps())
    assert [(r["phase"], r["epoch"]) for r in run.history] == [("only", 1), ("only", 2)]
    for record in run.history:
        assert record["losses"]["twice"] == pytest.approx(2 * record["losses"]["task"])
        assert record["tokens"] == int(DATA.train.lengths.sum())
        assert record["seconds"] > 0


def test_health_is_measured_on_dev_without_dropout_or_gradients():
    method = attention_on_lstm(DATA.tokenizer.size, 0.5)

    def health(batches):
        assert not method.training
        assert torch.is_inference_mode_enabled()
        return {"texts": float(sum(len(batch) for batch in batches))}

    method.health = health
    run = training_run(method, DATA)
    for step in run.steps():
        assert method.training
        if step.record is not None:
            assert step.record["health"] == {"texts": 10.0}
    assert not method.training


@pytest.mark.parametrize(
    ("accuracies", "patience", "epochs", "best"),
    [
        ([0.5, 0.6, 0.7, 0.8], None, 4, 3),
        ([0.5, 0.9, 0.7, 0.8], None, 4, 1),
        ([0.5, 0.9, 0.7, 0.8], 2, 4, 1),
        ([0.5, 0.9, 0.7, 0.8], 1, 3, 1),
        ([0.9, 0.5, 0.5, 0.95], 2, 3, 0),
        ([0.5, 0.5, 0.5, 0.5], 3, 4, 0),
    ],
)
def test_training_stops_when_patience_ends_and_keeps_the_best_weights(monkeypatch, accuracies, patience, epochs, best):
    runs = script(monkeypatch, accuracies)
    runs.append(
        training_run(attention_on_lstm(DATA.tokenizer.size), DATA, replace(SETTINGS, epochs=4, patience=patience))
    )
    after = epochs_of(runs[0])
    assert len(after) == epochs
    assert equal_weights(weights(runs[0].method), after[best])
    assert (runs[0].chosen.epoch, runs[0].chosen.score.accuracy) == (best, accuracies[best])
    marks = [record["best"] for record in runs[0].history]
    assert marks == [score > max(accuracies[:i], default=0) for i, score in enumerate(accuracies[:epochs])]


@pytest.mark.parametrize(
    ("eligible", "accuracies", "final"),
    [
        ((True, True), [0.9, 0.6, 0.5, 0.7], 0),
        ((True, True), [0.5, 0.6, 0.8, 0.7], 2),
        ((True, True), [0.9, 0.6, 0.9, 0.7], 0),
        ((False, True), [0.9, 0.6, 0.5, 0.7], 3),
        ((True, False), [0.5, 0.6, 0.8, 0.7], 1),
        ((False, False), [0.5, 0.6, 0.8, 0.7], 2),
    ],
)
def test_the_final_weights_are_the_best_of_the_phases_that_select(monkeypatch, eligible, accuracies, final):
    runs = script(monkeypatch, accuracies)
    runs.append(
        training_run(
            planned(lambda m: [Phase(n, 2, [objective(m)], s) for n, s in zip("ab", eligible, strict=True)]), DATA
        )
    )
    after = epochs_of(runs[0])
    assert len(after) == 4
    assert equal_weights(weights(runs[0].method), after[final])


def test_patience_starts_again_with_every_phase(monkeypatch):
    accuracies = [0.9, 0.1, 0.1, 0.2, 0.3, 0.4]
    runs = script(monkeypatch, accuracies)
    settings = replace(SETTINGS, patience=2)
    runs.append(training_run(planned(lambda m: [Phase(n, 3, [objective(m)]) for n in "ab"]), DATA, settings))
    assert len(epochs_of(runs[0])) == 6


def test_a_phase_starts_from_the_best_weights_of_the_one_before_with_a_fresh_optimizer(monkeypatch):
    entered = []

    def plan(model):
        def look(batch, progress):
            if progress == 0:
                entered.append(weights(model))
            return model.losses(batch, progress)

        return [Phase(name, 2, [Objective(look, list(model.parameters()))]) for name in "ab"]

    runs = script(monkeypatch, [0.9, 0.1, 0.2, 0.3])
    runs.append(training_run(planned(plan), DATA))
    after, counts = [], []
    for step in runs[0].steps():
        counts.append(next(iter(runs[0].optimizers[0].torch_optimizer.state.values()))["step"].item())
        if step.record is not None:
            after.append(weights(runs[0].method))
    assert equal_weights(entered[1], after[0])
    assert not equal_weights(entered[1], after[1])
    assert counts == [1, 2, 3, 4, 5, 6] * 2


@pytest.mark.parametrize(("start", "final"), [(0.9, 1), (0.1, 3)])
def test_the_weights_that_a_phase_starts_from_are_its_epoch_0_if_it_says_so(monkeypatch, start, final):
    accuracies = [0.5, 0.6, start, 0.7, 0.8]
    runs = script(monkeypatch, accuracies)

    def plan(model):
        return [Phase("a", 2, [objective(model)], False), Phase("b", 2, [objective(model)], start_counts=True)]

    runs.append(training_run(planned(plan), DATA))
    after = epochs_of(runs[0])
    assert [(record["phase"], record["epoch"]) for record in runs[0].history] == [
        *(("a", 1), ("a", 2)),
        *(("b", 0), ("b", 1), ("b", 2)),
    ]
    assert equal_weights(weights(runs[0].method), after[final])
    assert (runs[0].chosen.phase, runs[0].chosen.epoch) == ("b", -1 if final == 1 else 1)


def test_a_phase_may_ask_to_be_run_to_its_end(monkeypatch):
    runs = script(monkeypatch, [0.9, 0.1, 0.2, 0.3])
    plan = lambda m: [Phase("all", 4, [objective(m)], run_all_epochs=True)]  # noqa: E731
    runs.append(training_run(planned(plan), DATA, replace(SETTINGS, patience=1)))
    after = epochs_of(runs[0])
    assert len(after) == 4
    assert equal_weights(weights(runs[0].method), after[0])


def test_a_phase_may_say_how_dev_is_measured():
    always_first = torch.tensor([[1.0, 0.0]])
    measured = lambda batch: always_first.expand(len(batch), 2)  # noqa: E731
    run = training_run(planned(lambda m: [Phase("one", 1, [objective(m)], logits=measured)]), DATA)
    list(run.steps())
    assert run.history[0]["dev_accuracy"] == (DATA.dev.labels == 0).mean()


def test_a_phase_of_no_epochs_is_passed_over():
    run = training_run(planned(lambda m: [Phase("none", 0, [objective(m)]), Phase("one", 1, [objective(m)])]), DATA)
    assert [step.phase for step in run.steps()] == ["one"] * BATCHES


def test_the_learning_rate_is_the_encoders_own_unless_named():
    method = attention_on_lstm(DATA.tokenizer.size)
    assert training_run(method, DATA, Training(learning_rate=None)).learning_rate == method.encoder.learning_rate
    assert training_run(method, DATA, Training(learning_rate=0.3)).learning_rate == 0.3


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_loss_that_is_no_number_ends_the_run_in_one_sentence(value):
    def plan(model):
        broken = lambda batch, progress: {"task": model.losses(batch, progress)["task"] * value}  # noqa: E731
        return [Phase("one", 1, [Objective(broken, list(model.parameters()))])]

    with pytest.raises(OptionError, match=r"The loss 'task' became (nan|inf) in epoch 1: give a smaller training"):
        list(training_run(planned(plan), DATA).steps())


SCORES = st.lists(
    st.builds(DevScore, st.sampled_from([0.5, 0.6, 0.7]), st.sampled_from([-0.1, -0.5, -2.0])), min_size=1, max_size=12
)


def test_accuracy_decides_and_among_equals_the_lower_loss():
    assert DevScore(0.8, -9.0) > DevScore(0.7, -0.1)
    assert DevScore(0.8, -0.3) > DevScore(0.8, -0.4)
    assert not DevScore(0.8, -0.3) > DevScore(0.8, -0.3)


@given(SCORES)
def test_the_best_is_the_first_of_the_highest_and_epochs_since_count_from_there(scores):
    best = Best(scores[0], "p", 0)
    for epoch, score in enumerate(scores[1:], 1):
        best = best.next(score, "p", epoch)
    highest = max(range(len(scores)), key=lambda i: (scores[i].accuracy, scores[i].negative_loss, -i))
    assert (best.epoch, best.score, best.epochs_since_best) == (highest, scores[highest], len(scores) - 1 - highest)


def test_evaluation_counts_every_text_once_whatever_the_batches():
    method = attention_on_lstm(VOCABULARY, dropout=0.5)
    batches = [random_batch([3, 1]), random_batch([4, 2, 2]), random_batch([1])]
    score = evaluate(method, batches, torch.device("cpu"))
    assert method.training  # dropout was off and is on again
    method.eval()
    right, losses = [], []
    for batch in batches:
        for row, label in enumerate(batch.labels):
            probabilities = method(batch).logits[row].softmax(-1).tolist()
            right.append(int(np.argmax(probabilities)) == int(label))
            losses.append(-np.log(probabilities[label]))
    assert score.accuracy == pytest.approx(sum(right) / 6)
    assert score.negative_loss == pytest.approx(-sum(losses) / 6, rel=1e-5)


def test_evaluation_draws_nothing_at_random():
    method = attention_on_lstm(VOCABULARY, dropout=0.5)
    before = torch.get_rng_state()
    evaluate(method, [random_batch([3, 1])], torch.device("cpu"))
    assert torch.equal(torch.get_rng_state(), before)


def test_copied_weights_do_not_follow_the_model():
    method = attention_on_lstm(VOCABULARY)
    copied = copy_weights(method)
    before = method.head.linear.bias.detach().clone()
    with torch.no_grad():
        method.head.linear.bias += 1
    assert torch.equal(copied["head.linear.bias"], before)
    assert copied.keys() == method.state_dict().keys()
