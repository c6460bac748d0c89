"""Gaussians, against torch's and against numeric integration."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm
from torch.distributions import Normal, kl_divergence

from whyword.maths.tensors.gaussian import kl_to_standard_normal, sample_gaussian


@given(st.floats(-20, 20), st.floats(1e-3, 20))
def test_the_distance_from_the_standard_normal_is_that_of_torch(mean, deviation):
    mean, deviation = torch.tensor([mean, deviation], dtype=torch.float64)
    expected = kl_divergence(Normal(mean, deviation), Normal(torch.zeros_like(mean), torch.ones_like(mean)))
    torch.testing.assert_close(kl_to_standard_normal(mean, deviation), expected)


@pytest.mark.parametrize(("mean", "deviation"), [(0.0, 1.0), (1.5, 0.3), (-2.0, 2.5), (0.1, 0.01)])
def test_the_distance_is_the_integral_of_the_log_ratio_of_the_two_densities(mean, deviation):
    mine, standard = norm(mean, deviation), norm(0, 1)
    ends = (mean - 12 * deviation, mean + 12 * deviation)
    expected, _ = quad(lambda z: mine.pdf(z) * (mine.logpdf(z) - standard.logpdf(z)), *ends, points=[mean])
    ours = kl_to_standard_normal(*torch.tensor([mean, deviation], dtype=torch.float64)).item()
    assert ours == pytest.approx(expected, abs=1e-9)


@given(st.floats(-5, 5), st.floats(1e-2, 5))
def test_the_distance_is_never_negative_and_zero_only_at_the_standard_normal(mean, deviation):
    distance = kl_to_standard_normal(*torch.tensor([mean, deviation], dtype=torch.float64)).item()
    assert distance >= -1e-15
    assert kl_to_standard_normal(torch.zeros(()), torch.ones(())) == 0
    if abs(mean) > 1e-3 or abs(deviation - 1) > 1e-3:
        assert distance > 0


def test_gradients_of_distance_and_sample_are_right():
    mean = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    deviation = (torch.rand(3, 4, dtype=torch.float64) + 0.1).requires_grad_()
    assert torch.autograd.gradcheck(kl_to_standard_normal, (mean, deviation))
    draw = lambda u, s: sample_gaussian(u, s, torch.Generator().manual_seed(1))  # noqa: E731
    assert torch.autograd.gradcheck(draw, (mean, deviation))


def test_samples_have_the_mean_and_deviation_asked_for():
    mean, deviation = torch.tensor([-3.0, 0.0, 7.0]).double(), torch.tensor([0.5, 1.0, 2.0]).double()
    draws = sample_gaussian(mean.expand(40_000, 3), deviation.expand(40_000, 3))
    within = 5 * deviation / math.sqrt(40_000)  # a false alarm in a million or so
    assert ((draws.mean(0) - mean).abs() < within).all()
    assert ((draws.std(0) - deviation).abs() < within).all()


def test_the_same_generator_draws_the_same_and_leaves_the_global_stream_alone():
    mean, deviation = torch.zeros(5), torch.ones(5)
    state = torch.get_rng_state()
    one, two = (sample_gaussian(mean, deviation, torch.Generator().manual_seed(3)) for _ in range(2))
    assert torch.equal(one, two)
    assert torch.equal(torch.get_rng_state(), state)
    assert not torch.equal(sample_gaussian(mean, deviation), sample_gaussian(mean, deviation))
