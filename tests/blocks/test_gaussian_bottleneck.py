"""The two networks of a Gaussian bottleneck."""

import pytest
import torch
from torch.nn.functional import softplus

from whyword.blocks.gaussian_bottleneck import SMALLEST, GaussianBottleneck


@pytest.mark.parametrize(("form", "positive"), [("softplus", softplus), ("exp", torch.exp)])
def test_mean_and_deviation_are_one_hidden_layer_of_tanh_each(form, positive):
    block, vectors = GaussianBottleneck(4, 3, 2, form).double(), torch.randn(5, 4).double()
    mean, deviation = block(vectors)
    for network, answer, last in ((block.mean, mean, lambda x: x), (block.raw_deviation, deviation, positive)):
        first, _, second = network
        hidden = torch.tanh(vectors @ first.weight.T + first.bias)
        torch.testing.assert_close(answer, last(hidden @ second.weight.T + second.bias), atol=2 * SMALLEST, rtol=0)
    assert mean.shape == deviation.shape == (5, 2)


@pytest.mark.parametrize("form", ["softplus", "exp"])
def test_deviations_are_above_zero_however_small_they_are_meant_to_be(form):
    block = GaussianBottleneck(4, 3, 2, form)
    torch.nn.init.constant_(block.raw_deviation[-1].bias, -1e4)
    assert (block(torch.randn(5, 4))[1] >= SMALLEST).all()
