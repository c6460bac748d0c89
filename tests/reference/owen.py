"""Owen values and Shapley values by their definitions: every order of the words that keeps each group together."""

from collections.abc import Callable, Sequence
from itertools import permutations, product

import numpy as np

Game = Callable[[np.ndarray], float]
Tree = int | Sequence["Tree"]  # a word, or a group of words and groups


def orders(tree: Tree) -> list[tuple[int, ...]]:
    """List the orders in which the words of every group, at every level, stand next to each other."""
    if isinstance(tree, int):
        return [(tree,)]
    found = []
    for arranged in permutations(tree):
        for parts in product(*(orders(part) for part in arranged)):
            found.append(tuple(word for part in parts for word in part))
    return found


def owen_values(game: Game, tree: Tree) -> np.ndarray:
    """Average over these orders what each word adds to the words before it (Owen 1977; Winter 1989 for many levels)."""
    every = orders(tree)
    words = len(every[0])
    values = np.zeros(words)
    for order in every:
        kept = np.zeros(words, dtype=bool)
        for word in order:
            before = game(kept)
            kept[word] = True
            values[word] += game(kept) - before
    return values / len(every)
