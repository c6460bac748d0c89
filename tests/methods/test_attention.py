"""Attention over an encoder's states."""

import pytest
import torch

from reference.samples import VOCABULARY, random_batch
from whyword.encoders.lstm import Lstm
from whyword.methods.attention import Attention


def build(**settings):
    encoder = Lstm(Lstm.Config(dim=5, hidden=4), VOCABULARY, 0)
    return Attention(encoder, 3, Attention.Config(**settings)).double().eval()


@pytest.mark.parametrize("kind", ["additive", "dot"])
def test_logits_come_from_the_weighted_sum_of_states(kind):
    model, lengths = build(kind=kind), [3, 1, 5]
    batch = random_batch(lengths)
    prediction = model(batch)
    states = model.encoder.encode(model.encoder.embed(batch), batch)[-1]
    assert prediction.token_weights is not None
    for row, length in enumerate(lengths):
        weights = prediction.token_weights[row]
        torch.testing.assert_close(weights[:length].sum(), torch.tensor(1.0).double())
        assert (weights[length:] == 0).all()
        vector = sum(weights[t] * states[row, t] for t in range(length))
        torch.testing.assert_close(prediction.pooled[row], vector)
        torch.testing.assert_close(prediction.logits[row], model.head.linear(vector))


def test_the_usual_scale_is_one_for_additive_and_the_root_of_the_width_for_dot():
    assert build().attention.scale == 1.0
    assert build(kind="dot").attention.scale == 2.0
    assert build(kind="dot", scale=7.0).attention.scale == 7.0
    assert build(scale=7.0).attention.scale == 7.0


def test_the_hidden_width_of_additive_attention_is_that_of_the_states_unless_named():
    assert build().attention.hidden.weight.shape == (4, 4)
    assert build(width=9).attention.hidden.weight.shape == (9, 4)


def test_its_weights_are_shares():
    assert Attention.own_score == "share"
