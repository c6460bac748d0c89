"""The supervised contrastive loss, against loops over pairs and closed forms."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from whyword.maths.tensors.contrastive import supervised_contrast


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
