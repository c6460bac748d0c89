"""One objective's steps: optimizer, schedule, clipping, freezing; in several processes as in one."""

import math
import os
import socket
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from reference.samples import VOCABULARY, Planned, random_batch, weights
from whyword.data.dataset import load_dataset
from whyword.encoders.bag import Bag
from whyword.interfaces.method import Objective
from whyword.models.config import make_config
from whyword.models.folder import load_model
from whyword.models.train import train_model
from whyword.training.optimizer import ObjectiveOptimizer, Processes, Training, schedule_factor

PLAIN = Training(optimizer="sgd", clip=None)
BATCH = random_batch([3, 2, 4, 1])


def build():
    return Planned(Bag(Bag.Config(dim=4, dropout=0.0), VOCABULARY, 0), lambda _: [])


def step(model, objective, settings=PLAIN, learning_rate=1.0, progress=0.0, share=1.0):
    optimizer = ObjectiveOptimizer(objective, settings, learning_rate)
    return optimizer.step(model, BATCH, progress, share, Processes())


def gradients(model):
    model.zero_grad()
    sum(model.losses(BATCH, 0.0).values()).backward()
    grads = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    model.zero_grad()
    return grads


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("adam", torch.optim.Adam),
        ("adamw", torch.optim.AdamW),
        ("adagrad", torch.optim.Adagrad),
        ("sgd", torch.optim.SGD),
    ],
)
def test_the_optimizer_is_the_one_named_with_torchs_own_defaults(name, kind):
    model = build()
    optimizer = ObjectiveOptimizer(
        Objective(model.losses, list(model.parameters()), 0.3), Training(optimizer=name), 0.07
    )
    expected = kind(model.parameters(), lr=0.07, weight_decay=0.3, fused=True)
    assert type(optimizer.torch_optimizer) is kind
    assert optimizer.torch_optimizer.param_groups == expected.param_groups


@given(st.floats(0, 1), st.sampled_from([0.0, 0.1, 0.5]))
def test_schedules_follow_their_closed_forms(progress, warmup):
    for schedule, shape in {
        "constant": lambda rest: 1.0,
        "linear": lambda rest: 1 - rest,
        "cosine": lambda rest: math.cos(math.pi * rest / 2) ** 2,  # the same as (1 + cos(π rest)) / 2
    }.items():
        factor = schedule_factor(Training(schedule=schedule, warmup=warmup), progress)
        expected = progress / warmup if progress < warmup else shape((progress - warmup) / (1 - warmup))
        assert factor == pytest.approx(expected, abs=1e-12)
        assert 0 <= factor <= 1


def test_schedules_rise_to_one_at_the_end_of_warmup_and_fall_to_zero_at_the_end():
    for schedule in ("linear", "cosine"):
        settings = Training(schedule=schedule, warmup=0.2)
        assert schedule_factor(settings, 0.0) == 0
        assert schedule_factor(settings, 0.1) == pytest.approx(0.5)
        assert schedule_factor(settings, 0.2) == 1
        assert schedule_factor(settings, 0.6) == pytest.approx(0.5)
        assert schedule_factor(settings, 1.0) == pytest.approx(0)
    assert schedule_factor(Training(warmup=0.2), 1.0) == 1


def test_a_plain_step_goes_down_the_gradient_of_the_sum_of_all_losses():
    model = build()
    before, slope = weights(model), gradients(model)
    reported = step(
        model,
        Objective(
            lambda b, p: {"a": model.losses(b, p)["task"], "b": 2 * model.losses(b, p)["task"]},
            list(model.parameters()),
        ),
    )
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter, before[name] - 3 * slope[name])
    torch.testing.assert_close(reported["b"], 2 * reported["a"])
    assert not reported["a"].requires_grad


def test_the_schedule_scales_the_step():
    model = build()
    before, slope = weights(model), gradients(model)
    settings = replace(PLAIN, schedule="linear")
    step(model, Objective(model.losses, list(model.parameters())), settings, learning_rate=0.4, progress=0.75)
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter, before[name] - 0.4 * 0.25 * slope[name])


def test_a_part_may_have_its_own_learning_rate_which_the_schedule_scales_too():
    model = build()
    before, slope = weights(model), gradients(model)
    settings = replace(PLAIN, schedule="linear")
    objective = Objective(model.losses, list(model.parameters()), learning_rates=[(model.head, 5.0)])
    step(model, objective, settings, learning_rate=0.4, progress=0.75)
    for name, parameter in model.named_parameters():
        rate = 5.0 if name.startswith("head") else 0.4
        torch.testing.assert_close(parameter, before[name] - rate * 0.25 * slope[name])


def test_a_rate_of_its_own_does_not_train_what_is_not_trained():
    model = build()
    before = weights(model)
    step(model, Objective(model.losses, list(model.encoder.parameters()), learning_rates=[(model.head, 5.0)]))
    for name, parameter in model.head.named_parameters(prefix="head"):
        assert torch.equal(parameter, before[name])


@pytest.mark.parametrize("clip", [1e-3, 0.05, 100.0])
def test_clipping_shortens_long_gradients_and_keeps_their_direction(clip):
    model = build()
    before, slope = weights(model), gradients(model)
    norm = math.sqrt(sum(float(gradient.double().pow(2).sum()) for gradient in slope.values()))
    assert 0.05 < norm < 100
    step(model, Objective(model.losses, list(model.parameters())), replace(PLAIN, clip=clip))
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(before[name] - parameter, slope[name] * min(1, clip / norm), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("optimizer", ["adam", "adamw", "adagrad", "sgd"])
def test_weights_an_objective_does_not_train_stay_bit_identical(optimizer):
    model = build()
    before = weights(model)
    parameters = list(model.hidden.parameters())
    settings = Training(optimizer=optimizer)
    optimizer = ObjectiveOptimizer(Objective(model.losses, parameters, weight_decay=0.1), settings, 0.1)
    for _ in range(3):
        optimizer.step(model, BATCH, 0.0, 1.0, Processes())
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, before[name]) != name.startswith("hidden.")
        assert parameter.requires_grad
        assert (parameter.grad is None) != name.startswith("hidden.")


def test_weights_the_user_froze_stay_frozen():
    model = build()
    model.encoder.embedding.table.weight.requires_grad_(False)
    before = weights(model)
    step(model, Objective(model.losses, list(model.parameters())), replace(PLAIN, optimizer="adam"))
    assert not model.encoder.embedding.table.weight.requires_grad
    assert torch.equal(model.encoder.embedding.table.weight, before["encoder.embedding.table.weight"])
    assert not torch.equal(model.head.linear.weight, before["head.linear.weight"])


def test_frozen_weights_still_pass_gradients_to_those_below_them():
    model = build()
    before = weights(model)
    table = model.encoder.embedding.table.weight
    step(model, Objective(model.losses, [table]))
    assert not torch.equal(table, before["encoder.embedding.table.weight"])


def test_a_process_that_holds_part_of_a_batch_weighs_its_gradient():
    model = build()
    before, slope = weights(model), gradients(model)
    step(model, Objective(model.losses, list(model.parameters())), share=0.25)
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter, before[name] - 0.25 * slope[name])


def test_each_step_starts_from_a_clean_gradient():
    model = build()
    optimizer = ObjectiveOptimizer(Objective(model.losses, list(model.parameters())), PLAIN, 0.0)
    slope = gradients(model)
    for _ in range(3):  # a learning rate of zero: the gradient stays what it is
        optimizer.step(model, BATCH, 0.0, 1.0, Processes())
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter.grad, slope[name])


def test_an_objective_may_have_a_learning_rate_of_its_own():
    weight = torch.nn.Parameter(torch.ones(1))
    own, shared = (
        ObjectiveOptimizer(Objective(lambda batch, progress: {}, [weight], learning_rate=rate), Training(), 0.5)
        for rate in (0.01, None)
    )
    assert own.torch_optimizer.param_groups[0]["lr"] == 0.01
    assert shared.torch_optimizer.param_groups[0]["lr"] == 0.5


DATA = "planted:train=64,dev=20,test=20"
SET = ["method.dropout=0", "encoder.dropout=0", "training.batch_size=16", "encoder.dim=16", "encoder.hidden=16"]


def process(rank, count):
    processes = Processes()
    processes.rank, processes.count = rank, count
    return processes


def test_one_process_alone_is_the_first_of_one(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    alone = Processes()
    assert (alone.rank, alone.count, alone.is_first) == (0, 1, True)
    alone.wait()
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.grad = torch.tensor([1.0, 2.0])
    alone.add_up_gradients([parameter])
    assert parameter.grad.tolist() == [1.0, 2.0]


@given(st.integers(0, 30), st.integers(1, 5))
def test_the_shares_of_a_batch_are_even_and_hold_each_text_once(texts, count):
    batch = np.arange(texts) + 100
    shares = [process(rank, count).share(batch) for rank in range(count)]
    assert sorted(np.concatenate(shares).tolist()) == batch.tolist()
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_two_processes_end_in_the_weights_of_one(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = tmp_path / "two"
    launch = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", str(port), "-m", "whyword"]
    options = [word for assignment in SET for word in ("--set", assignment)]
    train = [
        "train",
        DATA,
        "-o",
        str(place),
        "--device",
        "cpu",
        "--method",
        "attention",
        "--no-contributions",
        "--no-rationales",
        "--epochs",
        "2",
        "--threads",
        "1",
        *options,
    ]
    done = subprocess.run(
        [sys.executable, *launch, *train],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["two"]
    two = load_model(place)
    values = {"training": {"epochs": 2, "batch_size": 16}, "method": {"name": "attention", "dropout": 0.0}}
    values["encoder"] = {"dim": 16, "hidden": 16, "dropout": 0.0}
    one = train_model(make_config(values), load_dataset(DATA))
    assert two.metrics["train_texts"] == 64
    ours, theirs = (model.classifier.method.state_dict() for model in (one, two))
    for name, tensor in ours.items():
        torch.testing.assert_close(theirs[name], tensor, atol=1e-4, rtol=0)
    start = train_model(make_config({**values, "training": {"epochs": 1, "batch_size": 64}}), load_dataset(DATA))
    moved = [not torch.allclose(ours[n], t, atol=1e-3) for n, t in start.classifier.method.state_dict().items()]
    assert any(moved)  # the comparison above could have failed
    for first, second in zip(one.history, two.history, strict=True):
        assert first["dev_loss"] == pytest.approx(second["dev_loss"], abs=1e-4)
