"""Training a model to answer like another and attend elsewhere."""

import json
import math

import numpy as np
import pytest
import torch

from reference.samples import attention_on_lstm, equal_weights, sample, weights
from whyword.analysis import adversarial_model
from whyword.analysis.adversarial_model import (
    AdversarialModel,
    Patience,
    adversarial_loss,
    jsd_tvd_curve,
    outputs_of,
    train_adversarial_model,
    tvd_at,
)
from whyword.data.planted import planted
from whyword.encoders.lstm import Lstm
from whyword.interfaces.errors import OptionError
from whyword.maths.tensors.distances import jensen_shannon, total_variation
from whyword.methods.word_regularized import WordRegularized
from whyword.models.config import make_config
from whyword.models.train import train_model
from whyword.training.optimizer import Training

DATA = sample()
CPU = torch.device("cpu")
SETTINGS = Training(batch_size=8, learning_rate=0.02)


def base():
    torch.manual_seed(3)
    return attention_on_lstm(DATA.tokenizer.size)


def fresh():
    torch.manual_seed(4)
    return attention_on_lstm(DATA.tokenizer.size)


@torch.no_grad()
def test_outputs_are_those_of_each_text_alone():
    model = base().eval()
    target = outputs_of(model, DATA.train, CPU)
    for i in range(len(DATA.train)):
        prediction = model(DATA.train.batch(np.array([i])))
        torch.testing.assert_close(target.probabilities[i], prediction.logits[0].softmax(-1))
        torch.testing.assert_close(target.weights[i], prediction.token_weights[0])


def test_outputs_of_some_texts_are_padded_as_their_batch_is():
    target = outputs_of(base(), DATA.train, CPU)
    chosen = np.array([5, 0, 9])
    probabilities, padded = target.of(chosen, CPU)
    batch = DATA.train.batch(chosen)
    assert padded.shape == batch.tokens.shape
    assert (padded[~batch.mask] == 0).all()
    torch.testing.assert_close(probabilities, target.probabilities[[5, 0, 9]])


@torch.no_grad()
def test_the_loss_is_the_distance_of_answers_less_that_of_attention_text_by_text():
    target, model, chosen = outputs_of(base(), DATA.train, CPU), fresh().eval(), np.arange(6)
    loss = adversarial_loss(model(DATA.train.batch(chosen)), *target.of(chosen, CPU), 0.05).item()
    expected = 0.0
    for i in chosen:
        prediction = model(DATA.train.batch(np.array([i])))
        own = prediction.logits[0].softmax(-1)
        expected += sum(abs(a - b).item() for a, b in zip(own, target.probabilities[i], strict=True)) / 2
        pairs = zip(prediction.token_weights[0].tolist(), target.weights[i].tolist(), strict=True)
        expected -= 0.05 * sum(mine * math.log(mine / theirs) for mine, theirs in pairs)
    assert loss == pytest.approx(expected / 6, rel=1e-4)


def apart(model, target):
    outputs = outputs_of(model, DATA.train, CPU)
    jsd = [jensen_shannon(a, b).item() for a, b in zip(outputs.weights, target.weights, strict=True)]
    return total_variation(outputs.probabilities, target.probabilities).mean().item(), float(np.mean(jsd))


def test_an_adversarial_model_answers_alike_and_attends_elsewhere_the_more_that_is_worth():
    target = outputs_of(base(), DATA.train, CPU)
    before, _ = apart(fresh(), target)
    results = []
    for weight in (0.0, 3.0):
        model = fresh()
        history = train_adversarial_model(model, target, DATA.train, weight, SETTINGS, Patience(25, 25), 0)
        assert history[-1] < history[0]
        results.append(apart(model, target))
    (alike, near), (_, far) = results
    assert alike < 0.5 * before
    assert far > near + 0.1


def test_it_stops_when_the_training_loss_has_not_fallen_for_long_enough_and_keeps_the_best_weights():
    target, model = outputs_of(base(), DATA.train, CPU), fresh()
    best = []
    copy = adversarial_model.copy_weights

    def remember(method):
        best.append(copy(method))
        return best[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adversarial_model, "copy_weights", remember)
        history = train_adversarial_model(
            model, target, DATA.train, 0.0, Training(learning_rate=0.5), Patience(200, 2), 0
        )
    assert len(history) < 200
    assert len(history) - 1 - int(np.argmin(history)) == 2
    assert equal_weights(best[-1], weights(model))
    assert not model.training


def test_the_terms_of_the_method_stay_on_but_for_the_task():
    torch.manual_seed(5)
    encoder = Lstm(Lstm.Config(dim=5, hidden=5, dropout=0.0), DATA.tokenizer.size, 0)
    model = WordRegularized(encoder, 2, WordRegularized.Config(tying=2.0, dropout=0.0))
    target = outputs_of(base(), DATA.train, CPU)
    everything = np.arange(len(DATA.train))
    batch = DATA.train.batch(everything)
    expected = adversarial_loss(model(batch), *target.of(everything, CPU), 0.01) + model.losses(batch, 0.0)["tying"]
    settings = Training(batch_size=100, learning_rate=1e-12)
    history = train_adversarial_model(model, target, DATA.train, 0.01, settings, Patience(1, 1), 0)
    assert history == pytest.approx([expected.item()], rel=1e-5)


def test_plain_attention_is_asked_for_nothing_else():
    _, terms = fresh().predict_with_terms(DATA.train.batch(np.arange(2)))
    assert terms == {}


PLANTED = planted("train=30,dev=10,test=12")
QUICK = Patience(2, 2)
SMALL = {"name": "bag", "dim": 8}


@pytest.fixture(scope="module")
def model():
    config = make_config({"method": "attention", "encoder": SMALL, "training": {"epochs": 2}})
    return train_model(config, PLANTED)


def test_there_is_one_adversary_per_weight_compared_on_every_test_text(model):
    curve = jsd_tvd_curve(model, PLANTED, (0.0, 0.5), patience=QUICK)
    assert [point.weight for point in curve] == [0.0, 0.5]
    for point in curve:
        assert point.jsd.shape == point.tvd.shape == (12,)
        assert (point.jsd >= -1e-9).all()
        assert (point.jsd <= np.log(2) + 1e-9).all()
        assert point.epochs <= 2
        facts = point.to_dict()
        assert facts["tvd_low"] <= facts["tvd"] <= facts["tvd_high"]
    assert curve[1].jsd.mean() > curve[0].jsd.mean()


def test_adversaries_found_in_the_folder_are_not_trained_again(model, tmp_path, monkeypatch):
    first = jsd_tvd_curve(model, PLANTED, (0.0,), tmp_path / "curve", QUICK)
    events = []
    both = jsd_tvd_curve(model, PLANTED, (0.0, 0.1), tmp_path / "curve", QUICK, on_event=events.append)
    assert len(events) == 1
    assert "0.1" in events[0]
    assert both[0].jsd == pytest.approx(first[0].jsd, abs=1e-6)
    monkeypatch.setattr("whyword.analysis.adversarial_model.train_adversarial_model", None)
    again = jsd_tvd_curve(model, PLANTED, (0.1, 0.0), tmp_path / "curve", QUICK)
    assert [point.to_dict() for point in again] == [
        json.loads(json.dumps(jsd_tvd_curve(model, PLANTED, (w,), tmp_path / "curve", QUICK)[0].to_dict()))
        for w in (0.1, 0.0)
    ]


def test_a_point_of_the_curve_does_not_depend_on_the_others(model):
    (alone,) = jsd_tvd_curve(model, PLANTED, (0.1,), patience=QUICK)
    together = jsd_tvd_curve(model, PLANTED, (0.0, 0.1), patience=QUICK)[1]
    assert alone.jsd == pytest.approx(together.jsd)
    assert alone.tvd == pytest.approx(together.tvd)


def test_a_folder_of_other_settings_is_refused(model, tmp_path):
    jsd_tvd_curve(model, PLANTED, (0.0,), tmp_path, QUICK)
    with pytest.raises(OptionError, match="another model or other settings"):
        jsd_tvd_curve(model, PLANTED, (0.0,), tmp_path, Patience(3, 3))


def test_data_that_the_model_was_not_trained_on_is_refused(model):
    with pytest.raises(OptionError, match="was not trained on"):
        jsd_tvd_curve(model, planted("train=12,dev=4,test=4,seed=3"), (0.0,), patience=QUICK)


def test_a_model_without_attention_is_refused():
    config = make_config({"method": "base", "encoder": SMALL, "training": {"epochs": 1}})
    with pytest.raises(OptionError, match="does not weigh states by attention"):
        jsd_tvd_curve(train_model(config, PLANTED), PLANTED, (0.0,))


def test_tvd_is_read_off_between_the_points_and_nowhere_else():
    points = [(0.2, 0.1), (0.6, 0.5), (0.4, 0.2)]
    curve = [AdversarialModel(0.0, np.array([x]), np.array([y]), 1.0, 1, 1.0) for x, y in points]
    read = tvd_at(curve, np.array([0.1, 0.2, 0.3, 0.5, 0.65]))
    assert read == pytest.approx([np.nan, 0.1, 0.15, 0.35, np.nan], nan_ok=True)
