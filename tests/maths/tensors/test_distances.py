import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from whyword.maths.tensors.distances import (
    conicity,
    jensen_shannon,
    kullback_leibler,
    max_jensen_shannon,
    supervised_contrast,
    total_variation,
)
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


def test_it_is_the_mean_cosine_with_the_mean_over_real_tokens():
    states, mask = torch.randn(2, 4, 3, dtype=torch.float64), torch.tensor([[True] * 4, [True, True, False, False]])
    for row, length in enumerate((4, 2)):
        middle = sum(states[row, t] for t in range(length)) / length
        cosines = [(states[row, t] @ middle / states[row, t].norm() / middle.norm()).item() for t in range(length)]
        assert conicity(states, mask)[row].item() == pytest.approx(sum(cosines) / length)


def test_states_of_one_direction_have_conicity_one_and_opposite_ones_none():
    mask = torch.ones(1, 2, dtype=torch.bool)
    assert conicity(torch.tensor([[[1.0, 2.0], [3.0, 6.0]]]), mask).item() == pytest.approx(1.0)
    assert conicity(torch.tensor([[[1.0, 0.0], [-1.0, 0.0]]]), mask).item() == pytest.approx(0.0)


def test_its_gradient_is_finite_where_states_are_zero():
    states = torch.zeros(1, 3, 2, requires_grad=True)
    conicity(states, torch.ones(1, 3, dtype=torch.bool)).sum().backward()
    assert states.grad.isfinite().all()


def by_hand(vectors, labels, temperature):
    """Anchor by anchor, pair by pair, as it is written."""
    rows = [[float(x) / math.sqrt(sum(float(y) ** 2 for y in row)) for x in row] for row in vectors]

    def closeness(i, k):
        return sum(x * y for x, y in zip(rows[i], rows[k], strict=True)) / temperature

    terms = []
    for i in range(len(rows)):
        total = sum(math.exp(closeness(i, k)) for k in range(len(rows)) if k != i)
        positives = [j for j in range(len(rows)) if j != i and labels[j] == labels[i]]
        if positives:
            terms.append(-sum(math.log(math.exp(closeness(i, j)) / total) for j in positives) / len(positives))
    return sum(terms) / len(terms) if terms else 0.0


@given(
    labels=st.lists(st.integers(0, 3), min_size=1, max_size=9),
    temperature=st.sampled_from([0.1, 0.3, 0.5, 0.9]),
    seed=st.integers(0, 99),
)
def test_it_is_the_sum_over_pairs_that_the_paper_means(labels, temperature, seed):
    vectors = torch.randn(len(labels), 4, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    got = supervised_contrast(vectors, torch.tensor(labels), temperature).item()
    assert got == pytest.approx(by_hand(vectors, labels, temperature), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("temperature", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("cosine", [-1.0, 0.0, 0.6, 1.0])
@pytest.mark.parametrize("size", [2, 5])
def test_two_classes_of_identical_vectors_have_a_closed_form(size, cosine, temperature):
    one = torch.tensor([3.0, 0.0], dtype=torch.float64)
    other = 0.2 * torch.tensor([cosine, math.sqrt(1 - cosine**2)], dtype=torch.float64)
    vectors = torch.stack([one] * size + [other] * size)
    labels = torch.tensor([0] * size + [1] * size)
    expected = math.log(size - 1 + size * math.exp((cosine - 1) / temperature))
    assert supervised_contrast(vectors, labels, temperature).item() == pytest.approx(expected, rel=1e-12)


def test_vectors_that_are_all_alike_cost_the_log_of_the_number_of_others():
    vectors = torch.ones(7, 3, dtype=torch.float64)
    assert supervised_contrast(vectors, torch.zeros(7).long(), 0.3).item() == pytest.approx(math.log(6))


def test_its_gradient_is_right():
    vectors = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([0, 1, 0, 2, 1, 0])
    assert torch.autograd.gradcheck(lambda rows: supervised_contrast(rows, labels, 0.4), (vectors,))


@pytest.mark.parametrize("temperature", [round(0.1 * k, 1) for k in range(1, 10)])
@pytest.mark.parametrize("length", [1e-6, 1.0, 1e6])
def test_no_temperature_and_no_length_of_vectors_overflows(length, temperature):
    vectors = (length * torch.randn(12, 5)).requires_grad_()
    loss = supervised_contrast(vectors, torch.arange(12) % 3, temperature)
    loss.backward()
    assert loss.isfinite()
    assert vectors.grad.isfinite().all()


@pytest.mark.parametrize("labels", [[0], [0, 1, 2]], ids=["one text", "no two of a class"])
def test_texts_alone_in_their_class_cost_nothing_and_pull_nothing(labels):
    vectors = torch.randn(len(labels), 4, requires_grad=True)
    loss = supervised_contrast(vectors, torch.tensor(labels), 0.1)
    loss.backward()
    assert loss.item() == 0
    assert not vectors.grad.any()


def test_a_vector_of_zeros_has_a_gradient_of_ordinary_size():
    vectors = torch.randn(4, 3)
    vectors[1] = 0
    vectors.requires_grad_()
    supervised_contrast(vectors, torch.tensor([0, 0, 1, 1]), 0.5).backward()
    assert vectors.grad.abs().max() < 10
