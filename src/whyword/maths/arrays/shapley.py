"""The Shapley values of a formula that answers for all sub-texts, as maths/tensors/subsets.py gives them, on arrays."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

Link = Literal["softmax", "sigmoid", "cumulative"]
ORDERS = 48  # of the words, half of them the reverse of the others
BITS = 24  # of the random numbers that torch orders words by


def link_shapley(base: np.ndarray, weights: np.ndarray, link: Link, orders: int = ORDERS) -> np.ndarray:
    """Give what each word of a text adds to p = link(base + the weights of the words): (word, class) both.

    It is averaged over the very orders of the words that torch draws for a text of as many words. With cumulative, base
    and weights are for the log-odds of p(y > k), one less than classes.
    """
    if link == "cumulative":
        above = link_shapley(base, weights, "sigmoid", orders)
        return -np.diff(above, axis=1, prepend=0.0, append=0.0)
    if not len(weights):
        return np.zeros((0, len(base)))
    order = orders_of(len(weights), orders)
    start = np.broadcast_to(base, (orders, 1, len(base)))
    path = np.concatenate([start, base + weights[order].cumsum(1)], 1)  # (order, 1 + word, class)
    shares = np.diff(answers_of(path, link), axis=1)
    place = order.argsort(1)
    values: np.ndarray = np.take_along_axis(shares, place[:, :, None], 1).mean(0)
    return values


def answers_of(logits: np.ndarray, link: Link) -> np.ndarray:
    """Give the probabilities of the formula's logits, (…, class)."""
    if link == "softmax":
        powers = np.exp(logits - logits.max(-1, keepdims=True))
        return np.asarray(powers / powers.sum(-1, keepdims=True))
    above = 0.5 * (1 + np.tanh(logits / 2))
    if link == "sigmoid":
        return np.asarray(above)
    return np.asarray(-np.diff(above, axis=-1, prepend=1.0, append=0.0))


@lru_cache(maxsize=512)
def orders_of(words: int, orders: int = ORDERS) -> np.ndarray:
    """Give (order, word) numbers of words: those that torch.rand with the seed `words` gives when it is sorted.

    Both libraries have the same Mersenne Twister; torch keeps the lowest 24 bits of each number. Equal numbers, which
    only texts of many hundred words have, may change places.
    """
    drawn = np.random.RandomState(words).randint(0, 1 << 32, (orders // 2, words), dtype=np.uint32)
    half = (drawn & ((1 << BITS) - 1)).argsort(1, kind="stable")
    return np.concatenate([half, half[:, ::-1]])
