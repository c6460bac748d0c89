"""Words that drown in noise: the mixture, its running statistics and its loss, worked out number by number."""

import math
import re
from dataclasses import fields

import pytest
import torch

from reference.samples import random_batch
from reference.word_masks import KINDS, batch_for, force, gate_outputs, sigmoid, small_encoder, vectors_read
from whyword.interfaces.document import Batch
from whyword.methods.base import Base
from whyword.methods.iba import Iba


def build(kind="bag", **settings):
    model = Iba(small_encoder(kind), 2, Iba.Config(width=5, dropout=0.0, **settings))
    torch.nn.init.normal_(model.gate.output.weight)  # so that words differ
    return model.double()


def shares(model, batch):
    """λ of every token."""
    outputs = gate_outputs(model, batch, model.whole_words)
    return [[sigmoid(min(5.0, max(-5.0, output))) for output in row] for row in outputs]


def word_vectors(model, batch):
    embedded = model.encoder.embed(batch).detach()
    return [
        embedded[row, time].tolist()
        for row, words in enumerate(batch.word_of_token.tolist())
        for time, word in enumerate(words)
        if word >= 0
    ]


def mean_and_variance(vectors):
    """Per dimension, the variance with n - 1."""
    mean = [sum(column) / len(column) for column in zip(*vectors, strict=True)]
    variance = [
        sum((value - m) ** 2 for value in column) / (len(column) - 1)
        for m, column in zip(mean, zip(*vectors, strict=True), strict=True)
    ]
    return mean, variance


@pytest.mark.parametrize("kind", KINDS)
def test_after_training_words_are_mixed_with_the_mean_of_the_noise(kind):
    model, batch = build(kind).eval(), batch_for(kind)
    model.mean.copy_(torch.randn(8))
    embedded, lambdas = model.encoder.embed(batch), shares(model, batch)
    read = vectors_read(model, lambda: model(batch))
    for row, words in enumerate(batch.word_of_token.tolist()):
        for time, word in enumerate(words):
            share = lambdas[row][time] if word >= 0 else 1.0
            torch.testing.assert_close(read[row, time], share * embedded[row, time] + (1 - share) * model.mean)
    torch.testing.assert_close(model(batch).token_weights, torch.tensor(lambdas, dtype=torch.float64))


@pytest.mark.parametrize("logit", [-100.0, 100.0])
def test_the_share_never_leaves_its_range_and_gradients_stay_finite(logit):
    model, batch = build(), batch_for("bag")
    force(model.gate, logit)
    share = model(batch).token_weights
    torch.testing.assert_close(share, torch.full_like(share, sigmoid(math.copysign(5, logit))))
    assert (share >= 0.00669).all()
    assert (share <= 0.99331).all()
    torch.stack(tuple(model.losses(batch, 0.0).values())).sum().backward()
    assert all(parameter.grad is None or parameter.grad.isfinite().all() for parameter in model.parameters())


def test_nearly_everything_passes_at_first_and_every_word_can_still_learn():
    model = Iba(small_encoder("bag"), 2, Iba.Config())
    classify_from = model.gate(model.encoder.embedding.table.weight)
    assert (classify_from.sigmoid() > 0.97).all()
    assert (classify_from < 5).all()


def test_mean_and_variance_run_along_with_the_word_vectors_seen():
    model = build(momentum=0.3)
    first, second = random_batch([3, 1, 5]), random_batch([4, 2])
    model.losses(first, 0.0)
    mean, variance = mean_and_variance(word_vectors(model, first))
    assert model.mean.tolist() == pytest.approx(mean)
    assert model.variance.tolist() == pytest.approx(variance)
    model.losses(second, 0.0)
    newer, new_variance = mean_and_variance(word_vectors(model, second))
    assert model.mean.tolist() == pytest.approx([0.7 * m + 0.3 * n for m, n in zip(mean, newer, strict=True)])
    expected = [0.7 * v + 0.3 * n for v, n in zip(variance, new_variance, strict=True)]
    assert model.variance.tolist() == pytest.approx(expected)
    model.eval()(first)
    assert model.variance.tolist() == pytest.approx(expected)


def test_special_tokens_and_padding_are_not_counted():
    model, batch = build("pieces"), batch_for("pieces")
    model.losses(batch, 0.0)
    assert len(word_vectors(model, batch)) == 9
    assert model.mean.tolist() == pytest.approx(mean_and_variance(word_vectors(model, batch))[0])


def test_a_single_word_has_no_variance_and_changes_nothing():
    model = build()
    model.losses(random_batch([1]), 0.0)
    assert model.mean.tolist() == [0.0] * 8
    assert model.variance.tolist() == [1.0] * 8
    assert not model.seen


@pytest.mark.parametrize("floor", [0.01, 2.0])
@pytest.mark.parametrize("kind", ["bag", "lstm", "pieces"])
def test_the_losses_are_those_of_a_text_mixed_with_the_same_noise(kind, floor):
    model, batch = build(kind, beta=0.7, smallest_deviation=floor), batch_for(kind)
    torch.manual_seed(4)
    losses = model.losses(batch, 0.0)
    embedded, lambdas = model.encoder.embed(batch), shares(model, batch)
    torch.manual_seed(4)
    draws = torch.randn(embedded.shape, dtype=torch.float64)
    mean, variance = mean_and_variance(word_vectors(model, batch))
    deviation = [max(floor, math.sqrt(value)) for value in variance]
    mixed, told = embedded.detach().clone(), []
    for row, words in enumerate(batch.word_of_token.tolist()):
        for time, word in enumerate(words):
            for d in range(8) if word >= 0 else ():
                share, value = lambdas[row][time], embedded[row, time, d].item()
                noise = mean[d] + deviation[d] * draws[row, time, d].item()
                mixed[row, time, d] = share * value + (1 - share) * noise
                center, spread = share * (value - mean[d]), (1 - share) * deviation[d]  # of z, against the noise's 0
                ratio = (spread**2 + center**2) / deviation[d] ** 2
                told.append(math.log(deviation[d] / spread) + (ratio - 1) / 2)  # KL of two Gaussians
    base = Base(model.encoder, 2, Base.Config(dropout=0.0)).double()
    base.head.load_state_dict(model.head.state_dict())
    chosen = base.classify(mixed, batch).logits.softmax(-1)[range(len(batch)), batch.labels]
    assert list(losses) == ["task", "information"]
    torch.testing.assert_close(losses["task"], -chosen.log().mean())
    assert losses["information"].item() == pytest.approx(0.7 * sum(told) / len(told))


@pytest.mark.parametrize("kind", KINDS)
def test_both_losses_reach_every_weight_of_the_read_out(kind):
    for name in ("task", "information"):
        model, batch = build(kind), batch_for(kind)
        model.losses(batch, 0.0)[name].backward()
        for parameter in model.gate.parameters():
            assert parameter.grad.isfinite().all()
            assert parameter.grad.abs().sum() > 0


def test_a_batch_of_no_words_has_finite_losses():
    tokens = torch.tensor([[1, 2]])
    empty = Batch(tokens, tokens > 0, torch.full_like(tokens, -1), torch.zeros_like(tokens), torch.tensor([0]))
    assert all(loss.isfinite() for loss in build("pieces").losses(empty, 0.0).values())


def test_the_vocabulary_has_the_share_of_each_word():
    model = build()
    table = model.encoder.embedding.table.weight
    expected = [sigmoid(min(5.0, max(-5.0, model.gate(vector).item()))) for vector in table]
    assert model.vocabulary_scores(table).tolist() == pytest.approx(expected)


def test_health_is_the_spread_of_the_shares_over_word_types():
    model, batch = build().eval(), batch_for("bag")
    types = sorted(set(batch.tokens[batch.is_word].tolist()))
    shares_of_types = model.vocabulary_scores(model.encoder.embedding.table.weight[types]).tolist()
    with torch.inference_mode():
        health = model.health([batch])
    assert health["keep_min"] == pytest.approx(min(shares_of_types))
    assert health["keep_mean"] == pytest.approx(sum(shares_of_types) / len(types))
    assert health["keep_max"] == pytest.approx(max(shares_of_types))


def test_its_warnings_name_only_settings_it_has():
    model = build()
    known = {field.name for field in fields(model.config)}
    for health in ({"keep_sd": 0.0, "keep_mean": 0.9}, {"keep_sd": 0.1, "keep_mean": 0.99}):
        (warning,) = model.warnings(health)
        named = set(re.findall(r"method\.(\w+)", warning))
        assert named
        assert named <= known
