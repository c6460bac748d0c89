"""A Gaussian process on sub-texts whose Shapley values are known: what is learned of them from complementary pairs."""

from __future__ import annotations

import numpy as np
from scipy.special import comb

from .exact import weight_of_subsets
from .inverse_root import inverse_root

NODES, SHARES = (values / 2 for values in np.polynomial.legendre.leggauss(8))
NODES = NODES + 0.5  # chances to keep a word, from 0 to 1
WHITE = 3e-3  # variance of what is each sub-text's own, beside 1 for what it shares with its like


def shapley_of_process(
    halves: np.ndarray, differences: np.ndarray, distance: np.ndarray, left_out: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Give Shapley values and their standard errors, (word,) each, from answers to pairs (Bayesian quadrature).

    halves (pair, word) bool are one half of each pair, differences (pair,) half of its answer minus its opposite's:
    all that Shapley values depend on. The covariance of two answers falls by the factor exp(-distance) for every word
    that only one of them keeps, so the Shapley values of the process are products over words for each chance to keep
    a word, averaged over chances (Owen 1972). Asked about all pairs, the values are exact; in general they add up as
    they should. Errors have the scale of the differences or, where these are what a prediction misses, that of what
    it misses of each pair if it has not learned from it, left_out (pair,).
    """
    pairs = len(halves)
    drop = -np.expm1(-distance)  # (word,)
    kept = halves.astype(np.float64)
    apart = (kept * distance) @ (1 - kept).T
    apart += apart.T
    near = np.exp(-apart)
    covariance = (near - np.exp(-distance.sum()) / near) / 2  # of differences: the opposite is as far
    covariance[np.diag_indices(pairs)] += WHITE / 2
    links = np.zeros(halves.shape)  # covariance of each difference with each Shapley value
    for chance, share in zip(NODES, SHARES, strict=True):
        factors = 1 - np.where(halves, 1 - chance, chance) * drop
        links += share * factors.prod(axis=1, keepdims=True) / factors
    links = links * np.where(halves, drop, -drop) + WHITE * weight_of_subsets(halves)
    root = inverse_root(covariance)
    explained, answers = root @ links, root @ differences
    variance = _prior_variance(drop) - (explained**2).sum(axis=0)
    scale = answers @ answers if left_out is None else left_out**2 @ (root**2).sum(axis=0)
    return answers @ explained, np.sqrt(np.maximum(variance, 0.0) * scale / pairs)


def _prior_variance(drop: np.ndarray) -> np.ndarray:
    """Give the variance of each Shapley value before anything is asked, (word,)."""
    words = len(drop)
    shares = np.outer(SHARES, SHARES).reshape(-1, 1)
    differ = (np.add.outer(NODES, NODES) - 2 * np.outer(NODES, NODES)).reshape(-1, 1)  # chance that two disagree
    factors = 1 - differ * drop
    shared = (shares * factors.prod(axis=1, keepdims=True) / factors).sum(axis=0) * 2 * drop
    variance: np.ndarray = shared + WHITE * 2 / words**2 * (1 / comb(words - 1, np.arange(words))).sum()
    return variance
