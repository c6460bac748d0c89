"""Random subsets of the words of a text, and the Shapley values of a formula that answers for all of them."""

from __future__ import annotations

from functools import cache

import numpy as np
import torch
from torch import Tensor

SHAPLEY_ORDERS = 64  # of the words, half of them the reverse of the others; r above 0.998 with 4,096 of them


def complementary_subsets(words: int, pairs: int, generator: np.random.Generator) -> np.ndarray:
    """Draw subsets of the words, each followed by its complement: (2 · pairs, words) bool.

    Of a subset's size s, every subset is equally likely; sizes are drawn with the weight 1 / (s (n - s)), so that
    squared errors over them are least where the sums are Shapley values (Charnes et al. 1988; FastSHAP).
    """
    if words < 2:
        return np.tile([[True], [False]], (pairs, words))
    sizes = np.arange(1, words)
    weight = 1 / (sizes * (words - sizes))
    size = generator.choice(sizes, pairs, p=weight / weight.sum())
    drawn = generator.random((pairs, words)).argsort(1).argsort(1) < size[:, None]
    return np.stack([drawn, ~drawn], 1).reshape(2 * pairs, words)


def random_pair(words: Tensor, present: Tensor) -> Tensor:
    """Draw one subset of each text's words, with sizes as above: (text,), (text, word) bool to (text, word) bool."""
    sizes = torch.arange(1, max(2, present.shape[1]), device=words.device)
    weight = 1 / (sizes * (words.unsqueeze(1) - sizes).clamp(min=1))
    weight = weight.masked_fill(sizes >= words.unsqueeze(1), 0.0)
    weight[:, 0] += weight.sum(1) == 0  # a single word stays, or goes with the complement
    size = torch.multinomial(weight, 1) + 1
    keys = torch.rand(present.shape, device=words.device).masked_fill(~present, 2.0)
    return (keys.argsort(1).argsort(1) < size) & present


def softmax_shapley(base: Tensor, weights: Tensor, words: Tensor, orders: int = SHAPLEY_ORDERS) -> Tensor:
    """Give the Shapley values of p(S) = softmax(base + the weights of the words in S): (text, word, class).

    Weights are (text, word, class) and 0 from words (text,) on. Orders of the words are drawn once and for all, each
    with its reverse; in each of them a word's share is what it adds to the words before, so the shares of a text add up
    to softmax(base + all weights) - softmax(base) but for rounding.
    """
    texts, most, classes = weights.shape
    lengths, of_text = words.unique(return_inverse=True)  # texts of as many words share their orders
    beyond = torch.arange(most, device=weights.device) >= lengths.view(-1, 1, 1)
    place = _places(most, orders).to(weights.device).masked_fill(beyond, most)
    order = place.argsort(dim=-1, stable=True)[of_text]  # (text, order, place): the real words first
    chosen = order.unsqueeze(-1).expand(-1, -1, -1, classes)
    path = weights.unsqueeze(1).expand(-1, orders, -1, -1).gather(2, chosen).cumsum(2) + base
    start = base.softmax(-1).expand(texts, orders, 1, classes)
    shares = torch.cat([start, path.softmax(-1)], 2).diff(dim=2)
    return torch.zeros_like(shares).scatter_(2, chosen, shares).mean(1)


@cache
def _places(words: int, orders: int) -> Tensor:
    """Give each word's place in some orders of a text: (order, word)."""
    half = torch.rand(orders // 2, words, generator=torch.Generator().manual_seed(words)).argsort(1)
    return torch.cat([half, words - 1 - half])
