"""Bernoulli gates: entropy, distance from a prior, and samples against torch and scipy."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import rel_entr
from scipy.stats import binomtest, ks_2samp
from torch.distributions import Bernoulli, kl_divergence
from torch.nn.functional import gumbel_softmax

from whyword.maths.tensors.bernoulli import bernoulli_kl, sample_hard_gate, sample_relaxed

LOGITS = st.floats(-30, 30)
PRIORS = st.floats(0.01, 0.99)
FALSE_ALARM = 1e-6  # of each sampling test, were it run with fresh draws


def tensor(*values):
    return torch.tensor(values, dtype=torch.float64)


def from_seed(seed, function, *arguments):
    torch.manual_seed(seed)
    return function(*arguments)


@given(LOGITS)
def test_the_distance_from_a_fair_coin_is_ln_2_minus_the_entropy(logit):
    entropy = Bernoulli(logits=tensor(logit)).entropy()
    torch.testing.assert_close(bernoulli_kl(tensor(logit)), math.log(2) - entropy, atol=1e-12, rtol=0)


@given(LOGITS, PRIORS)
def test_the_distance_from_any_coin_is_that_of_torch(logit, prior):
    expected = kl_divergence(Bernoulli(logits=tensor(logit)), Bernoulli(tensor(prior)))
    torch.testing.assert_close(bernoulli_kl(tensor(logit), prior), expected, atol=1e-11, rtol=0)


@given(st.floats(0.001, 0.999), PRIORS)
def test_the_distance_from_any_coin_is_that_of_scipy(keep, prior):
    expected = float(rel_entr(keep, prior) + rel_entr(1 - keep, 1 - prior))
    assert bernoulli_kl(tensor(keep).logit(), prior).item() == pytest.approx(expected, abs=1e-12)


def test_the_distance_is_zero_at_the_prior_and_nowhere_below():
    assert bernoulli_kl(tensor(0.0)).item() == 0.0
    assert bernoulli_kl(tensor(0.2).logit(), 0.2).item() == pytest.approx(0.0, abs=1e-15)
    assert (bernoulli_kl(torch.linspace(-20, 20, 401, dtype=torch.float64), 0.2) > -1e-15).all()


@pytest.mark.parametrize("prior", [0.5, 0.1])
def test_the_gradient_of_the_distance_is_right(prior):
    logits = torch.linspace(-6, 6, 13, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda values: bernoulli_kl(values, prior), (logits,))
    (gradient,) = torch.autograd.grad(bernoulli_kl(logits, prior).sum(), logits)
    keep = logits.sigmoid()
    torch.testing.assert_close(gradient, keep * (1 - keep) * (logits - math.log(prior / (1 - prior))))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("prior", [0.5, 0.1])
def test_extreme_logits_have_a_finite_distance_and_gradient(dtype, prior):
    logits = torch.tensor([-1000.0, -100.0, -30.0, 30.0, 100.0, 1000.0], dtype=dtype, requires_grad=True)
    distance = bernoulli_kl(logits, prior)
    expected = [-math.log(1 - prior)] * 3 + [-math.log(prior)] * 3
    assert distance.tolist() == pytest.approx(expected, rel=1e-6)
    (gradient,) = torch.autograd.grad(distance.sum(), logits)
    assert gradient.isfinite().all()
    assert gradient.abs().max() < 1e-10


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("temperature", [0.1, 1.0])
def test_extreme_logits_have_finite_samples_and_gradients(dtype, temperature):
    logits = torch.tensor([-100.0, -30.0, 0.0, 30.0, 100.0], dtype=dtype).repeat(1000, 1).requires_grad_()
    for draw in (sample_relaxed, sample_hard_gate):
        gates = draw(logits, temperature)
        (gradient,) = torch.autograd.grad(gates.sum(), logits)
        assert gates.isfinite().all()
        assert gradient.isfinite().all()


@given(st.integers(0, 1000), st.sampled_from([0.3, 1.0, 2.0]), st.sampled_from([torch.float32, torch.float64]))
def test_a_hard_gate_is_exactly_zero_or_one_and_says_where_the_relaxed_one_leans(seed, temperature, dtype):
    logits = torch.linspace(-5, 5, 50, dtype=dtype)
    relaxed = from_seed(seed, sample_relaxed, logits, temperature)
    hard = from_seed(seed, sample_hard_gate, logits, temperature)
    assert set(hard.tolist()) <= {0.0, 1.0}
    assert torch.equal(hard, (relaxed > 0.5).to(dtype))


@given(st.integers(0, 1000), st.sampled_from([0.3, 1.0, 2.0]))
def test_the_gradient_through_a_hard_gate_is_that_of_the_relaxed_draw(seed, temperature):
    logits = torch.linspace(-5, 5, 50, dtype=torch.float64, requires_grad=True)
    upstream = torch.linspace(-1, 2, 50, dtype=torch.float64)
    relaxed = from_seed(seed, sample_relaxed, logits, temperature)
    hard = from_seed(seed, sample_hard_gate, logits, temperature)
    gradients = [torch.autograd.grad(gates, logits, upstream)[0] for gates in (hard, relaxed)]
    assert torch.equal(*gradients)
    torch.testing.assert_close(gradients[1], upstream * relaxed * (1 - relaxed) / temperature)


@pytest.mark.parametrize("logit", [-3.0, -0.5, 0.0, 2.0])
@pytest.mark.parametrize("temperature", [0.3, 1.0])
def test_gates_are_open_as_often_as_the_sigmoid_of_the_logit_says(logit, temperature):
    draws = 100_000
    opened = int(sample_hard_gate(torch.full((draws,), logit, dtype=torch.float64), temperature).sum())
    assert binomtest(opened, draws, 1 / (1 + math.exp(-logit))).pvalue > FALSE_ALARM


@pytest.mark.parametrize("logit", [-2.0, 0.0, 1.0])
@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_relaxed_gates_are_distributed_as_the_first_of_two_gumbel_softmax_classes(logit, temperature):
    draws = 20_000
    ours = sample_relaxed(torch.full((draws,), logit, dtype=torch.float64), temperature)
    theirs = gumbel_softmax(tensor(logit, 0.0).expand(draws, 2), tau=temperature)[:, 0]
    assert ks_2samp(ours.numpy(), theirs.numpy()).pvalue > FALSE_ALARM


def test_relaxed_gates_tend_to_zero_or_one_as_the_temperature_falls():
    logits = torch.linspace(-3, 3, 1000, dtype=torch.float64)
    distances = [
        torch.minimum(gates, 1 - gates).mean().item()
        for gates in (from_seed(0, sample_relaxed, logits, temperature) for temperature in (1.0, 0.1, 0.001))
    ]
    assert distances[0] > distances[1] > distances[2]
    assert distances[2] < 1e-3
