"""Owen values: Shapley values of the parts of a group, in a text whose other groups are kept or removed as a whole."""

from __future__ import annotations

from math import comb

import numpy as np
from scipy.special import expit, logit

from ..shapley.exact import all_subsets
from .cuts import Run
from .pieces import Piece

PROBABILITY_FLOOR = 1e-4  # log-odds stay within 9.2
PREDICTED = 16  # sub-texts predicted for each pair
RIDGE = 0.1  # of log-odds of parts, beside one half of each pair
PAIRS_OF_A_PART = 8  # asked about to open a group: few groups are opened, each with some precision
FEWEST_PARTS = 12  # that pairs are asked about for


def pairs_of(parts: int) -> int:
    """Say how many pairs of sub-texts are asked about to open a group of so many parts."""
    return PAIRS_OF_A_PART * max(FEWEST_PARTS, parts)


def asks_all(parts: int) -> bool:
    """Whether every pair of so few parts is asked about, in two contexts or more."""
    return bool(2 * (2 ** (parts - 1) - 1) <= pairs_of(parts))


def draw_pairs(parts: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Choose the parts that the halves of pairs keep, (pair, part) bool, and the weight of each pair, (pair,).

    A pair that keeps s of n parts has the weight of the Shapley regression, 1 / (s (n - s)) over the pairs of its size.
    Few parts are asked about in every pair, in two contexts or more; else pairs are drawn by their weight.
    """
    wanted = pairs_of(parts)
    if asks_all(parts):
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
    halves: np.ndarray,
    weights: np.ndarray,
    answers: tuple[np.ndarray, np.ndarray],
    total: np.ndarray,
    generator: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Give the values of parts, (part, class), and their standard errors, that add up to a total, (class,).

    Answers are those to the halves and to their complements in the same contexts, (pair, class) each. The values are
    the solution of the regression whose exact solution are Shapley values, here of the mean over contexts. Where not
    all pairs of parts are asked about, and log-odds that add up predict them better, it is on what these miss.
    """
    regression = PairRegression(halves, weights)
    columns = [
        _values_of_class(regression, one, two, float(whole), generator)
        for one, two, whole in zip(answers[0].T, answers[1].T, total, strict=True)
    ]
    values, errors = (np.stack(parts, axis=1) for parts in zip(*columns, strict=True))
    return values, errors


def _values_of_class(
    regression: PairRegression,
    first: np.ndarray,
    second: np.ndarray,
    total: float,
    generator: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    differences = (first - second) / 2
    plain, plain_variance = regression.solve(differences, total)
    if asks_all(len(plain)):
        return plain, regression.errors(plain_variance)
    odds = [logit(np.clip(answer, PROBABILITY_FLOOR, 1 - PROBABILITY_FLOOR)) for answer in (first, second)]
    middle, half = (odds[0] + odds[1]) / 2, (odds[0] - odds[1]) / 2
    slopes, _ = regression.solve(half, None)

    def predicted(kept: np.ndarray) -> np.ndarray:
        """Half the difference that log-odds predict, in the contexts of the pairs."""
        step = (kept - 0.5) @ slopes
        answer: np.ndarray = (expit(middle + step) - expit(middle - step)) / 2
        return answer

    halves = regression.halves
    expected = float(2 * predicted(np.ones_like(halves)).mean())
    virtual, shown = [], []
    for _ in range(PREDICTED):  # the same contexts with other parts kept, which costs no pass
        halves = generator.permuted(halves, axis=1)
        virtual.append(halves)
        shown.append(predicted(halves))
    weights = np.tile(regression.weights, PREDICTED)
    of_prediction, _ = PairRegression(np.concatenate(virtual), weights).solve(np.concatenate(shown), expected)
    of_rest, rest_variance = regression.solve(differences - predicted(regression.halves), total - expected)
    if rest_variance < plain_variance:
        return of_prediction + of_rest, regression.errors(rest_variance)
    return plain, regression.errors(plain_variance)


class PairRegression:
    """The weighted regression of half differences on the parts that pairs keep (Charnes et al. 1988)."""

    def __init__(self, halves: np.ndarray, weights: np.ndarray) -> None:
        parts = halves.shape[1]
        self.halves, self.weights = halves, weights
        self._root = np.sqrt(weights / weights.mean())
        self._design = self._root[:, None] * (halves - 0.5)
        # an orthonormal basis of the values that add up to 0
        self._basis = np.linalg.qr(np.eye(parts) - 1 / parts)[0][:, : parts - 1]
        design = self._design @ self._basis
        self._inverse = np.linalg.pinv(design.T @ design)

    def solve(self, differences: np.ndarray, total: float | None) -> tuple[np.ndarray, float]:
        """Give (part,) values that add up to a total, if there is one, and the variance that is left in a pair."""
        parts = self.halves.shape[1]
        rows = self._root * differences
        if total is None:
            gram = self._design.T @ self._design + RIDGE * np.eye(parts)
            values = np.linalg.solve(gram, self._design.T @ rows)
        else:
            even = np.full(parts, total / parts)
            design = self._design @ self._basis
            values = even + self._basis @ (self._inverse @ (design.T @ (rows - self._design @ even)))
        left = rows - self._design @ values
        return values, float(left @ left) / max(1, len(rows) - parts + 1)

    def errors(self, variance: float) -> np.ndarray:
        """Give the standard errors of the values, (part,)."""
        spread = np.einsum("ij,jk,ik->i", self._basis, self._inverse, self._basis)
        errors: np.ndarray = np.sqrt(spread * variance)
        return errors
