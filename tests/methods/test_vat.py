"""VAT: its phases against the method attention, frozen weights to the bit, its bottleneck against torch's Gaussians."""

import re
from dataclasses import fields, replace

import pytest
import torch
from torch.distributions import Independent, Normal, kl_divergence
from torch.nn.functional import cross_entropy

from reference.samples import SETTINGS, equal_weights, fitted, random_batch, sample, training_run, weights
from reference.word_masks import KINDS, batch_for, small_encoder
from whyword.data.dataset import load_dataset
from whyword.encoders.lstm import Lstm
from whyword.explainers.own import Own
from whyword.interfaces.errors import OptionError
from whyword.interfaces.method import Attending
from whyword.methods.attention import Attention
from whyword.methods.vat import COLLAPSED, UNMOVED, Vat
from whyword.models.config import make_config
from whyword.models.folder import load_model
from whyword.models.train import train_model

DATA = sample()
PARTS = ("encoder", "attention", "head", "bottleneck", "compressor_head")


def build(kind="lstm", **settings):
    return Vat(small_encoder(kind), 2, Vat.Config(**{"dropout": 0.0} | settings))


def seeded(method_class, dropout=0.3, **settings):
    """A model on the tiny planted data whose weights, and whatever is drawn next, come from one seed."""
    torch.manual_seed(7)
    encoder = Lstm(Lstm.Config(dim=5, hidden=4, dropout=dropout), DATA.tokenizer.size, 0)
    return method_class(encoder, 2, method_class.Config(dropout=dropout, **settings))


def history(run):
    """Train to the end; what was recorded, apart from the time it took and from health."""
    list(run.steps())
    return [{k: v for k, v in record.items() if k not in ("phase", "seconds", "health")} for record in run.history]


@pytest.mark.parametrize("iterations", [0, 1])
def test_the_joint_phase_is_the_training_of_plain_attention_to_the_bit(iterations):
    plain = seeded(Attention)
    expected = history(training_run(plain, DATA))
    vat = seeded(Vat, iterations=iterations, keep_joint=True)
    vat_run = training_run(vat, DATA)
    assert history(vat_run)[: len(expected)] == expected
    assert [record["phase"] for record in vat_run.history[: len(expected)]] == ["joint"] * len(expected)
    if iterations == 0:
        assert all(equal_weights(weights(getattr(plain, part)), weights(getattr(vat, part))) for part in PARTS[:3])
        batch = DATA.dev.batch(range(len(DATA.dev)))
        assert torch.equal(vat(batch).token_weights, plain(batch).token_weights)
        assert torch.equal(vat(batch).logits, plain(batch).logits)


@pytest.mark.parametrize("order", ["compress_first", "learn_first"])
@pytest.mark.parametrize("optimizer", ["adam", "adamw"])
def test_what_a_phase_does_not_train_stays_as_it_is_to_the_bit(optimizer, order):
    moving = {
        "joint": {"encoder", "attention", "head"},
        "compress": {"attention", "bottleneck", "compressor_head"},
        "learn": {"encoder", "head"},
    }
    model = seeded(Vat, iterations=2, weight_decay=0.1, order=order)
    run = training_run(model, DATA, replace(SETTINGS, optimizer=optimizer))
    before, seen = {part: weights(getattr(model, part)) for part in PARTS}, []
    for step in run.steps():
        now = {part: weights(getattr(model, part)) for part in PARTS}
        moved = {part for part in PARTS if not equal_weights(before[part], now[part])}
        seen += [step.phase] * (step.phase not in seen)
        assert moved == moving[step.phase.split()[0]], step
        before = now
        if run.position.epoch == SETTINGS.epochs:  # the next phase begins with the best weights of this one
            before = {
                part: {n.removeprefix(f"{part}."): t for n, t in run.best_weights.items() if n.startswith(f"{part}.")}
                for part in PARTS
            }
    turns = ["compress", "learn"] if order == "compress_first" else ["learn", "compress"]
    assert seen == ["joint", *(f"{turn} {number}" for number in (1, 2) for turn in turns)]


@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize("form", ["softplus", "exp"])
def test_the_compressor_pays_for_its_distance_from_the_standard_normal(form, reduction):
    model, batch = build(deviation=form, kl=reduction, beta=0.3, size=5).double(), random_batch([3, 1, 5])
    torch.manual_seed(5)
    losses = model.compressor_losses(batch, 0.5)
    mean, deviation = model.bottleneck(model(batch).pooled)
    z = Normal(mean, deviation)
    prior = Normal(torch.zeros_like(mean), torch.ones_like(mean))
    divergence = kl_divergence(Independent(z, 1), Independent(prior, 1)).mean()
    torch.testing.assert_close(losses["bottleneck"], 0.3 * divergence / (1 if reduction == "sum" else 5))
    torch.manual_seed(5)
    logits = model.compressor_head(mean + deviation * torch.randn(3, 5, dtype=torch.float64))
    torch.testing.assert_close(losses["task"], cross_entropy(logits, batch.labels))
    assert list(losses) == ["task", "bottleneck"]


def test_the_learner_pays_for_its_errors_alone():
    model, batch = build(), random_batch([3, 1, 5])
    expected = cross_entropy(model.head(model(batch).pooled), batch.labels)
    assert {name: loss.item() for name, loss in model.losses(batch, 0.5).items()} == {"task": expected.item()}


@pytest.mark.parametrize("kind", KINDS)
def test_both_heads_can_predict_from_the_same_text_vector(kind):
    learner, batch = build(kind).eval(), batch_for(kind)
    compressor = Vat(learner.encoder, 2, Vat.Config(dropout=0.0, head="compressor")).eval()
    compressor.load_state_dict(learner.state_dict())
    one, other = learner(batch), compressor(batch)
    torch.testing.assert_close(one.pooled, other.pooled)
    torch.testing.assert_close(one.logits, learner.head(one.pooled))
    torch.testing.assert_close(other.logits, learner.compressor_head(learner.bottleneck(one.pooled)[0]))
    assert not torch.allclose(one.logits, other.logits)


def test_the_attention_can_be_taken_away_and_replaced():
    model, batch = build(heads=2).eval(), random_batch([3, 1, 5])
    assert isinstance(model, Attending)
    weights, states = model.attention_and_states(model.encoder.embed(batch), batch)
    assert torch.equal(model.classify_from(weights, states).logits, model(batch).logits)
    first = torch.zeros_like(weights)
    first[:, 0] = 1.0
    torch.testing.assert_close(model.classify_from(first, states).logits, model.head(states[:, 0]))


@pytest.mark.parametrize("heads", [1, 3])
def test_the_explanation_is_the_mean_attention_of_all_heads_and_adds_up_to_one(heads):
    model = seeded(Vat, heads=heads)
    documents = load_dataset("planted:train=10,dev=5,test=5").train
    for explanation in Own().explain(fitted(model.eval(), DATA.tokenizer), documents):
        assert explanation.scores.sum() == pytest.approx(1.0, abs=1e-5)
        assert not explanation.signed
    batch = random_batch([3, 1, 5])
    by_head = model.head_weights(batch)
    assert by_head.shape == (3, heads, 5)
    torch.testing.assert_close(by_head.mean(1), model(batch).token_weights)
    torch.testing.assert_close(by_head.sum(-1), torch.ones(3, heads))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ["learn 1", "learn 2"]),
        ({"iterations": 0}, ["joint"]),
        ({"keep_joint": True}, ["joint", "learn 1", "learn 2"]),
        ({"head": "compressor"}, ["compress 1", "compress 2"]),
        ({"order": "learn_first"}, ["learn 1", "learn 2"]),
    ],
    ids=["usual", "no iterations", "keep joint", "compressor", "learn first"],
)
def test_the_final_model_comes_from_a_phase_that_trains_the_head_which_predicts(settings, expected):
    plan = build(**{"iterations": 2} | settings).plan(7)
    assert [phase.name for phase in plan if phase.eligible] == expected
    assert len({phase.name for phase in plan}) == len(plan)


def test_a_learn_phase_may_have_a_rate_of_its_own_and_be_best_where_it_starts():
    plan = build(iterations=1, learn_learning_rate=0.1, start_counts=True).plan(3)
    assert [phase.start_counts for phase in plan] == [False, False, True]
    assert [objective.learning_rate for phase in plan for objective in phase.objectives] == [None, None, 0.1]
    assert not any(phase.start_counts for phase in build(iterations=1).plan(3))


def test_phases_have_the_epochs_of_the_training_unless_they_have_their_own():
    assert [phase.epochs for phase in build(iterations=1).plan(7)] == [7, 7, 7]
    assert [phase.epochs for phase in build(iterations=1, compress_epochs=2, learn_epochs=3).plan(7)] == [7, 2, 3]


@pytest.mark.parametrize("head", ["learner", "compressor"])
def test_each_phase_is_judged_on_dev_by_the_head_it_trains_and_both_are_recorded(head):
    model = seeded(Vat, iterations=1, head=head)
    run = training_run(model, DATA)
    list(run.steps())
    for record in run.history:
        health = record["health"]
        judge = "compressor" if record["phase"].startswith("compress") else "learner"
        assert record["dev_accuracy"] == pytest.approx(health[f"{judge}_accuracy"])
        assert ("kl" in health) == ("attention_moved" in health) == (record["phase"] != "joint")
    after_compressing = [r["health"]["attention_moved"] for r in run.history if r["phase"] != "joint"]
    assert after_compressing[1] > 0
    best = next(i for i in (1, 0) if run.history[2 + i]["best"])  # of the compress phase, whose attention learn keeps
    assert after_compressing[2:] == [after_compressing[best]] * 2


def test_health_is_the_mean_distance_per_text_and_the_relative_movement_of_the_attention():
    model, batches = build().double().eval(), [random_batch([3, 1, 5]), random_batch([4, 2])]
    with torch.inference_mode():
        assert list(model.health(batches)) == ["learner_accuracy"]
    model.compressor_losses(batches[0], 0.0)
    with torch.no_grad():
        old = torch.cat([p.flatten() for p in model.attention.parameters()])
        model.attention.query.weight += 0.5
        new = torch.cat([p.flatten() for p in model.attention.parameters()])
    model.compressor_losses(batches[0], 0.3)
    with torch.inference_mode():
        health = model.health(batches)
        nats, right = [], []
        for batch in batches:
            mean, deviation = model.bottleneck(model(batch).pooled)
            nats.append(0.5 * (mean**2 + deviation**2 - 1 - (deviation**2).log()).sum(-1))
            right.append(model.compressor_head(mean).argmax(-1) == batch.labels)
    assert health["kl"] == pytest.approx(torch.cat(nats).mean().item())
    assert health["compressor_accuracy"] == pytest.approx(torch.cat(right).double().mean().item())
    assert health["attention_moved"] == pytest.approx(((new - old).norm() / old.norm()).item())


def test_a_bottleneck_that_tells_nothing_and_an_attention_that_stays_are_warned_about():
    model = build()
    (collapsed,) = model.warnings({"kl": COLLAPSED / 2, "attention_moved": 1.0})
    assert "collapsed" in collapsed
    assert "Lower method.beta (now 0.1)" in collapsed
    (unmoved,) = model.warnings({"kl": 2.0, "attention_moved": UNMOVED / 2})
    assert "has not moved the attention" in unmoved
    assert model.warnings({"kl": 2.0, "attention_moved": 1.0}) == model.warnings({"learner_accuracy": 1.0}) == []
    for warning in (collapsed, unmoved):
        assert set(re.findall(r"method\.(\w+)", warning)) <= {field.name for field in fields(model.config)}


def small_run(**settings):
    values = {"name": "vat", "iterations": 1, **settings}
    sizes = {"dim": 8, "hidden": 6}
    return make_config(
        {"method": values, "encoder": sizes, "training": {"epochs": 5, "batch_size": 4, "learning_rate": 0.02}}
    )


def test_too_heavy_a_bottleneck_collapses_and_the_user_is_told():
    said = []
    train_model(small_run(beta=1000.0), load_dataset("planted:train=60,dev=20,test=1"), on_event=said.append)
    assert any(isinstance(event, str) and "collapsed" in event for event in said)


def test_a_saved_model_predicts_and_explains_the_same(tmp_path):
    dataset = load_dataset("planted:train=40,dev=10,test=10")
    model = train_model(small_run(heads=2, head="compressor"), dataset, folder=tmp_path / "model")
    again = load_model(tmp_path / "model")
    texts = [document.words for document in dataset.test]
    assert torch.equal(again.classifier.probabilities(texts), model.classifier.probabilities(texts))
    ours, theirs = (m.classifier.own_scores(texts)[0] for m in (model, again))
    assert all(torch.equal(one, other) for one, other in zip(ours, theirs, strict=True))
    assert again.metrics["phase"] == "compress 1"


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"heads": 0}, "vat.heads is 0: give a number from 1 up."),
        ({"iterations": -1}, "vat.iterations is -1: give a number from 0 up."),
        ({"compress_epochs": 0}, "vat.compress_epochs is 0: give a number from 1 up."),
        ({"weight_decay": float("nan")}, "vat.weight_decay is nan: give a number from 0 up."),
        ({"head": "compressor", "iterations": 0}, "it is never trained"),
    ],
    ids=["heads", "iterations", "epochs", "decay", "untrained head"],
)
def test_settings_that_cannot_be_are_refused(settings, complaint):
    with pytest.raises(OptionError, match=re.escape(complaint)):
        Vat.Config(**settings)
