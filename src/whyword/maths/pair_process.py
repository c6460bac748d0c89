"""A Gaussian process on sub-texts whose Shapley values are known: what is learned of them from complementary pairs."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import comb

from .shapley import weight_of_subsets

NODES, SHARES = (values / 2 for values in np.polynomial.legendre.leggauss(8))
NODES = NODES + 0.5  # chances to keep a word, from 0 to 1
WHITE = 3e-3  # variance of what is each sub-text's own, beside 1 for what it shares with its like


def shapley_of_process(
    halves: np.ndarray, differences: np.ndarray, distance: np.ndarray, fitted: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Give Shapley values and their standard errors, (word,) each, from answers to pairs (Bayesian quadrature).

    halves (pair, word) bool are one half of each pair, differences (pair,) half of its answer minus its opposite's:
    all that Shapley values depend on. The covariance of two answers falls by the factor exp(-distance) for every word
    that only one of them keeps, so the Shapley values of the process are products over words for each chance to keep
    a word, averaged over chances (Owen 1972). Its scale is that of the differences, of which so many degrees of
    freedom were fitted before. Asked about all pairs, the values are exact; in general they add up as they should.
    """
    pairs = len(halves)
    drop = -np.expm1(-distance)  # (word,)
    kept = halves.astype(np.float64)
    apart = (kept * distance) @ (1 - kept).T
    apart += apart.T
    covariance = (np.exp(-apart) - np.exp(apart - distance.sum())) / 2  # of differences: the opposite is as far
    covariance[np.diag_indices(pairs)] += WHITE / 2
    links = np.zeros(halves.shape)  # covariance of each difference with each Shapley value
    for chance, share in zip(NODES, SHARES, strict=True):
        factors = 1 - np.where(halves, 1 - chance, chance) * drop
        links += share * factors.prod(axis=1, keepdims=True) / factors
    links = links * np.where(halves, drop, -drop) + WHITE * weight_of_subsets(halves)
    factor = cho_factor(covariance)
    explained = cho_solve(factor, np.column_stack([differences, links]))  # (pair, 1 + word)
    variance = _prior_variance(drop) - (links * explained[:, 1:]).sum(axis=0)
    scale = differences @ explained[:, 0] / max(1, pairs - fitted)
    return links.T @ explained[:, 0], np.sqrt(np.maximum(variance, 0.0) * scale)


def _prior_variance(drop: np.ndarray) -> np.ndarray:
    """Give the variance of each Shapley value before anything is asked, (word,)."""
    words = len(drop)
    shares = np.outer(SHARES, SHARES).reshape(-1, 1)
    differ = (np.add.outer(NODES, NODES) - 2 * np.outer(NODES, NODES)).reshape(-1, 1)  # chance that two disagree
    factors = 1 - differ * drop
    shared = (shares * factors.prod(axis=1, keepdims=True) / factors).sum(axis=0) * 2 * drop
    variance: np.ndarray = shared + WHITE * 2 / words**2 * (1 / comb(words - 1, np.arange(words))).sum()
    return variance
