"""Training a model to answer like another and attend elsewhere."""

import math

import numpy as np
import pytest
import torch

from reference.samples import attention_on_lstm, equal_weights, sample, weights
from whyword.analysis import adversarial_model as imitation
from whyword.analysis.adversarial_model import Patience, adversarial_loss, outputs_of, train_adversarial_model
from whyword.encoders.lstm import Lstm
from whyword.maths.tensors.divergences import jensen_shannon, total_variation
from whyword.methods.word_regularized import WordRegularized
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
    shown = outputs_of(model, DATA.train, CPU)
    for i in range(len(DATA.train)):
        prediction = model(DATA.train.batch(np.array([i])))
        torch.testing.assert_close(shown.probabilities[i], prediction.logits[0].softmax(-1))
        torch.testing.assert_close(shown.weights[i], prediction.token_weights[0])


def test_outputs_of_some_texts_are_padded_as_their_batch_is():
    shown = outputs_of(base(), DATA.train, CPU)
    chosen = np.array([5, 0, 9])
    probabilities, padded = shown.of(chosen, CPU)
    batch = DATA.train.batch(chosen)
    assert padded.shape == batch.tokens.shape
    assert (padded[~batch.mask] == 0).all()
    torch.testing.assert_close(probabilities, shown.probabilities[[5, 0, 9]])


@torch.no_grad()
def test_the_loss_is_the_distance_of_answers_less_that_of_attention_text_by_text():
    shown, model, chosen = outputs_of(base(), DATA.train, CPU), fresh().eval(), np.arange(6)
    loss = adversarial_loss(model(DATA.train.batch(chosen)), *shown.of(chosen, CPU), 0.05).item()
    expected = 0.0
    for i in chosen:
        prediction = model(DATA.train.batch(np.array([i])))
        own = prediction.logits[0].softmax(-1)
        expected += sum(abs(a - b).item() for a, b in zip(own, shown.probabilities[i], strict=True)) / 2
        pairs = zip(prediction.token_weights[0].tolist(), shown.weights[i].tolist(), strict=True)
        expected -= 0.05 * sum(mine * math.log(mine / theirs) for mine, theirs in pairs)
    assert loss == pytest.approx(expected / 6, rel=1e-4)


def apart(model, shown):
    given = outputs_of(model, DATA.train, CPU)
    jsd = [jensen_shannon(a, b).item() for a, b in zip(given.weights, shown.weights, strict=True)]
    return total_variation(given.probabilities, shown.probabilities).mean().item(), float(np.mean(jsd))


def test_an_imitation_answers_alike_and_attends_elsewhere_the_more_that_is_worth():
    shown = outputs_of(base(), DATA.train, CPU)
    before, _ = apart(fresh(), shown)
    results = []
    for weight in (0.0, 3.0):
        model = fresh()
        history = train_adversarial_model(model, shown, DATA.train, weight, SETTINGS, Patience(25, 25), 0)
        assert history[-1] < history[0]
        results.append(apart(model, shown))
    (alike, near), (_, far) = results
    assert alike < 0.5 * before
    assert far > near + 0.1


def test_it_stops_when_the_training_loss_has_not_fallen_for_long_enough_and_keeps_the_best_weights():
    shown, model = outputs_of(base(), DATA.train, CPU), fresh()
    best = []
    copy = imitation.copy_weights

    def remember(method):
        best.append(copy(method))
        return best[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(imitation, "copy_weights", remember)
        history = train_adversarial_model(
            model, shown, DATA.train, 0.0, Training(learning_rate=0.5), Patience(200, 2), 0
        )
    assert len(history) < 200
    assert len(history) - 1 - int(np.argmin(history)) == 2
    assert equal_weights(best[-1], weights(model))
    assert not model.training


def test_the_terms_of_the_method_stay_on_but_for_the_task():
    torch.manual_seed(5)
    encoder = Lstm(Lstm.Config(dim=5, hidden=5, dropout=0.0), DATA.tokenizer.size, 0)
    model = WordRegularized(encoder, 2, WordRegularized.Config(tying=2.0, dropout=0.0))
    shown = outputs_of(base(), DATA.train, CPU)
    everything = np.arange(len(DATA.train))
    batch = DATA.train.batch(everything)
    expected = adversarial_loss(model(batch), *shown.of(everything, CPU), 0.01) + model.losses(batch, 0.0)["tying"]
    settings = Training(batch_size=100, learning_rate=1e-12)
    history = train_adversarial_model(model, shown, DATA.train, 0.01, settings, Patience(1, 1), 0)
    assert history == pytest.approx([expected.item()], rel=1e-5)


def test_plain_attention_is_asked_for_nothing_else():
    _, terms = fresh().predict_with_terms(DATA.train.batch(np.arange(2)))
    assert terms == {}
