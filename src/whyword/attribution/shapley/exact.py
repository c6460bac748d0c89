"""Shapley values from the answers to all sub-texts, and the weight that each sub-text has in them."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln


def all_subsets(words: int) -> np.ndarray:
    """List all sub-texts, (2 ** word, word) bool: row number k keeps the words whose bit in k is 1."""
    subsets: np.ndarray = (np.arange(2**words)[:, None] >> np.arange(words) & 1).astype(bool)
    return subsets


def shapley_of_table(answers: np.ndarray, words: int) -> np.ndarray:
    """Give the exact Shapley values, (word,), from the answers to all sub-texts in the order of all_subsets."""
    scores: np.ndarray = answers @ weight_of_subsets(all_subsets(words))
    return scores


def weight_of_subsets(subsets: np.ndarray) -> np.ndarray:
    """Give the factor of each sub-text's answer in each word's Shapley value, (subset, word).

    It is (s - 1)! (n - s)! / n! for the s words that are kept and -s! (n - s - 1)! / n! for the others.
    """
    words = subsets.shape[1]
    sizes = subsets.sum(axis=1)
    log_orders = gammaln(words + 1)
    inside = np.exp(gammaln(np.maximum(sizes, 1)) + gammaln(words - sizes + 1) - log_orders)
    outside = np.exp(gammaln(sizes + 1) + gammaln(np.maximum(words - sizes, 1)) - log_orders)
    weights: np.ndarray = np.where(subsets, inside[:, None], -outside[:, None])
    return weights
