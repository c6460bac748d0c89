import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from whyword.maths.tensors.divergences import jensen_shannon, kullback_leibler, max_jensen_shannon, total_variation
from whyword.maths.tensors.masked import masked_softmax

MEASURES = [jensen_shannon, total_variation, kullback_leibler]


def distributions(size):
    shares = st.lists(st.sampled_from([0.0, 0.1, 1.0, 5.0]), min_size=size, max_size=size).filter(any)
    return shares.map(lambda numbers: torch.tensor(numbers, dtype=torch.float64) / sum(numbers))


@given(distributions(5), distributions(5))
def test_they_are_those_of_scipy(p, q):
    assert jensen_shannon(p, q).item() == pytest.approx(jensenshannon(p, q) ** 2, abs=1e-7)
    assert total_variation(p, q).item() == pytest.approx(max((p[s] - q[s]).sum().item() for s in subsets(5)))
    if not (q == 0).any():
        assert kullback_leibler(p, q).item() == pytest.approx(entropy(p, q), abs=1e-12)


def subsets(size):
    """Every event: total variation is the largest difference of its probability."""
    return [[i for i in range(size) if number >> i & 1] for number in range(2**size)]


@given(distributions(4), distributions(4))
def test_they_are_symmetric_and_bounded_and_zero_between_equals(p, q):
    for measure, largest in ((jensen_shannon, math.log(2)), (total_variation, 1.0)):
        assert -1e-15 <= measure(p, q).item() <= largest + 1e-15
        torch.testing.assert_close(measure(p, q), measure(q, p))
    for measure in MEASURES:
        assert measure(p, p).item() == 0.0


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_distributions_that_share_nothing_are_ln_2_apart(kind):
    p, q = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]], dtype=kind)
    assert jensen_shannon(p, q).item() == pytest.approx(math.log(2))
    assert total_variation(p, q).item() == 1.0
    assert kullback_leibler(p, q).isfinite()


@pytest.mark.parametrize("measure", MEASURES)
def test_padding_adds_nothing_and_gets_no_gradient(measure):
    scores = torch.randn(2, 3, dtype=torch.float64)
    longer = torch.cat([scores, torch.zeros(2, 2)], -1).requires_grad_()
    mask = torch.tensor([True] * 3 + [False] * 2).expand(2, 5)
    p, q = masked_softmax(longer, mask)
    torch.testing.assert_close(measure(p, q), measure(*scores.softmax(-1)))
    (gradient,) = torch.autograd.grad(measure(p, q), longer)
    assert gradient.isfinite().all()
    assert (gradient[:, 3:] == 0).all()
    assert gradient[:, :3].abs().sum() > 0


@pytest.mark.parametrize("measure", [jensen_shannon, kullback_leibler])
def test_their_gradients_are_right(measure):
    p, q = (torch.rand(3, 4, dtype=torch.float64).softmax(-1).requires_grad_() for _ in range(2))
    assert torch.autograd.gradcheck(measure, (p, q))


@given(distributions(4), distributions(4))
def test_no_distribution_is_further_than_the_furthest_and_one_of_a_single_entry_is_as_far(p, q):
    furthest = max_jensen_shannon(p, torch.ones(4, dtype=torch.bool)).item()
    assert jensen_shannon(p, q).item() <= furthest + 1e-12
    assert furthest == pytest.approx(max(jensen_shannon(p, one).item() for one in torch.eye(4).double()), abs=1e-12)


def test_the_furthest_is_sought_among_real_tokens_only():
    p = torch.tensor([[0.7, 0.3, 0.0], [1.0, 0.0, 0.0]], dtype=torch.float64)
    mask = torch.tensor([[True, True, False], [True, False, False]])
    other = torch.tensor([0.0, 1.0, 0.0], dtype=torch.float64)
    expected = np.array([jensen_shannon(p[0], other).item(), 0.0])
    assert max_jensen_shannon(p, mask).numpy() == pytest.approx(expected, abs=1e-15)
