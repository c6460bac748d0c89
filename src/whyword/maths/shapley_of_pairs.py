"""Shapley values from few answers: those of a surrogate, found without asking, and those of what it misses."""

from __future__ import annotations

import numpy as np

from .pair_process import shapley_of_process
from .surrogate import fit_surrogate

PAIRS_PER_WORD = 1.5  # from which a surrogate is fitted: it has a weight for each word
REACH = 1.0  # distance of the whole text from the empty one: how fast answers become unlike each other
LEAST_SWAY = 0.1  # of a word without weight in the surrogate, beside 1 for the mean word


def shapley_of_pairs(halves: np.ndarray, answers: np.ndarray, opposite: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give Shapley values and standard errors, (word,) each; answers and opposite, (pair,), are for halves and ~halves.

    The first pair is the whole and the empty text, and the values add up to their difference exactly. Shapley values
    are linear in the answers, so they are those of the surrogate plus those of its residuals. What the residuals tell
    of a word is trusted to vary as much as the word sways the surrogate.
    """
    pairs, words = halves.shape
    scores, sway, fitted = np.zeros(words), np.ones(words), 0
    residual, opposite_residual = answers, opposite
    if pairs >= PAIRS_PER_WORD * words:
        asked = np.concatenate([halves, ~halves])
        surrogate = fit_surrogate(asked, np.concatenate([answers, opposite]))
        residual, opposite_residual = answers - surrogate(halves), opposite - surrogate(~halves)
        scores, fitted = surrogate.shapley(), words
        size = np.abs(surrogate.weights)
        sway = size / size.mean() if size.any() else sway
    distance = REACH / words * (LEAST_SWAY + sway)
    missed, std_error = shapley_of_process(halves, (residual - opposite_residual) / 2, distance, fitted)
    scores = scores + missed
    return scores + (answers[0] - opposite[0] - scores.sum()) / words, std_error
