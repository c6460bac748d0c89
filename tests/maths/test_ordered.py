import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, mean_absolute_error

from whyword.maths.stats.classes import judge
from whyword.maths.stats.ordered import decided, difference_of_error, estimate_ordered, median_classes
from whyword.maths.tensors.ordered import class_logits, odds_above, scale_odds
from whyword.maths.tensors.subsets import link_shapley


def _odds(rows: int, cuts: int) -> torch.Tensor:
    drawn = torch.randn(rows, cuts, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    return (3 * drawn).sort(1, descending=True).values


@pytest.mark.parametrize("cuts", [1, 2, 6])
def test_probabilities_of_classes_are_differences_of_those_of_lying_above_each_cut(cuts: int) -> None:
    odds = _odds(20, cuts)
    above = torch.nn.functional.pad(odds.sigmoid(), (1, 0), value=1.0)
    expected = above - torch.nn.functional.pad(above[:, 1:], (0, 1))
    torch.testing.assert_close(class_logits(odds).exp(), expected)
    torch.testing.assert_close(class_logits(odds).exp().sum(1), torch.ones(20, dtype=torch.float64))


def test_log_odds_and_probabilities_are_inverse_to_each_other_and_a_scale_of_one_changes_nothing() -> None:
    odds = _odds(20, 4)
    torch.testing.assert_close(odds_above(class_logits(odds)), odds)
    torch.testing.assert_close(odds_above(class_logits(odds) + 5), odds)
    torch.testing.assert_close(scale_odds(class_logits(odds), 1.0), class_logits(odds))
    torch.testing.assert_close(odds_above(scale_odds(class_logits(odds), 0.4)), 0.4 * odds)


def test_probabilities_far_from_the_cut_points_have_finite_logarithms_and_gradients() -> None:
    odds = (torch.tensor([[80.0], [-80.0]]) - torch.tensor([0.0, 1e-5, 2.0])).requires_grad_()
    logits = class_logits(odds)
    logits.sum().backward()
    assert logits.isfinite().all()
    assert odds.grad is not None
    assert odds.grad.isfinite().all()


def test_gradients_are_those_of_finite_differences() -> None:
    odds = _odds(3, 3).requires_grad_()
    assert torch.autograd.gradcheck(class_logits, (odds,))
    assert torch.autograd.gradcheck(
        lambda logits: scale_odds(logits, 0.7), (class_logits(odds).detach().requires_grad_(),)
    )


def test_shapley_values_of_a_cumulative_formula_are_those_of_all_orders_of_its_words() -> None:
    from itertools import permutations

    base, weights = torch.tensor([1.0, 0.2, -1.5]), torch.tensor([[0.9], [-0.4], [1.3]]).expand(3, 3)
    expected = torch.zeros(3, 4)
    orders = list(permutations(range(3)))
    for order in orders:
        odds = base
        for word in order:
            after = odds + weights[word]
            expected[word] += (class_logits(after).exp() - class_logits(odds).exp()) / len(orders)
            odds = after
    found = link_shapley(base, weights.unsqueeze(0), torch.tensor([3]), "cumulative", orders=4_000)[0]
    torch.testing.assert_close(found, expected, atol=5e-3, rtol=0)
    whole = class_logits(base + weights.sum(0)).exp() - class_logits(base).exp()
    torch.testing.assert_close(found.sum(0), whole)


@given(st.lists(st.integers(0, 8), min_size=2, max_size=6).filter(any))
def test_no_class_has_less_expected_absolute_error_than_the_median(counts: list[int]) -> None:
    probabilities = np.array(counts) / sum(counts)
    classes = np.arange(len(counts))
    error = np.abs(classes[:, None] - classes) @ probabilities
    assert error[median_classes(probabilities[None])[0]] == pytest.approx(error.min())


def test_the_median_is_predicted_only_where_classes_have_an_order() -> None:
    probabilities = np.array([[0.4, 0.25, 0.35]])
    assert decided(probabilities, ordered=True).tolist() == [1]
    assert decided(probabilities, ordered=False).tolist() == [0]


def test_absolute_error_and_kappa_are_those_of_scikit_learn_and_lie_in_their_intervals() -> None:
    generator = np.random.default_rng(0)
    gold = generator.integers(0, 5, 300)
    predicted = np.clip(gold + generator.integers(-1, 2, 300), 0, 4)
    values = np.array([1.0, 2, 3, 4, 9])
    scores = estimate_ordered(predicted, gold, values)
    assert scores.accuracy.value == pytest.approx((predicted == gold).mean())
    assert scores.absolute_error.value == pytest.approx(mean_absolute_error(values[gold], values[predicted]))
    assert scores.kappa.value == pytest.approx(cohen_kappa_score(gold, predicted, weights="quadratic"))
    for estimate in (scores.accuracy, scores.absolute_error, scores.kappa):
        assert estimate.low < estimate.value < estimate.high


def test_the_same_answer_to_every_text_agrees_no_better_than_chance() -> None:
    assert estimate_ordered(np.full(4, 1), np.array([0, 1, 2, 1]), np.arange(3.0)).kappa.value == 0
    assert estimate_ordered(np.full(4, 1), np.full(4, 1), np.arange(3.0)).kappa.value == 0


def test_what_one_model_saves_over_another_is_the_difference_of_their_errors() -> None:
    gold, one, other = np.array([0, 1, 2, 2]), np.array([0, 1, 2, 1]), np.array([2, 1, 1, 1])
    saved = difference_of_error(one, other, gold, np.arange(3.0))
    assert saved.value == pytest.approx((2 + 0 + 1 + 0) / 4)
    assert saved.low <= saved.value <= saved.high


def test_dev_is_judged_by_the_error_of_the_median() -> None:
    logs = np.log([[0.4, 0.25, 0.35], [0.1, 0.1, 0.8]])
    score, mean = judge(logs, np.array([0, 2]), "absolute-error")
    assert score == -0.5
    assert mean == pytest.approx(np.log([0.4, 0.8]).mean())
