"""One objective's steps: optimizer, schedule, clipping, freezing."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from reference.samples import VOCABULARY, Planned, random_batch, weights
from whyword.encoders.bag import Bag
from whyword.interfaces.method import Objective
from whyword.training.distributed import Processes
from whyword.training.optimizing import ObjectiveOptimizer, schedule_factor
from whyword.training.settings import Training

PLAIN = Training(optimizer="sgd", clip=None)
BATCH = random_batch([3, 2, 4, 1])


def build():
    return Planned(Bag(Bag.Config(dim=4, dropout=0.0), VOCABULARY, 0), lambda _: [])


def step(model, objective, settings=PLAIN, learning_rate=1.0, progress=0.0, share=1.0):
    optimizing = ObjectiveOptimizer(objective, settings, learning_rate)
    return optimizing.step(model, BATCH, progress, share, Processes())


def gradients(model):
    model.zero_grad()
    sum(model.losses(BATCH, 0.0).values()).backward()
    found = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    model.zero_grad()
    return found


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
    made = ObjectiveOptimizer(Objective(model.losses, list(model.parameters()), 0.3), Training(optimizer=name), 0.07)
    expected = kind(model.parameters(), lr=0.07, weight_decay=0.3, fused=True)
    assert type(made.optimizer) is kind
    assert made.optimizer.param_groups == expected.param_groups


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
    optimizing = ObjectiveOptimizer(Objective(model.losses, parameters, weight_decay=0.1), settings, 0.1)
    for _ in range(3):
        optimizing.step(model, BATCH, 0.0, 1.0, Processes())
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
    optimizing = ObjectiveOptimizer(Objective(model.losses, list(model.parameters())), PLAIN, 0.0)
    slope = gradients(model)
    for _ in range(3):  # a learning rate of zero: the gradient stays what it is
        optimizing.step(model, BATCH, 0.0, 1.0, Processes())
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter.grad, slope[name])


def test_an_objective_may_have_a_learning_rate_of_its_own():
    weight = torch.nn.Parameter(torch.ones(1))
    own, shared = (
        ObjectiveOptimizer(Objective(lambda batch, progress: {}, [weight], learning_rate=rate), Training(), 0.5)
        for rate in (0.01, None)
    )
    assert own.optimizer.param_groups[0]["lr"] == 0.01
    assert shared.optimizer.param_groups[0]["lr"] == 0.5
