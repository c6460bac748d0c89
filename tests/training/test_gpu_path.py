"""What a GPU needs, on the same paths on a CPU: precision, parts of a step, batches ahead, losses read seldom."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from reference.samples import SETTINGS, VOCABULARY, Planned, random_batch, sample, training_run, weights
from whyword.data.planted import planted
from whyword.encoders.bag import Bag
from whyword.interfaces.errors import OptionError
from whyword.interfaces.method import Objective, Phase
from whyword.models.config import make_config
from whyword.models.train import train_model
from whyword.storage.atomic import read_snapshot, write_snapshot
from whyword.training.device_batches import ahead, on_device
from whyword.training.optimizer import ObjectiveOptimizer, Processes, Training, buckets

DATA = sample()
PLAIN = Training(optimizer="sgd", clip=None)
BATCH = random_batch([4, 4, 4, 4, 4, 4])
PARTS = [(BATCH.select(torch.tensor(rows)), len(rows) / 6) for rows in ([0, 1, 2], [3, 4], [5])]


def build(seed=0):
    torch.manual_seed(seed)
    return Planned(Bag(Bag.Config(dim=4, dropout=0.0), VOCABULARY, 0), lambda _: [])


def stepped(settings, parts, model=None):
    model = model or build()
    optimizer = ObjectiveOptimizer(Objective(model.losses, list(model.parameters())), settings, 0.1)
    return model, optimizer.step_on(parts, model, 0.0, Processes()), optimizer


def run(**changes):
    torch.manual_seed(0)
    encoder = Bag(Bag.Config(dim=5, dropout=0.0), DATA.tokenizer.size, 0)
    model = Planned(encoder, lambda m: [Phase("joint", 2, [Objective(m.losses, list(m.parameters()))])], dropout=0.0)
    return training_run(model, DATA, replace(SETTINGS, **changes), seed=7)


def finished(training):
    list(training.steps())
    return training


def test_a_step_in_parts_is_the_step_on_the_whole():
    whole, losses, _ = stepped(PLAIN, [(BATCH, 1.0)])
    parts, sums, _ = stepped(PLAIN, PARTS)
    assert losses.keys() == sums.keys()
    for name, loss in losses.items():
        torch.testing.assert_close(sums[name], loss)
    for name, tensor in weights(whole).items():
        torch.testing.assert_close(weights(parts)[name], tensor)
        assert not torch.equal(tensor, weights(build())[name]) or not tensor.requires_grad


def test_a_run_in_parts_ends_as_one_that_takes_whole_batches():
    whole, parts = finished(run()), finished(run(accumulate=3))
    for one, other in zip(whole.history, parts.history, strict=True):
        assert one["dev_loss"] == pytest.approx(other["dev_loss"], abs=1e-4)
        assert one["losses"] == pytest.approx(other["losses"], abs=1e-4)


@pytest.mark.parametrize(("precision", "off"), [("bfloat16", 0.03), ("float16", 0.005)])
def test_lower_precision_is_near_and_weights_stay_float32(precision, off):
    exact, losses, _ = stepped(PLAIN, [(BATCH, 1.0)])
    coarse, near, _ = stepped(replace(PLAIN, precision=precision), [(BATCH, 1.0)])
    for name, loss in losses.items():
        assert float(near[name]) == pytest.approx(float(loss), rel=off)
    for name, tensor in weights(exact).items():
        assert weights(coarse)[name].dtype == torch.float32
        torch.testing.assert_close(weights(coarse)[name], tensor, rtol=0, atol=off)
    assert any(not torch.equal(weights(coarse)[name], tensor) for name, tensor in weights(exact).items())


def test_gradients_too_small_for_float16_arrive_because_losses_are_scaled():
    """Of a loss times 1e-8, gradients in float16 are 0 unless the loss is scaled up first."""

    def moved(precision):
        model = build()
        before = {name: tensor.clone() for name, tensor in weights(model).items()}
        objective = Objective(
            lambda batch, progress: {"task": 1e-8 * model.losses(batch, progress)["task"]}, [*model.parameters()]
        )
        optimizer = ObjectiveOptimizer(objective, replace(PLAIN, precision=precision), 1e7)
        optimizer.step_on([(BATCH, 1.0)], model, 0.0, Processes())
        return {name: tensor - before[name] for name, tensor in weights(model).items()}

    exact, coarse = moved("float32"), moved("float16")
    for name, change in exact.items():
        torch.testing.assert_close(coarse[name], change, rtol=0.02, atol=1e-3)


def test_a_step_that_overflows_is_left_out_and_scales_less():
    model = build()
    objective = Objective(
        lambda batch, progress: {"task": model.losses(batch, progress)["task"] * 1e38}, [*model.parameters()]
    )
    optimizer = ObjectiveOptimizer(objective, replace(PLAIN, precision="float16"), 0.1)
    before, scale = {name: tensor.clone() for name, tensor in weights(model).items()}, optimizer.scaler.get_scale()
    optimizer.step_on([(BATCH, 1.0)], model, 0.0, Processes())
    assert all(torch.equal(tensor, before[name]) for name, tensor in weights(model).items())
    assert optimizer.scaler.get_scale() < scale


def test_a_stopped_run_in_float16_resumes_with_its_scale(tmp_path):
    training = run(precision="float16")
    steps = training.steps()
    next(steps)
    training.optimizers[0].scaler.update(128.0)
    write_snapshot(tmp_path, *training.snapshot())
    resumed = run(precision="float16")
    resumed.restore(*read_snapshot(tmp_path))
    assert resumed.optimizers[0].scaler.get_scale() == 128.0


def test_float16_on_a_processor_is_refused():
    config = make_config({"encoder": "bag", "training": {"precision": "float16"}, "contributions": False})
    with pytest.raises(OptionError, match="float16 is for a GPU"):
        train_model(config, planted("easy,train=20,dev=10,test=0"))


def test_an_lstm_trains_in_bfloat16():
    values = {"encoder": {"name": "lstm", "dim": 8, "hidden": 8}, "contributions": False}
    training = {"epochs": 1, "precision": "bfloat16", "accumulate": 2}
    model = train_model(make_config({**values, "training": training}), planted("easy,train=40,dev=10,test=0"))
    assert np.isfinite(model.history[-1]["dev_loss"])
    assert {tensor.dtype for tensor in model.classifier.method.state_dict().values()} == {torch.float32}


def test_losses_that_are_read_seldom_are_the_same(tmp_path):
    often, seldom = run(), run()
    seldom.read_losses = 1000
    stopped = run()
    stopped.read_losses = 1000
    steps = stopped.steps()
    next(steps)
    write_snapshot(tmp_path, *stopped.snapshot())
    resumed = run()
    resumed.restore(*read_snapshot(tmp_path))
    for one in (finished(seldom), finished(resumed)):
        for first, second in zip(finished(run()).history, one.history, strict=True):
            assert first["losses"] == second["losses"]
            assert first["dev_loss"] == second["dev_loss"]
    assert often.read_losses == 1


def test_a_step_waits_for_no_number():
    """Tensors of the device meta have no values: whatever reads one fails."""
    model = build().to("meta")
    batch = replace(
        BATCH,
        **{name: getattr(BATCH, name).to("meta") for name in ("tokens", "mask", "word_of_token", "segments", "labels")},
    )
    optimizer = ObjectiveOptimizer(Objective(model.losses, list(model.parameters())), Training(), 0.1)
    losses = optimizer.step_on([(batch, 1.0)], model, 0.0, Processes())
    assert {loss.device.type for loss in losses.values()} == {"meta"}
    with pytest.raises(RuntimeError):
        float(next(iter(losses.values())))


def test_batches_made_ahead_are_the_same_in_the_same_order():
    steps = [[(BATCH.select(torch.tensor([number % 6])), 1.0)] for number in range(9)]
    for made, parts in zip(ahead(steps), steps, strict=True):
        assert torch.equal(made[0][0].tokens, parts[0][0].tokens)
    on_meta = list(on_device(steps, torch.device("meta")))
    assert {parts[0][0].tokens.device.type for parts in on_meta} == {"meta"}
    assert len(on_meta) == 9


def test_an_error_in_a_batch_made_ahead_is_told():
    def steps():
        yield PARTS
        raise ValueError("a bad batch")

    made = ahead(steps())
    next(made)
    with pytest.raises(ValueError, match="a bad batch"):
        list(made)


@given(st.lists(st.integers(1, 30), max_size=12), st.integers(1, 40))
def test_buckets_hold_every_gradient_once_in_order(sizes, most):
    gradients = [torch.full((size,), float(number)) for number, size in enumerate(sizes)]
    together = buckets(gradients, most)
    assert [one for bucket in together for one in bucket] == gradients or sum(map(len, together)) == len(gradients)
    assert [int(one[0]) for bucket in together for one in bucket] == list(range(len(sizes)))
    assert all(len(bucket) == 1 or sum(one.numel() for one in bucket) <= most for bucket in together)


def test_gradients_of_other_kinds_do_not_travel_together():
    together = buckets([torch.ones(2), torch.ones(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64)])
    assert [len(bucket) for bucket in together] == [1, 2]
    assert np.unique([str(bucket[0].dtype) for bucket in together]).size == 2
