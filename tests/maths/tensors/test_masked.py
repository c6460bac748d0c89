"""Masked softmax, means and maxima against loops over single rows."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from whyword.maths.tensors.masked import (
    gather_words,
    hard_k_hot,
    masked_max,
    masked_mean,
    masked_softmax,
    sample_k_hot,
    share_out,
    some_of,
)

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


FALSE_ALARM = 1e-6  # of each sampling test, were it run with fresh draws
ROWS = st.lists(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=7, max_size=7), min_size=1, max_size=4)


def split_rows(rows):
    scores = torch.tensor([[float(score) for score, _ in row] for row in rows], dtype=torch.float64)
    return scores, torch.tensor([[real for _, real in row] for row in rows])


@given(ROWS, st.integers(1, 9))
def test_the_k_largest_are_marked_ties_to_the_earlier_and_all_where_there_are_fewer(rows, k):
    scores, mask = split_rows(rows)
    chosen = hard_k_hot(scores, mask, k)
    for row, marks in zip(rows, chosen.tolist(), strict=True):
        order = sorted((-score, place) for place, (score, real) in enumerate(row) if real)
        assert [place for place, mark in enumerate(marks) if mark] == sorted(place for _, place in order[:k])


def test_scores_that_differ_by_rounding_errors_are_ties():
    scores = torch.tensor([[0.3, 0.3 + 1e-7, 0.3 + 2e-7, 0.4]])
    assert hard_k_hot(scores, torch.ones(1, 4, dtype=torch.bool), 2).tolist() == [[True, False, False, True]]


@given(ROWS, st.integers(1, 5), st.sampled_from([0.1, 0.5, 2.0]))
def test_a_relaxed_choice_is_zero_outside_the_mask_and_adds_up_to_between_one_and_k(rows, k, temperature):
    scores, mask = split_rows(rows)
    mask[:, 2] = True
    chosen = sample_k_hot(scores, mask, k, temperature)
    assert (chosen[~mask] == 0).all()
    assert (chosen >= 0).all()
    assert (chosen <= 1).all()
    assert (chosen.sum(-1) <= k + 1e-9).all()
    assert (chosen.sum(-1) >= 1 - 1e-9).all()


@given(st.integers(0, 100), st.integers(1, 4))
def test_at_low_temperature_it_is_the_union_of_k_hard_draws(seed, k):
    logits = torch.linspace(-1, 1, 6, dtype=torch.float64).expand(3, 6)
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2, [False, True] + [False] * 4])
    torch.manual_seed(seed)
    gumbel = -(-torch.rand(k, 3, 6, dtype=torch.float64).log()).log()
    winners = (logits + gumbel).masked_fill(~mask, -torch.inf).argmax(-1)  # (draw, row)
    union = torch.zeros(3, 6, dtype=torch.float64)
    for draw in winners:
        union[range(3), draw] = 1.0
    torch.manual_seed(seed)
    torch.testing.assert_close(sample_k_hot(logits, mask, k, 1e-6), union)
    assert (union.sum(-1) <= k).all()


def test_k_equal_and_sure_winners_are_all_chosen():
    logits = torch.tensor([9.0, -200.0, 9.0, -200.0], dtype=torch.float64).expand(200, 4)
    chosen = sample_k_hot(logits, torch.ones(200, 4, dtype=torch.bool), 12, 0.01)
    assert (chosen[:, [1, 3]] < 1e-12).all()
    both = int((chosen.sum(-1) > 1.99).sum())  # twelve draws all miss one of the two once in 2^11 rows
    assert both >= 195  # false alarm below 1e-8


def test_one_draw_falls_on_an_entry_as_often_as_the_softmax_says():
    logits, draws = torch.tensor([0.0, 1.0, -1.0], dtype=torch.float64), 50_000
    chosen = sample_k_hot(logits.expand(draws, 3), torch.ones(draws, 3, dtype=torch.bool), 1, 0.01)
    for count, share in zip((chosen > 0.5).sum(0).tolist(), logits.softmax(0).tolist(), strict=True):
        assert binomtest(count, draws, share).pvalue > FALSE_ALARM


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_extreme_logits_have_finite_choices_and_gradients(dtype):
    logits = torch.tensor([[-100.0, -30.0, 0.0, 30.0, 100.0]], dtype=dtype).repeat(100, 1).requires_grad_()
    chosen = sample_k_hot(logits, torch.ones(100, 5, dtype=torch.bool), 3, 0.5)
    (gradient,) = torch.autograd.grad(chosen.square().sum(), logits)
    assert chosen.isfinite().all()
    assert gradient.isfinite().all()


def test_the_gradient_of_a_relaxed_choice_is_right_and_does_not_reach_masked_entries():
    logits = torch.randn(2, 5, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor([[True] * 5, [True, False, True, True, False]])

    def draw(values):
        torch.manual_seed(3)
        return sample_k_hot(values, mask, 2, 0.7)

    assert torch.autograd.gradcheck(draw, (logits,))
    (gradient,) = torch.autograd.grad(draw(logits).square().sum(), logits)
    assert (gradient[~mask] == 0).all()
    assert (gradient[mask] != 0).all()


@given(st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=1, max_size=4))
def test_only_candidates_are_drawn_at_least_one_where_there_is_one(rows):
    candidates = torch.tensor(rows)
    drawn = some_of(candidates)
    assert not (drawn & ~candidates).any()
    assert torch.equal(drawn.any(-1), candidates.any(-1))


def test_every_number_of_candidates_is_as_likely_and_so_is_every_candidate():
    candidates = torch.tensor([True, False, True, True, False, True]).expand(40_000, 6)
    drawn = some_of(candidates)
    torch.testing.assert_close(
        drawn.sum(-1).bincount(minlength=5)[1:] / 40_000, torch.full((4,), 0.25), atol=0.01, rtol=0
    )
    shares = drawn.double().mean(0)[candidates[0]]
    torch.testing.assert_close(shares, torch.full((4,), 2.5 / 4, dtype=torch.float64), atol=0.01, rtol=0)


def test_words_that_share_a_piece_share_its_value():
    values = torch.tensor([[1.0, 6.0, 0.0, 0.0, 2.0], [1.0, 2.0, 3.0, 4.0, 5.0]])
    owner = torch.tensor([[0, 1, 1, 1, 4], [0, 1, 2, 3, 4]])
    assert share_out(values, owner).tolist() == [[1, 2, 2, 2, 2], [1, 2, 3, 4, 5]]
    assert share_out(values, owner, average=True).tolist() == [[1, 6, 6, 6, 2], [1, 2, 3, 4, 5]]
    assert share_out(values, None) is values
