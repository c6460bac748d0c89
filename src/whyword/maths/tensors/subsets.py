"""Random subsets of the words of a text, and the Shapley values of a formula that answers for all of them."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
import torch
from torch import Tensor

# of classes that exclude each other, of labels each by itself, or of lying above each cut between ordered classes
Link = Literal["softmax", "sigmoid", "cumulative"]
SHAPLEY_ORDERS = 48  # of the words, half of them the reverse of the others; r above 0.996 with 4,096 of them
MOST_NUMBERS = 1 << 25  # of answers held at a time: of thousands of classes, few texts are looked at together


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


def link_shapley(
    base: Tensor, weights: Tensor, words: Tensor, link: Link = "softmax", orders: int = SHAPLEY_ORDERS
) -> Tensor:
    """Give the Shapley values of p(S) = softmax(base + the weights of the words in S): (text, word, class).

    With the link sigmoid, those of each label by itself. With cumulative, base and weights are for the log-odds of
    p(y > k), one less than classes: a class has what lies above its lower cut but not above its upper one.
    Weights are (text, word, class); those from words (text,) on are left out. Orders of the words are drawn once and
    for all, each with its reverse; in each of them a word's share is what it adds to the words before, so the shares of
    a text add up to link(base + all weights) - link(base) but for rounding.
    """
    if link == "cumulative":
        above = link_shapley(base, weights, words, "sigmoid", orders)
        return -torch.nn.functional.pad(above, (1, 1)).diff()
    values = torch.zeros_like(weights)
    for count in words[words > 0].unique().tolist():  # texts of as many words share their orders
        together = max(1, MOST_NUMBERS // (count * orders * weights.shape[2]))
        for chosen in (words == count).nonzero()[:, 0].split(together):
            values[chosen, :count] = _shapley_in_orders(base, weights[chosen, :count], link, orders)
    return values


def _shapley_in_orders(base: Tensor, weights: Tensor, link: Link, orders: int) -> Tensor:
    texts, words, classes = weights.shape
    order, place = (index.to(weights.device) for index in _orders(words, orders))
    weights = weights.permute(2, 0, 1)  # classes first: numbers that are added up or compared lie far apart
    two = classes == 2 and link == "softmax"
    if two:  # one log-odds says as much as two weights
        base, weights = base[1:] - base[:1], weights[1:] - weights[:1]
    start = base.view(-1, 1, 1, 1)
    path = weights[:, :, order].view(-1, texts, orders, words).cumsum(3) + start
    answers, begin = (
        (path.softmax(0), start.softmax(0)) if link == "softmax" and not two else (path.sigmoid(), start.sigmoid())
    )
    shares = torch.cat([answers[..., :1] - begin, answers.diff(dim=3)], 3).view(-1, texts, orders * words)
    values = shares[:, :, place].view(-1, texts, orders, words).mean(2).permute(1, 2, 0)
    return torch.cat([-values, values], -1) if two else values


@lru_cache(maxsize=512)
def _orders(words: int, orders: int) -> tuple[Tensor, Tensor]:
    """Give the words of some orders one after the other, and the place of each order's words therein."""
    half = torch.rand(orders // 2, words, generator=torch.Generator().manual_seed(words)).argsort(1)
    order = torch.cat([half, half.flip(1)])
    place = order.argsort(1) + words * torch.arange(orders).unsqueeze(1)
    return order.flatten(), place.flatten()
