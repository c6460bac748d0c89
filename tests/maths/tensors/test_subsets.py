"""Random subsets of words, and the Shapley values of a softmax over sums."""

from itertools import pairwise, permutations

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from whyword.maths.tensors.subsets import complementary_subsets, link_shapley, random_pair

FALSE_ALARM = 1e-6  # of each test of frequencies; the draws are seeded, so it alarms always or never


def shapley_by_all_orders(base, weights):
    """Let the words of one text join in each of their orders; a word's value is the mean of what it changes."""
    words, classes = weights.shape
    values, orders = torch.zeros(words, classes, dtype=torch.float64), list(permutations(range(words)))
    for order in orders:
        sums = [base, *(base + weights[list(order[: place + 1])].sum(0) for place in range(words))]
        for word, (before, after) in zip(order, pairwise(sums), strict=True):
            values[word] += (after.softmax(-1) - before.softmax(-1)) / len(orders)
    return values


def some_weights(texts, words, classes, seed=0):
    generator = torch.Generator().manual_seed(seed)
    draw = lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float64)  # noqa: E731
    return draw(classes), 1.5 * draw(texts, words, classes)


def expected_shares(words):
    sizes = np.arange(1, words)
    weight = 1 / (sizes * (words - sizes))
    return weight / weight.sum()


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_with_many_orders_values_are_those_of_all_orders(words, classes):
    base, weights = some_weights(4, words, classes)
    values = link_shapley(base, weights, torch.full((4,), words), orders=40_000)
    for text, value in zip(weights, values, strict=True):
        # a share is within (-1, 1), so its mean over 40,000 orders is within 0.025 but for a rate of 1e-6
        torch.testing.assert_close(value, shapley_by_all_orders(base, text), atol=0.025 if words > 2 else 1e-12, rtol=0)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_usual_orders_are_enough_to_rank_by(classes):
    base, weights = some_weights(20, 5, classes)
    values = link_shapley(base, weights, torch.full((20,), 5))
    truth = torch.stack([shapley_by_all_orders(base, text) for text in weights])
    assert torch.corrcoef(torch.stack([values.flatten(), truth.flatten()]))[0, 1] > 0.99


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_values_of_a_text_add_up_and_those_of_the_classes_cancel(classes):
    base, weights = some_weights(6, 9, classes)
    values = link_shapley(base, weights, torch.full((6,), 9))
    torch.testing.assert_close(values.sum(1), (base + weights.sum(1)).softmax(-1) - base.softmax(-1))
    torch.testing.assert_close(values.sum(-1), torch.zeros(6, 9, dtype=torch.float64), atol=1e-12, rtol=0)


@pytest.mark.parametrize("classes", [2, 4])
def test_a_batch_equals_its_texts_one_by_one_and_words_beyond_a_text_change_nothing(classes):
    base, weights = some_weights(7, 12, classes)
    words = torch.tensor([12, 0, 1, 5, 2, 5, 9])
    values = link_shapley(base, weights, words)
    assert values.shape == weights.shape
    for row, count in enumerate(words.tolist()):
        assert (values[row, count:] == 0).all()
        alone = link_shapley(base, weights[row : row + 1, :count], words[row : row + 1])
        torch.testing.assert_close(values[row, :count], alone[0], atol=1e-12, rtol=0)


def test_equal_words_of_equal_places_share_alike_and_a_word_of_no_weight_gets_nothing():
    base, weights = some_weights(1, 6, 3)
    weights[:, 2] = 0
    values = link_shapley(base, weights, torch.tensor([6]))
    assert (values[:, 2] == 0).all()
    assert (values[:, [0, 1, 3, 4, 5]] != 0).any(-1).all()


def test_no_words_at_all_get_no_values():
    base, weights = some_weights(2, 0, 2)
    assert link_shapley(base, weights, torch.zeros(2, dtype=torch.long)).shape == (2, 0, 2)


@pytest.mark.parametrize("words", [2, 3, 4, 9, 40])
def test_every_second_subset_is_the_complement_of_the_one_before(words):
    subsets = complementary_subsets(words, 50, np.random.default_rng(0))
    assert subsets.shape == (100, words)
    assert (subsets[0::2] ^ subsets[1::2]).all()
    assert subsets.any(1).all()
    assert (~subsets).any(1).all()


@pytest.mark.parametrize("words", [3, 4, 9])
def test_sizes_are_drawn_by_the_weight_of_shapley_and_words_alike(words):
    drawn = complementary_subsets(words, 40_000, np.random.default_rng(words))[0::2]
    sizes = np.bincount(drawn.sum(1), minlength=words + 1)
    assert sizes[0] == sizes[words] == 0
    assert chisquare(sizes[1:words], 40_000 * expected_shares(words)).pvalue > FALSE_ALARM
    of_one = drawn[drawn.sum(1) == 1].sum(0)
    assert chisquare(of_one).pvalue > FALSE_ALARM


def test_one_word_is_there_or_not_and_no_word_leaves_nothing_to_choose():
    assert complementary_subsets(1, 2, np.random.default_rng(0)).tolist() == [[True], [False], [True], [False]]
    assert complementary_subsets(0, 2, np.random.default_rng(0)).shape == (4, 0)


def test_a_random_pair_keeps_some_but_not_all_words_of_each_text():
    words = torch.tensor([2, 7, 3, 1, 0])
    present = torch.arange(7) < words.unsqueeze(1)
    for _ in range(50):
        drawn = random_pair(words, present)
        assert drawn.shape == present.shape
        assert not (drawn & ~present).any()
        kept = drawn.sum(1)
        assert ((kept > 0) & (kept < words))[:3].all()
        assert kept[3:].tolist() == [1, 0]


def test_random_pairs_have_sizes_by_the_weight_of_shapley_in_texts_of_any_length():
    words = torch.tensor([4, 9]).repeat(20_000)
    drawn = random_pair(words, torch.arange(9) < words.unsqueeze(1))
    for count in (4, 9):
        chosen = drawn[words == count]
        sizes = np.bincount(chosen.sum(1).numpy(), minlength=count)[1:count]
        assert chisquare(sizes, 20_000 * expected_shares(count)).pvalue > FALSE_ALARM
        assert chisquare(chosen[chosen.sum(1) == 1][:, :count].sum(0).numpy()).pvalue > FALSE_ALARM


def test_texts_without_words_draw_nothing():
    assert not random_pair(torch.zeros(3, dtype=torch.long), torch.zeros(3, 1, dtype=torch.bool)).any()


def test_the_sigmoid_of_each_label_has_its_own_shapley_values() -> None:
    torch.manual_seed(0)
    base, weights = torch.randn(3).double(), torch.randn(1, 4, 3).double()
    values = link_shapley(base, weights, torch.tensor([4]), "sigmoid", orders=40_000)
    for label in range(3):  # two classes with the log-odds of the label: half of them each
        two = torch.stack([-base[label] / 2, base[label] / 2]), torch.stack([-weights[..., label], weights[..., label]])
        of_two = link_shapley(two[0], two[1].permute(1, 2, 0) / 2, torch.tensor([4]), orders=40_000)
        assert torch.allclose(values[..., label], of_two[..., 1])
    whole = (base + weights.sum(1)).sigmoid() - base.sigmoid()
    assert torch.allclose(values.sum(1), whole)


def test_many_classes_are_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    base, weights, words = torch.randn(5), torch.randn(6, 3, 5), torch.full((6,), 3)
    together = link_shapley(base, weights, words)
    monkeypatch.setattr("whyword.maths.tensors.subsets.MOST_NUMBERS", 1)
    assert torch.allclose(link_shapley(base, weights, words), together, atol=1e-7)
