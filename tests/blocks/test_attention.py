import math

import pytest
import torch
from torch import nn

from reference.samples import VOCABULARY, attention_on_lstm, random_batch
from whyword.blocks.attention import (
    AdditiveAttention,
    DotProductAttention,
    affine_layer,
    attend,
    plain_query,
    query_overlap,
    states_health,
    states_warnings,
)
from whyword.encoders.affine import Affine
from whyword.encoders.bag import Bag
from whyword.encoders.lstm import Lstm
from whyword.maths.tensors.distances import conicity

LENGTHS = [3, 1, 5]


def states_and_mask():
    states = torch.randn(3, 5, 4, dtype=torch.float64)
    return states, torch.arange(5) < torch.tensor(LENGTHS)[:, None]


def softmax(scores):
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    return [power / sum(powers) for power in powers]


@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_additive_attention_is_the_softmax_of_v_tanh_w_h_over_scale(scale):
    states, mask = states_and_mask()
    attention = AdditiveAttention(4, 3, scale).double()
    weights = attention(states, mask)
    w, v = attention.hidden.weight.tolist(), attention.query.weight[0].tolist()
    for row, length in enumerate(LENGTHS):
        scores = []
        for state in states[row, :length].tolist():
            hidden = [math.tanh(sum(a * b for a, b in zip(line, state, strict=True))) for line in w]
            scores.append(sum(a * b for a, b in zip(v, hidden, strict=True)) / scale)
        assert weights[row, :length].tolist() == pytest.approx(softmax(scores))
        assert (weights[row, length:] == 0).all()


@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_dot_product_attention_is_the_softmax_of_h_v_over_scale(scale):
    states, mask = states_and_mask()
    attention = DotProductAttention(4, scale).double()
    weights, v = attention(states, mask), attention.query.tolist()
    for row, length in enumerate(LENGTHS):
        scores = [sum(a * b for a, b in zip(v, state, strict=True)) / scale for state in states[row, :length].tolist()]
        assert weights[row, :length].tolist() == pytest.approx(softmax(scores))
        assert (weights[row, length:] == 0).all()


def test_attending_is_the_weighted_sum_of_states():
    states, mask = states_and_mask()
    weights = DotProductAttention(4, 1.0).double()(states, mask)
    for row, vector in enumerate(attend(weights, states)):
        by_hand = sum(weights[row, t] * states[row, t] for t in range(LENGTHS[row]))
        torch.testing.assert_close(vector, by_hand)


def test_equal_states_get_equal_weights():
    states = torch.ones(1, 4, 4, dtype=torch.float64)
    mask = torch.tensor([[True, True, True, False]])
    for attention in (AdditiveAttention(4, 3, 1.0), DotProductAttention(4, 1.0)):
        torch.testing.assert_close(attention.double()(states, mask), torch.tensor([[1, 1, 1, 0]]).double() / 3)


def test_several_heads_share_w_each_is_an_attention_of_its_own_and_their_mean_weighs_the_tokens():
    states, mask = states_and_mask()
    attention = AdditiveAttention(4, 3, 2.5, heads=2).double()
    by_head = attention.by_head(states, mask)
    assert by_head.shape == (3, 2, 5)
    for head in range(2):
        single = AdditiveAttention(4, 3, 2.5).double()
        single.hidden.load_state_dict(attention.hidden.state_dict())
        single.query.weight.data = attention.query.weight.data[head : head + 1]
        torch.testing.assert_close(by_head[:, head], single(states, mask))
    torch.testing.assert_close(attention(states, mask), (by_head[:, 0] + by_head[:, 1]) / 2)


def test_the_only_head_is_the_attention():
    states, mask = states_and_mask()
    attention = AdditiveAttention(4, 3, 1.0).double()
    assert torch.equal(attention.by_head(states, mask)[:, 0], attention(states, mask))


@torch.no_grad()
def test_health_is_the_mean_conicity_over_all_texts():
    model, batches = attention_on_lstm(VOCABULARY).eval(), [random_batch([3, 1, 5]), random_batch([4])]
    of_texts = []
    for batch in batches:
        states = model.encoder.encode(model.encoder.embed(batch), batch)[-1]
        of_texts += conicity(states, batch.mask).tolist()
    assert len(of_texts) == 4
    assert states_health(model, model.encoder, batches) == pytest.approx({"conicity": sum(of_texts) / 4})


def test_states_that_are_all_alike_are_warned_about():
    (warning,) = states_warnings({"conicity": 0.97}, "Do this.")
    assert "0.97" in warning
    assert warning.endswith("Do this.")
    assert states_warnings({"conicity": 0.5}, "") == states_warnings({}, "") == []


BAG, AFFINE = Bag(Bag.Config(dim=5), 9, 0), Affine(Affine.Config(dim=5, hidden=4), 9, 0)


def test_only_the_affine_encoder_has_a_layer():
    assert affine_layer(AFFINE) is AFFINE.layer
    assert affine_layer(BAG) is None
    assert affine_layer(Lstm(Lstm.Config(dim=3, hidden=4), 9, 0)) is None


def test_the_overlap_is_v_times_w_between_word_vectors():
    query, polarity = torch.randn(4), torch.randn(3, 4)
    torch.testing.assert_close(query_overlap(query, polarity, BAG), polarity @ query)
    matrix = AFFINE.layer.weight.detach()
    expected = torch.stack([(matrix.T @ query) @ (matrix.T @ row) for row in polarity])
    torch.testing.assert_close(query_overlap(query, polarity, AFFINE).detach(), expected)


def test_the_query_of_additive_attention_is_that_of_its_linear_part():
    attention = AdditiveAttention(4, 3, 1.0)
    states = 1e-3 * torch.randn(1, 5, 4)
    torch.testing.assert_close(attention.scores(states), states @ plain_query(attention), atol=1e-7, rtol=1e-4)
    dot = DotProductAttention(4, 1.0)
    assert plain_query(dot) is dot.query
    assert plain_query(nn.Linear(4, 1)) is None
