"""Information through noise, against numerical integration and torch's Gaussians."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm
from torch.distributions import Normal, kl_divergence

from whyword.maths.tensors.noise_bottleneck import kl_of_mixture

SHARES = st.floats(0.0, 0.9933)


def tensor(value):
    return torch.tensor(value, dtype=torch.float64)


@pytest.mark.parametrize("share", [0.0067, 0.3, 0.5, 0.9, 0.9933])
@pytest.mark.parametrize(("value", "mean", "deviation"), [(0.4, 0.1, 0.5), (-2.0, 0.3, 0.7), (0.05, 0.05, 0.01)])
def test_it_is_the_integral_of_the_log_ratio_of_the_two_densities(share, value, mean, deviation):
    mixed = norm(share * value + (1 - share) * mean, (1 - share) * deviation)
    noise = norm(mean, deviation)
    center, width = mixed.mean(), 12 * mixed.std()
    integral, _ = quad(
        lambda z: mixed.pdf(z) * (mixed.logpdf(z) - noise.logpdf(z)), center - width, center + width, epsabs=1e-10
    )
    ours = kl_of_mixture(tensor(share), tensor((value - mean) / deviation))
    assert ours.item() == pytest.approx(integral, abs=1e-8)


@given(SHARES, st.floats(-5, 5), st.floats(-3, 3), st.floats(0.01, 3))
def test_it_is_the_distance_between_two_gaussians_of_torch(share, value, mean, deviation):
    mixed = Normal(tensor(share * value + (1 - share) * mean), tensor((1 - share) * deviation))
    expected = kl_divergence(mixed, Normal(tensor(mean), tensor(deviation)))
    ours = kl_of_mixture(tensor(share), tensor((value - mean) / deviation))
    torch.testing.assert_close(ours, expected, rtol=1e-9, atol=1e-9)


@given(st.floats(-5, 5))
def test_pure_noise_tells_nothing(standardized):
    assert kl_of_mixture(tensor(0.0), tensor(standardized)).item() == 0.0


@given(SHARES, SHARES, st.floats(-5, 5))
def test_the_more_passes_the_more_is_told(one, other, standardized):
    low, high = (kl_of_mixture(tensor(share), tensor(standardized)).item() for share in sorted((one, other)))
    assert -1e-12 <= low <= high + 1e-12


def test_its_gradients_are_right():
    share = torch.tensor([[0.1], [0.5], [0.95]], dtype=torch.float64, requires_grad=True)
    standardized = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(kl_of_mixture, (share, standardized))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_value_and_gradient_are_finite_at_both_ends_of_the_clamp(dtype):
    classify_from = torch.tensor([-5.0, 5.0], dtype=dtype, requires_grad=True)
    share = classify_from.sigmoid()
    told = kl_of_mixture(share, torch.tensor(3.0, dtype=dtype))
    (gradient,) = torch.autograd.grad(told.sum(), classify_from)
    rest = [1 / (1 + math.exp(-5)), 1 / (1 + math.exp(5))]  # 1 - λ
    expected = [-0.5 * (1 + 2 * math.log(r) - 9 * (1 - r) ** 2 - r**2) for r in rest]
    assert told.tolist() == pytest.approx(expected, rel=1e-4)
    assert gradient.isfinite().all()
    assert (gradient > 0).all()
