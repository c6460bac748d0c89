"""The last layer."""

import torch

from whyword.blocks.head import Head


def test_the_head_is_an_affine_map_when_nothing_is_dropped():
    head = Head(4, 3, 0.5).double().eval()
    vectors = torch.randn(2, 4, dtype=torch.float64)
    by_hand = vectors @ head.linear.weight.T + head.linear.bias
    torch.testing.assert_close(head(vectors), by_hand)


def test_dropout_falls_on_the_text_vector():
    head = Head(4, 3, 1.0)
    assert torch.equal(head(torch.randn(2, 4)), head.linear.bias.expand(2, 3))
