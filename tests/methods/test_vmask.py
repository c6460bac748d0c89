"""Variational word masks, against the plain classifier and loops over single tokens."""

import math
import re
from dataclasses import fields, replace

import pytest
import torch
from torch.nn.functional import cross_entropy

from reference.samples import SETTINGS, equal_weights, fitted, random_batch, sample, training_run, weights
from reference.word_masks import (
    KINDS,
    batch_for,
    distance_from_coin,
    force,
    gate_outputs,
    sigmoid,
    small_encoder,
    vectors_read,
)
from whyword.data.planted import planted
from whyword.data.tokenizers.word_level import learn_vocabulary
from whyword.encoders.lstm import Lstm
from whyword.explainers.own import Own
from whyword.methods.base import Base
from whyword.methods.vmask import Vmask

DATA = sample()


def build(kind="bag", **settings):
    return Vmask(small_encoder(kind), 2, Vmask.Config(width=5, dropout=0.0, **settings))


def plain(model):
    """The plain classifier with the same weights."""
    base = Base(model.encoder, 2, Base.Config(dropout=0.0))
    base.head.load_state_dict(model.head.state_dict())
    return base.eval()


def sampled(model, batch):
    return model.classify_sampled(model.encoder.embed(batch), batch)


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_gates_forced_open_give_the_plain_classifier_to_the_bit(kind, special):
    model, batch = build(kind, gate_special=special).eval(), batch_for(kind)
    force(model.gate, 40.0)
    expected = plain(model)(batch).logits
    assert torch.equal(model(batch).logits, expected)
    assert torch.equal(sampled(model, batch)[0].logits, expected)
    model.train()
    assert torch.equal(sampled(model, batch)[0].logits, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_gates_forced_shut_give_the_prediction_of_zero_vectors(kind):
    model, batch = build(kind).eval(), batch_for(kind)
    force(model.gate, -200.0)
    nothing = model.encoder.embed(batch).masked_fill(batch.is_word.unsqueeze(-1), 0.0)
    expected = plain(model).classify(nothing, batch).logits
    torch.testing.assert_close(model(batch).logits, expected)
    torch.testing.assert_close(sampled(model, batch)[0].logits, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_after_training_vectors_are_multiplied_by_the_keep_probability(kind):
    model, batch = build(kind).double().eval(), batch_for(kind)
    keep = torch.tensor(gate_outputs(model, batch, whole_words=kind == "pieces"), dtype=torch.float64).sigmoid()
    torch.testing.assert_close(model(batch).token_weights, keep)
    embedded = model.encoder.embed(batch)
    read = vectors_read(model, lambda: model(batch))
    for row, words in enumerate(batch.word_of_token.tolist()):
        for time, word in enumerate(words):
            expected = embedded[row, time] * (keep[row, time] if word >= 0 else 1.0)
            torch.testing.assert_close(read[row, time], expected)


@pytest.mark.parametrize("draw", [False, True])
@pytest.mark.parametrize("special", [False, True])
def test_padding_is_never_gated_and_special_tokens_only_when_asked(special, draw):
    model, batch = build("pieces", gate_special=special), batch_for("pieces")
    force(model.gate, -200.0)
    embedded = model.encoder.embed(batch)
    read = vectors_read(model, lambda: sampled(model, batch) if draw else model(batch))
    shut = batch.mask if special else batch.is_word
    assert torch.equal(read[~shut], embedded[~shut])
    assert (read[shut] == 0).all()
    assert (embedded != 0).any(-1).all()


@pytest.mark.parametrize("per", ["word", "piece"])
def test_all_pieces_of_a_word_share_one_gate_unless_pieces_are_asked_for(per):
    model, batch = build("pieces", per=per), batch_for("pieces")
    embedded, keep = model.encoder.embed(batch), model(batch).token_weights
    draws = []
    for _ in range(40):
        read = vectors_read(model, lambda: sampled(model, batch))
        gates = (read != 0).any(-1)
        assert torch.equal(read, embedded * gates.unsqueeze(-1))
        draws.append(gates)
    for row, words in enumerate(batch.word_of_token.tolist()):
        for word in {w for w in words if words.count(w) > 1} - {-1}:
            places = [place for place, other in enumerate(words) if other == word]
            together = all(len(set(gates[row, places].tolist())) == 1 for gates in draws)
            assert (len(set(keep[row, places].tolist())) == 1) == together == (per == "word")
            assert {bool(gates[row, places[0]]) for gates in draws} == {False, True}


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("prior", [0.5, 0.2])
@pytest.mark.parametrize("per", ["word", "piece"])
@pytest.mark.parametrize("reduction", ["mean", "sum", "mean_all"])
@pytest.mark.parametrize("kind", ["bag", "pieces"])
def test_the_bottleneck_is_the_distance_from_the_prior_token_by_token(kind, reduction, per, prior, special):
    model, batch = (
        build(kind, reduction=reduction, per=per, prior=prior, gate_special=special).double(),
        batch_for(kind),
    )
    counted, total, slots = 0, 0.0, 0
    for row, outputs in enumerate(gate_outputs(model, batch, whole_words=kind == "pieces" and per == "word")):
        for time, output in enumerate(outputs):
            slots += 1
            gated = bool(batch.mask[row, time]) and (special or int(batch.word_of_token[row, time]) >= 0)
            if gated or reduction == "mean_all":
                counted += 1
                total += distance_from_coin(sigmoid(output), prior)
    divisor = {"mean": counted, "sum": len(batch), "mean_all": slots}[reduction]
    assert model.losses(batch, 0.0)["bottleneck"].item() == pytest.approx(total / divisor, rel=1e-9)


def test_beta_falls_in_the_stages_of_the_code_or_rises_as_the_paper_says_or_stays():
    middles = [(stage + 0.5) / 10 for stage in range(10)]
    falling = [build().beta(progress) for progress in middles]
    assert falling == pytest.approx([1.0, 0.901, 0.802, 0.703, 0.604, 0.505, 0.406, 0.307, 0.208, 0.109])
    assert [build(beta=3.0, beta_end=1.0, stages=2).beta(p) for p in (0.0, 0.49, 0.5, 1.0)] == [3.0, 3.0, 1.0, 1.0]
    assert [build(schedule="rising", beta=2.0).beta(p) for p in (0.0, 0.25, 1.0)] == [0.0, 0.5, 2.0]
    assert [build(schedule="constant", beta=0.3).beta(p) for p in (0.0, 0.25, 1.0)] == [0.3, 0.3, 0.3]


@pytest.mark.parametrize("progress", [0.0, 0.55, 1.0])
@pytest.mark.parametrize("double_softmax", [False, True])
def test_the_losses_are_the_cross_entropy_of_sampled_gates_and_beta_times_the_bottleneck(double_softmax, progress):
    model, batch = build(double_softmax=double_softmax).double(), batch_for("bag")
    torch.manual_seed(5)
    losses = model.losses(batch, progress)
    torch.manual_seed(5)
    logits = sampled(model, batch)[0].logits
    once = logits.softmax(-1)
    twice = once.softmax(-1)
    chosen = (twice if double_softmax else once)[range(len(batch)), batch.labels]
    torch.testing.assert_close(losses["task"], -chosen.log().mean())
    ratio = (losses["bottleneck"] / model.losses(batch, 0.0)["bottleneck"]).item()
    assert ratio == pytest.approx(model.beta(progress))
    assert list(losses) == ["task", "bottleneck"]


def test_gradients_of_the_task_reach_the_gate_through_the_hard_gates():
    model, batch = build("lstm"), batch_for("lstm")
    model.losses(batch, 0.0)["task"].backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in model.gate.parameters())


@pytest.mark.parametrize("logit", [-100.0, -30.0, 30.0, 100.0])
def test_losses_and_gradients_are_finite_however_sure_the_gate_is(logit):
    model, batch = build("lstm"), batch_for("lstm")
    model.gate.output.bias.data.fill_(logit)
    torch.stack(tuple(model.losses(batch, 0.0).values())).sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


@pytest.mark.parametrize(
    ("kind", "asked", "expected"),
    [("bag", None, []), ("pieces", None, [2]), ("bag", 3, [3]), ("pieces", 0, [])],
)
def test_the_plain_classifier_comes_first_for_transformers_or_when_asked(kind, asked, expected):
    model = build(kind, warm_start=asked)
    *start, mask = model.plan(7)
    assert [phase.epochs for phase in start] == expected
    for phase in start:
        assert (phase.name, phase.eligible, phase.run_all_epochs) == ("warm start", False, False)
        assert not set(map(id, phase.objectives[0].parameters)) & set(map(id, model.gate.parameters()))
    assert (mask.name, mask.epochs, mask.eligible, mask.run_all_epochs) == ("mask", 7, True, True)
    assert set(map(id, mask.objectives[0].parameters)) == set(map(id, model.parameters()))


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [("bag", None, None), ("pieces", None, 0.01), ("bag", 0.2, 0.2), ("pieces", 2e-5, 2e-5)],
)
def test_the_gate_beside_a_pretrained_encoder_learns_faster_and_else_as_it_is_told(kind, given, expected):
    model = build(kind, gate_learning_rate=given)
    *start, mask = model.plan(3)
    assert mask.objectives[0].learning_rates == ([] if expected is None else [(model.gate, expected)])
    assert not any(phase.objectives[0].learning_rates for phase in start)


def test_the_gate_does_not_move_in_the_warm_start_and_dev_is_measured_without_it():
    encoder = Lstm(Lstm.Config(dim=5, hidden=4, dropout=0.0), DATA.tokenizer.size, 0)
    model = Vmask(encoder, 2, Vmask.Config(width=5, warm_start=2))
    before = {name: weights(getattr(model, name)) for name in ("gate", "head", "encoder")}
    force(model.gate, -3.0)
    gate = weights(model.gate)
    run = training_run(model, DATA)
    for step in run.steps():
        moved = [name for name in ("head", "encoder") if not equal_weights(before[name], weights(getattr(model, name)))]
        assert moved == ["head", "encoder"]
        assert equal_weights(gate, weights(model.gate)) == (step.phase == "warm start")
        if step.record is not None and step.phase == "warm start":
            everything = DATA.dev.batch(range(len(DATA.dev)))
            logits = plain(model)(everything).logits
            assert step.record["dev_accuracy"] == pytest.approx((logits.argmax(-1) == everything.labels).float().mean())
            assert step.record["dev_loss"] == pytest.approx(cross_entropy(logits, everything.labels).item(), rel=1e-5)
            model.train()
    assert [record["phase"] for record in run.history] == ["warm start"] * 2 + ["mask"] * 2


@pytest.mark.parametrize(("schedule", "epochs"), [("falling", 6), ("rising", 6), ("constant", 2)])
def test_a_schedule_is_run_to_its_end_whatever_the_patience(schedule, epochs):
    encoder = Lstm(Lstm.Config(dim=5, hidden=4), DATA.tokenizer.size, 0)
    model = Vmask(encoder, 2, Vmask.Config(width=5, schedule=schedule))
    still = replace(SETTINGS, epochs=6, patience=1, learning_rate=1e-30)  # so that dev never gets better
    run = training_run(model, DATA, still)
    list(run.steps())
    assert len(run.history) == epochs


def test_health_is_the_spread_over_word_types_and_the_accuracy_with_sampled_gates():
    model, batches = build("lstm").double().eval(), [random_batch([3, 1, 5]), random_batch([4, 2])]
    types = sorted({int(token) for batch in batches for token in batch.tokens[batch.is_word]})
    keep = [sigmoid(model.gate(model.encoder.embedding.table.weight[token]).item()) for token in types]
    mean = sum(keep) / len(keep)
    torch.manual_seed(9)
    with torch.inference_mode():
        health = model.health(batches)
    torch.manual_seed(9)
    right = [sampled(model, batch)[0].logits.argmax(-1) == batch.labels for batch in batches]
    assert health == pytest.approx(
        {
            "keep_min": min(keep),
            "keep_mean": mean,
            "keep_max": max(keep),
            "keep_sd": math.sqrt(sum((value - mean) ** 2 for value in keep) / len(keep)),
            "sampled_accuracy": torch.cat(right).double().mean().item(),
        }
    )


def test_a_mask_that_says_the_same_of_all_words_is_warned_about():
    model, batch = build().eval(), batch_for("bag")
    force(model.gate, 0.0)
    with torch.inference_mode():
        health = model.health([batch])
    (collapsed,) = model.warnings(health)
    assert "collapsed" in collapsed
    (saturated,) = model.warnings(health | {"keep_mean": 0.99, "keep_sd": 0.1})
    assert "lets everything through" in saturated
    assert f"prior below {model.config.prior}" in saturated
    for warning in (collapsed, saturated):
        assert set(re.findall(r"method\.(\w+)", warning)) <= {field.name for field in fields(model.config)}


def test_its_scores_are_a_function_of_the_word_alone_and_the_vocabulary_has_the_same():
    documents = planted("train=30,dev=1,test=1").train
    tokenizer = learn_vocabulary([document.words for document in documents])
    model = Vmask(Lstm(Lstm.Config(dim=5, hidden=4), tokenizer.size, 0), 2, Vmask.Config(width=5)).eval()
    table = torch.nn.init.normal_(model.encoder.embedding.table.weight)
    with torch.no_grad():
        scores = dict(zip(tokenizer.token_strings(), model.vocabulary_scores(table).tolist(), strict=True))
    for explanation in Own().explain(fitted(model, tokenizer), documents):
        expected = [scores[word.lower()] for word in explanation.words]
        assert explanation.scores.tolist() == pytest.approx(expected, abs=1e-6)
        assert not explanation.signed
    for token, word in enumerate(tokenizer.token_strings()):
        assert scores[word] == pytest.approx(sigmoid(model.gate(table[token]).item()), abs=1e-6)


def test_soft_gates_lie_between_and_hard_ones_do_not():
    batch = batch_for("bag")
    for gates, between in (("hard", False), ("soft", True)):
        model = build(gates=gates)
        drawn = []
        model._masked = lambda embedded, gates, batch, drawn=drawn: drawn.append(gates) or embedded
        model.classify_sampled(model.encoder.embed(batch), batch)
        assert bool(((drawn[0] > 1e-3) & (drawn[0] < 1 - 1e-3)).any()) == between
