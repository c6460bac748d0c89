import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import rel_entr
from scipy.stats import binomtest, ks_2samp, norm
from torch.distributions import Bernoulli, Normal, kl_divergence
from torch.nn.functional import gumbel_softmax

from whyword.maths.tensors.gates import (
    bernoulli_kl,
    kl_of_mixture,
    kl_to_standard_normal,
    rising,
    sample_gaussian,
    sample_hard_gate,
    sample_relaxed,
    staged_decay,
)

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


SHARES = st.floats(0.0, 0.9933)


def double(value):
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
    ours = kl_of_mixture(double(share), double((value - mean) / deviation))
    assert ours.item() == pytest.approx(integral, abs=1e-8)


@given(SHARES, st.floats(-5, 5), st.floats(-3, 3), st.floats(0.01, 3))
def test_it_is_the_distance_between_two_gaussians_of_torch(share, value, mean, deviation):
    mixed = Normal(double(share * value + (1 - share) * mean), double((1 - share) * deviation))
    expected = kl_divergence(mixed, Normal(double(mean), double(deviation)))
    ours = kl_of_mixture(double(share), double((value - mean) / deviation))
    torch.testing.assert_close(ours, expected, rtol=1e-9, atol=1e-9)


@given(st.floats(-5, 5))
def test_pure_noise_tells_nothing(standardized):
    assert kl_of_mixture(double(0.0), double(standardized)).item() == 0.0


@given(SHARES, SHARES, st.floats(-5, 5))
def test_the_more_passes_the_more_is_told(one, other, standardized):
    low, high = (kl_of_mixture(double(share), double(standardized)).item() for share in sorted((one, other)))
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


PROGRESS = st.floats(0, 1)


def test_the_stages_are_those_of_the_vmask_code():
    middles = [(stage + 0.5) / 10 for stage in range(10)]
    weights = [staged_decay(1.0, 0.109, 10, progress) for progress in middles]
    assert weights == pytest.approx([1.0, 0.901, 0.802, 0.703, 0.604, 0.505, 0.406, 0.307, 0.208, 0.109])


def test_a_stage_starts_where_the_one_before_ends_and_the_last_lasts_to_the_end():
    assert staged_decay(1.0, 0.109, 10, 0.0) == 1.0
    assert staged_decay(1.0, 0.109, 10, 0.0999) == 1.0
    assert staged_decay(1.0, 0.109, 10, 0.1) == pytest.approx(0.901)
    assert staged_decay(1.0, 0.109, 10, 0.9) == pytest.approx(0.109)
    assert staged_decay(1.0, 0.109, 10, 1.0) == pytest.approx(0.109)


@pytest.mark.parametrize("stages", [2, 3, 5, 10, 20])
def test_every_epoch_of_a_training_lies_in_the_stage_whole_numbers_give(stages):
    for epochs in range(1, 121):
        for epoch in range(epochs):
            expected = 1.0 - epoch * stages // epochs / (stages - 1)
            assert staged_decay(1.0, 0.0, stages, epoch / epochs) == pytest.approx(expected, abs=1e-12)


@given(PROGRESS, PROGRESS, st.integers(2, 20), st.floats(0, 5), st.floats(0, 5))
def test_it_never_rises_and_stays_between_start_and_end(first, second, stages, one, other):
    start, end = max(one, other), min(one, other)
    early, late = (staged_decay(start, end, stages, at) for at in sorted((first, second)))
    assert start >= early >= late
    assert late >= end - 1e-12


@given(PROGRESS)
def test_one_stage_is_a_constant(progress):
    assert staged_decay(0.7, 0.1, 1, progress) == 0.7


@given(PROGRESS, st.floats(0, 5))
def test_a_rising_weight_is_a_straight_line_from_zero(progress, end):
    assert rising(end, 0.0) == 0.0
    assert rising(end, 1.0) == end
    assert rising(end, progress) == pytest.approx(end * progress)
