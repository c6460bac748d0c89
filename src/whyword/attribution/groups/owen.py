"""Owen values: Shapley values of the parts of a group, in a text whose other groups are kept or removed as a whole."""

from __future__ import annotations

from math import comb

import numpy as np

from ..shapley.exact import all_subsets
from .cuts import Run
from .pieces import Piece

FEWEST_PAIRS = 24  # asked about for a group, else two for each of its parts


def pairs_of(parts: int) -> int:
    """Say how many pairs of sub-texts are asked about to open a group of so many parts."""
    return max(FEWEST_PAIRS, 2 * parts)


def draw_pairs(parts: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Choose the parts that the halves of pairs keep, (pair, part) bool, and the weight of each pair, (pair,).

    A pair that keeps s of n parts has the weight of the Shapley regression, 1 / (s (n - s)) over the pairs of its size.
    Few parts are asked about in every pair, in two contexts or more; else pairs are drawn by their weight.
    """
    wanted = pairs_of(parts)
    if 2 * (2 ** (parts - 1) - 1) <= wanted:
        every = all_subsets(parts - 1)[1:]
        halves = np.concatenate([np.zeros((len(every), 1), dtype=bool), every], axis=1)
        sizes = halves.sum(axis=1)
        weights = np.array([_size_weight(int(size), parts) for size in sizes])
        times = 2 * (wanted // (2 * len(halves)))  # a context and its opposite
        return halves.repeat(times, axis=0), weights.repeat(times)
    sizes = np.arange(1, parts)
    chances = (1 / (sizes * (parts - sizes))).cumsum()
    quantiles = (generator.permutation(wanted) + generator.random()) / wanted
    drawn = sizes[np.searchsorted(chances, quantiles * chances[-1]).clip(max=parts - 2)]
    return generator.permuted(np.arange(parts) < drawn[:, None], axis=1), np.ones(wanted)


def _size_weight(size: int, parts: int) -> float:
    """Weight of one sub-text of a size in the Shapley regression: 1 / (C(n, s) s (n - s))."""
    return 1 / (comb(parts, size) * size * (parts - size))


def draw_contexts(piece: Piece, words: int, count: int, generator: np.random.Generator) -> np.ndarray:
    """Choose the words outside a group that are kept beside its parts, (context, word) bool.

    Of the pieces on its level, those that come before it in a random order, all sizes equally likely; likewise of the
    pieces beside the group that holds it, and so on. Every second context is the opposite of the one before it.
    """
    kept = np.zeros((count, words), dtype=bool)
    node: Piece | None = piece
    while node is not None:
        own = node.run
        others = [run for run in node.level if run != own]
        before = _before(len(others), count, generator)
        for number, (first, stop) in enumerate(others):
            kept[:, first:stop] = before[:, number, None]
        node = node.parent
    return kept


def _before(others: int, count: int, generator: np.random.Generator) -> np.ndarray:
    """Choose which of the others come before in a random order, (context, other) bool."""
    half = (count + 1) // 2
    quantiles = (generator.permutation(half) + generator.random()) / half
    sizes = (quantiles * (others + 1)).astype(np.int64).clip(max=others)
    chosen = generator.permuted(np.arange(others) < sizes[:, None], axis=1) if others else np.zeros((half, 0), bool)
    return np.stack([chosen, ~chosen], axis=1).reshape(2 * half, others)[:count]


def sub_texts(contexts: np.ndarray, halves: np.ndarray, parts: list[Run]) -> np.ndarray:
    """Put parts into contexts, (pair, word) bool: the two sub-texts of a pair share a context."""
    subsets = contexts.copy()
    for number, (first, stop) in enumerate(parts):
        subsets[:, first:stop] = halves[:, number, None]
    return subsets


def owen_values(
    halves: np.ndarray, weights: np.ndarray, differences: np.ndarray, total: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Give the values of parts, (part, class), and their standard errors, that add up to a total, (class,).

    differences (pair, class) are half of what the two sub-texts of a pair differ in. The values are the solution of the
    regression whose exact solution are Shapley values (Charnes et al. 1988), here of the mean over contexts.
    """
    parts = halves.shape[1]
    # an orthonormal basis of the values that add up to 0
    basis = np.linalg.qr(np.eye(parts) - 1 / parts)[0][:, : parts - 1]
    root = np.sqrt(weights / weights.mean())[:, None]
    design = root * ((halves - 0.5) @ basis)
    even = total / parts
    rows = root * (differences - (halves - 0.5) @ np.tile(even, (parts, 1)))
    inverse = np.linalg.pinv(design.T @ design)
    solved = inverse @ (design.T @ rows)  # (part - 1, class)
    freedom = max(1, len(halves) - parts + 1)
    variance = ((rows - design @ solved) ** 2).sum(axis=0) / freedom  # (class,)
    spread = np.einsum("ij,jk,ik->i", basis, inverse, basis)  # (part,)
    return even + basis @ solved, np.sqrt(np.outer(spread, variance))
