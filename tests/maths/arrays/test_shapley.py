"""The formula without torch against the formula with torch, and against all orders of the words."""

import numpy as np
import pytest
import torch

from whyword.maths.arrays.shapley import answers_of, link_shapley, orders_of
from whyword.maths.tensors import subsets

LINKS = ("softmax", "sigmoid", "cumulative")


@pytest.mark.parametrize("words", [1, 2, 7, 40, 200])
def test_the_orders_of_words_are_those_of_torch(words):
    order, _ = subsets._orders(words, subsets.SHAPLEY_ORDERS)
    np.testing.assert_array_equal(orders_of(words), order.view(-1, words))


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("words", [0, 1, 9])
def test_its_values_are_those_of_torch(link, classes, words):
    generator = torch.Generator().manual_seed(words)
    base = torch.randn(classes, generator=generator, dtype=torch.float64).sort(descending=True).values
    weights = torch.randn(1, words, classes, generator=generator, dtype=torch.float64)
    expected = subsets.link_shapley(base, weights, torch.tensor([words]), "softmax" if link == "softmax" else "sigmoid")
    expected = -torch.nn.functional.pad(expected, (1, 1)).diff() if link == "cumulative" else expected
    np.testing.assert_allclose(link_shapley(base.numpy(), weights[0].numpy(), link), expected[0], atol=1e-12)


@pytest.mark.parametrize("link", LINKS)
def test_its_values_add_up_to_what_the_words_change(link):
    generator = np.random.default_rng(1)
    base, weights = np.sort(generator.normal(size=3))[::-1], 0.1 * generator.normal(size=(12, 3))
    change = answers_of(base + weights.sum(0), link) - answers_of(base, link)
    np.testing.assert_allclose(link_shapley(base, weights, link).sum(0), change, atol=1e-12)
