"""Masked softmax, means and maxima against loops over single rows."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from whyword.maths.tensors.masked import gather_words, masked_max, masked_mean, masked_softmax

LENGTHS = st.lists(st.integers(1, 6), min_size=1, max_size=5)


def padded(lengths, dim=None):
    shape = (len(lengths), max(lengths)) if dim is None else (len(lengths), max(lengths), dim)
    values = torch.randn(shape, dtype=torch.float64)
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    values[~mask] = 1e6  # must not be seen
    return values, mask


@given(LENGTHS)
def test_softmax_of_a_padded_row_is_the_softmax_of_the_row_alone(lengths):
    scores, mask = padded(lengths)
    weights = masked_softmax(scores, mask)
    for row, length in enumerate(lengths):
        torch.testing.assert_close(weights[row, :length], scores[row, :length].softmax(0))
        assert (weights[row, length:] == 0).all()
    torch.testing.assert_close(weights.sum(-1), torch.ones(len(lengths), dtype=torch.float64))


@given(LENGTHS, st.sampled_from([None, 1, 3]))
def test_mean_of_a_padded_row_is_the_mean_of_the_row_alone(lengths, dim):
    values, mask = padded(lengths, dim)
    alone = torch.stack([values[row, :length].mean(0) for row, length in enumerate(lengths)])
    torch.testing.assert_close(masked_mean(values, mask), alone)


@given(LENGTHS)
def test_maximum_of_a_padded_row_is_the_maximum_of_the_row_alone(lengths):
    values, mask = padded(lengths, 3)
    alone = torch.stack([values[row, :length].max(0).values for row, length in enumerate(lengths)])
    assert torch.equal(masked_max(values, mask), alone)


def test_masks_need_not_be_runs_from_the_left():
    scores = torch.tensor([[5.0, 1.0, 2.0, 7.0]], dtype=torch.float64)
    mask = torch.tensor([[False, True, True, False]])
    torch.testing.assert_close(masked_softmax(scores, mask)[0, 1:3], scores[0, 1:3].softmax(0))
    assert masked_mean(scores, mask).item() == 1.5
    assert masked_max(scores.unsqueeze(-1), mask).item() == 2.0


def test_scores_of_any_size_give_weights_without_overflow():
    weights = masked_softmax(torch.tensor([[1e30, -1e30, 3.0]]), torch.tensor([[True, True, False]]))
    assert weights.tolist() == [[1.0, 0.0, 0.0]]


def test_a_row_without_entries_has_mean_zero():
    assert masked_mean(torch.ones(1, 3), torch.zeros(1, 3, dtype=torch.bool)).tolist() == [0.0]


def test_gradients_of_all_are_right_and_do_not_reach_padding():
    values, mask = padded([2, 3], 2)
    values = torch.where(mask.unsqueeze(-1), values, 0.5).requires_grad_()
    for function in (masked_mean, masked_max, lambda v, m: masked_softmax(v[..., 0], m)):
        assert torch.autograd.gradcheck(lambda v, f=function: f(v, mask), (values,))
        (gradient,) = torch.autograd.grad(function(values, mask).pow(2).sum(), values)
        assert (gradient[~mask] == 0).all()


@st.composite
def pieces(draw):
    """The word of each token of a batch whose words have any number of pieces, anywhere."""
    rows = draw(st.lists(st.lists(st.integers(-1, 5), min_size=1, max_size=8), min_size=1, max_size=4))
    width = max(map(len, rows))
    return torch.tensor([row + [-1] * (width - len(row)) for row in rows])


@pytest.mark.parametrize("average", [False, True])
@given(word_of_token=pieces())
def test_a_words_score_is_the_sum_or_mean_of_its_pieces(average, word_of_token):
    weights = torch.rand(word_of_token.shape, dtype=torch.float64)
    scores = gather_words(weights, word_of_token, 6, average)
    for row in range(len(word_of_token)):
        for word in range(6):
            found = [float(weights[row, t]) for t, owner in enumerate(word_of_token[row]) if owner == word]
            expected = sum(found) / (len(found) if average and found else 1)
            assert float(scores[row, word]) == pytest.approx(expected)
