"""Dropout by bits."""

import math

import pytest
import torch
from scipy import stats

from whyword.blocks.dropout import Dropout


@pytest.mark.parametrize("share", [0.1, 0.2, 0.5, 0.9, 0.999])
def test_each_number_goes_with_the_share_that_was_asked_for(share):
    torch.manual_seed(0)
    kept = Dropout(share)(torch.ones(1000, 1001)) > 0
    assert stats.binomtest(int(kept.sum()), kept.numel(), 1 - share).pvalue > 1e-4
    per_place = torch.stack([kept.flatten()[i::4].sum() for i in range(4)])  # four numbers share a draw
    assert (
        stats.chisquare(per_place.numpy(), [kept.sum().item() * n / kept.numel() for n in (250250,) * 4]).pvalue > 1e-4
    )


def test_neighbours_go_independently():
    torch.manual_seed(0)
    kept = (Dropout(0.5)(torch.ones(400_000)) > 0).double().view(-1, 4)
    off_diagonal = torch.corrcoef(kept.T)[~torch.eye(4, dtype=torch.bool)]
    assert off_diagonal.abs().max() < 5 / math.sqrt(100_000)  # five standard errors


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_stays_is_scaled_up_and_takes_the_same_gradient(dtype):
    states = torch.randn(7, 5, 3, dtype=dtype, requires_grad=True)
    dropped = Dropout(0.25)(states)
    dropped.sum().backward()
    kept = dropped != 0
    assert 0 < kept.sum() < kept.numel()
    torch.testing.assert_close(dropped[kept], states[kept] / 0.75)
    torch.testing.assert_close(states.grad, kept.to(dtype) / 0.75)


def test_a_seed_repeats_it_and_nothing_is_drawn_outside_training():
    states, dropout = torch.randn(9, 11), Dropout(0.5)
    first, second = ([torch.manual_seed(3), dropout(states)][1] for _ in range(2))
    assert torch.equal(first, second)
    before = torch.get_rng_state()
    assert dropout.eval()(states) is states
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(Dropout(0.0)(states), states)
    assert not Dropout(1.0)(states).any()
    assert Dropout(0.5)(torch.ones(0, 4)).shape == (0, 4)
