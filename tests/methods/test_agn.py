"""AGN: label statistics counted by hand, its gate token by token, its two phases."""

import math
from dataclasses import replace

import pytest
import torch
from torch.distributions import Normal, kl_divergence
from torch.nn.functional import cross_entropy

from reference.samples import equal_weights, random_batch, sample, training_run, weights
from reference.word_masks import KINDS, batch_for, small_encoder
from whyword.data.dataset import load_dataset
from whyword.encoders.lstm import Lstm
from whyword.interfaces.errors import OptionError
from whyword.methods.agn import Agn
from whyword.models.config import make_config
from whyword.models.folder import load_model
from whyword.models.train import train_model

DATA = sample()
AUTOENCODER = ("hidden", "mean", "log_variance", "decoder")
REST = ("encoder", "code", "transform", "pairing", "head")


def build(kind="lstm", **settings):
    return Agn(small_encoder(kind), 2, Agn.Config(**{"dropout": 0.0, "length": 4, "width": 5} | settings))


@pytest.mark.parametrize("kind", ["lstm", "pieces"])
def test_statistics_are_the_share_of_each_class_among_the_texts_where_a_token_stands(kind):
    model, batches = build(kind), [batch_for(kind), batch_for(kind)]
    batches[1] = replace(batches[1], labels=1 - batches[1].labels)
    batches[1].labels[0] = 0
    model.prepare(iter(batches))
    counts = {}
    for batch in batches:
        for tokens, mask, label in zip(batch.tokens.tolist(), batch.mask.tolist(), batch.labels.tolist(), strict=True):
            for token, real in zip(tokens, mask, strict=True):
                if real:
                    counts.setdefault(token, [0, 0])[label] += 1
    for token, share in enumerate(model.label_share.tolist()):
        ones = counts.get(token)
        expected = [0.5, 0.5] if ones is None else [count / sum(ones) for count in ones]
        assert share == pytest.approx(expected)
    assert len(counts) < len(model.label_share)


@pytest.mark.parametrize("length", [2, 4, 9])
def test_a_text_is_the_statistics_of_its_first_tokens_then_zeros(length):
    model, batch = build(length=length), random_batch([3, 1, 5])
    model.label_share.uniform_()
    statistics = model._statistics(batch)
    assert statistics.shape == (3, length, 2)
    for row, size in enumerate((3, 1, 5)):
        for time in range(length):
            token = int(batch.tokens[row, time]) if time < size else None
            expected = torch.zeros(2) if token is None else model.label_share[token]
            assert torch.equal(statistics[row, time], expected)


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("length", [3, 9])
@pytest.mark.parametrize("kind", KINDS)
def test_the_code_is_added_where_the_valve_is_undecided_then_tokens_attend_to_each_other(kind, length, epsilon):
    model, batch = build(kind, length=length, epsilon=epsilon).double().eval(), batch_for(kind)
    model.label_share.uniform_()
    states = model.encoder.encode(model.encoder.embed(batch), batch)[-1]
    hidden = torch.relu(model.hidden(model._statistics(batch).flatten(1)))
    code = torch.tanh(model.code(model.mean(hidden)))
    for row, size in enumerate(batch.mask.sum(-1).tolist()):
        enhanced = []
        for time in range(size):
            state = states[row, time]
            valve = torch.sigmoid(model.valve.weight @ state)
            shown = code[row, time] if time < length else 0.0
            enhanced.append(torch.relu(model.transform(state)) + ((valve - 0.5).abs() <= epsilon) * shown)
        table = torch.stack(enhanced)
        attention = (model.pairing(table) @ table.T / math.sqrt(table.shape[1])).softmax(-1)
        expected = (attention @ table).amax(0)
        torch.testing.assert_close(model(batch).pooled[row], expected)
        torch.testing.assert_close(model(batch).logits[row], model.head(expected))


def test_the_autoencoder_pays_for_the_statistics_of_real_tokens_and_for_what_its_code_tells():
    model, batch = build(length=4, beta=0.3).double(), random_batch([3, 1, 5])
    model.label_share.uniform_()
    torch.manual_seed(5)
    losses = model.autoencoder_losses(batch, 0.0)
    statistics = model._statistics(batch)
    hidden = torch.relu(model.hidden(statistics.flatten(1)))
    mean, deviation = model.mean(hidden), (0.5 * model.log_variance(hidden)).exp()
    torch.manual_seed(5)
    rebuilt = torch.sigmoid(model.decoder(mean + deviation * torch.randn_like(mean))).view(3, 4, 2)
    terms = []
    for row, size in enumerate((3, 1, 4)):  # the fifth token of the last text is beyond the length
        for share, wanted in zip(rebuilt[row, :size].flatten(), statistics[row, :size].flatten(), strict=True):
            terms.append(-(wanted * share.log() + (1 - wanted) * (1 - share).log()))
    torch.testing.assert_close(losses["rebuilt"], torch.stack(terms).mean())
    apart = kl_divergence(Normal(mean, deviation), Normal(torch.zeros_like(mean), torch.ones_like(mean)))
    torch.testing.assert_close(losses["bottleneck"], 0.3 * apart.mean())


def test_the_adversary_takes_one_step_uphill_of_the_length_asked_for():
    model, batch = build(adversarial=0.25).double(), random_batch([3, 1, 5])
    embedded = model.encoder.embed(batch).detach().requires_grad_()
    task = cross_entropy(model.classify(embedded, batch).logits, batch.labels)
    (gradient,) = torch.autograd.grad(task, embedded)
    moved = embedded + 0.25 * gradient / gradient.norm()
    losses = model.losses(batch, 0.0)
    torch.testing.assert_close(losses["task"], task)
    harder = cross_entropy(model.classify(moved, batch).logits, batch.labels)
    torch.testing.assert_close(losses["adversarial"], harder)
    assert harder > task
    assert list(build().losses(batch, 0.0)) == ["task"]


def test_frozen_word_vectors_can_be_attacked_as_well():
    encoder = Lstm(Lstm.Config(dim=5, hidden=4, frozen=True), 12, 0)
    model = Agn(encoder, 2, Agn.Config(adversarial=0.3, length=4, width=5))
    sum(model.losses(random_batch([3, 1, 5]), 0.0).values()).backward()
    assert encoder.embedding.table.weight.grad is None
    assert encoder.recurrent[0].weight_ih_l0.grad.abs().sum() > 0


def test_first_the_autoencoder_is_trained_alone_then_the_rest_without_it():
    encoder = Lstm(Lstm.Config(dim=5, hidden=4), DATA.tokenizer.size, 0)
    model = Agn(encoder, 2, Agn.Config(length=9, width=5, epochs=2))
    model.prepare([DATA.train.batch(range(len(DATA.train)))])
    valve, run, last = weights(model.valve), training_run(model, DATA), None
    for step in run.steps():
        parts = AUTOENCODER if step.phase == "autoencoder" else REST
        now = {part: weights(getattr(model, part)) for part in (*AUTOENCODER, *REST)}
        if last is not None and last[0] == step.phase:
            moved = {part for part in now if not equal_weights(now[part], last[1][part])}
            assert moved == set(parts)
        last = (step.phase, now)
    assert [record["phase"] for record in run.history] == ["autoencoder"] * 2 + ["classifier"] * 2
    assert run.chosen.phase == "classifier"
    assert equal_weights(valve, weights(model.valve))


def test_dev_is_measured_by_the_class_that_the_rebuilt_statistics_tell():
    model, batch = build(length=4).double(), random_batch([3, 1, 5])
    model.label_share.uniform_()
    mean = model._encode(model._statistics(batch))[0]
    decoded = model.decoder(mean).view(3, 4, 2)
    expected = torch.stack([decoded[row, :size].mean(0) for row, size in enumerate((3, 1, 4))])
    torch.testing.assert_close(model.plan(3)[0].logits(batch), expected)


def test_the_training_texts_are_counted_before_training_and_the_counts_are_saved(tmp_path):
    dataset = load_dataset("planted:train=30,dev=10,test=10")
    method = {"name": "agn", "length": 8, "width": 5, "epochs": 1}
    sizes = {"name": "lstm", "dim": 8, "hidden": 6}
    config = make_config({"method": method, "encoder": sizes, "training": {"epochs": 1, "batch_size": 8}})
    model = train_model(config, dataset, folder=tmp_path / "model")
    share, tokenizer = model.classifier.method.label_share, model.classifier.tokenizer
    classes = model.classifier.classes
    word = next(word.lower() for document in dataset.train for word in document.words.strings)
    token = tokenizer.token_strings().index(word)
    counts = [
        sum(w.lower() == word for d in dataset.train if d.label == label for w in d.words.strings) for label in classes
    ]
    assert share[token].tolist() == pytest.approx([count / sum(counts) for count in counts])
    again = load_model(tmp_path / "model").classifier
    assert torch.equal(again.method.label_share, share)
    texts = [document.words for document in dataset.test]
    assert torch.equal(again.probabilities(texts), model.classifier.probabilities(texts))


@pytest.mark.parametrize("name", ["length", "epochs"])
def test_sizes_that_cannot_be_are_refused(name):
    with pytest.raises(OptionError, match=f"agn.{name} is 0: give a number from 1 up."):
        Agn.Config(**{name: 0})
