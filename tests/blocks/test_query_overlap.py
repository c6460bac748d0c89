import torch
from torch import nn

from whyword.blocks.attention import AdditiveAttention, DotProductAttention
from whyword.blocks.query_overlap import affine_layer, plain_query, query_overlap
from whyword.encoders.affine import Affine
from whyword.encoders.bag import Bag
from whyword.encoders.lstm import Lstm

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
