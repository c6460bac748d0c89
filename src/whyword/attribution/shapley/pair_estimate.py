"""Shapley values from few answers: those of what the answers let one predict, and those of what is missed."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import expit

from ..surrogate import Surrogate, fit_surrogate
from .log_odds_process import LogOddsProcess, fit_process
from .pair_process import shapley_of_process

MOST_LEARNED = 1000  # pairs: learning takes time by their cube
REACH, LEAST_SWAY = 3.0, 0.5  # of the log-odds: distance of the whole text from the empty one, and as below
REST_REACH = 0.3  # of what is missed: how fast answers become unlike each other
REST_LEAST_SWAY = 0.1  # of a word without weight in the surrogate, beside 1 for the mean word
FREE = 16  # sub-texts predicted, without asking, for each pair asked about
FEWEST_FREE, MOST_FREE = 2048, 8192


def shapley_of_pairs(halves: np.ndarray, answers: np.ndarray, opposite: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give Shapley values and standard errors, (word,) each; answers and opposite, (pair,), are for halves and ~halves.

    The first pair is the whole and the empty text, and the values add up to their difference exactly. Shapley values
    are linear in the answers, so they are those of any prediction plus those of what it misses. Words are trusted to
    act as much together as they sway an additive surrogate. Errors are sized by what is missed of a pair when the
    prediction has learned from the others alone.
    """
    pairs, words = halves.shape
    missed = (answers - opposite) / 2
    left_out: np.ndarray | None = None
    scores, chance, sway = np.zeros(words), np.zeros(words), np.ones(words)
    if words < pairs < 2 ** (words - 1):  # there is a weight for each word to be learned
        surrogate = fit_surrogate(np.concatenate([halves, ~halves]), np.concatenate([answers, opposite]))
        size = np.abs(surrogate.weights)
        sway = size / size.mean() if size.any() else sway
        distance = REACH / words * (LEAST_SWAY + sway) / (LEAST_SWAY + 1)
        fit = fit_process(halves[:MOST_LEARNED], answers[:MOST_LEARNED], opposite[:MOST_LEARNED], distance)
        scores, chance = _shapley_of(fit.process, surrogate, FREE * pairs)
        further = fit.process(halves[MOST_LEARNED:].astype(np.float64))
        missed, left_out = (
            missed - np.append(known[0] - known[1], further[0] - further[1]) / 2 for known in (fit.fitted, fit.left_out)
        )
    distance = REST_REACH / words * (REST_LEAST_SWAY + sway)
    rest, std_error = shapley_of_process(halves, missed, distance, left_out)
    scores = scores + rest
    return scores + (answers[0] - opposite[0] - scores.sum()) / words, np.sqrt(std_error**2 + chance)


def _shapley_of(process: LogOddsProcess, surrogate: Surrogate, free: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the Shapley values of what a process predicts, and the variance that is left in them.

    Those of the surrogate are known; what the process predicts beside it is averaged over random orders of the words,
    each also taken backwards.
    """
    words = len(surrogate.weights)
    rows = min(max(FEWEST_FREE, 1 << (free - 1).bit_length()), MOST_FREE)
    places, kept = _orders(words, max(2, rows // (words + 1)))
    sums = surrogate.bias + kept @ surrogate.weights.astype(np.float32)
    known = (expit(sums), expit(2 * surrogate.bias + surrogate.weights.sum() - sums))
    ahead, back = (
        np.diff((values - beside).reshape(len(places), -1), axis=1)
        for values, beside in zip(process(kept), known, strict=True)
    )
    gains = np.take_along_axis((ahead - back) / 2, places, axis=1).astype(np.float64)  # (order, word)
    return surrogate.shapley() + gains.mean(axis=0), gains.var(axis=0, ddof=1) / len(gains)


@lru_cache(maxsize=4)
def _orders(words: int, orders: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the place of each word in random orders, (order, word), and all they begin with, (order * (word + 1), word).

    They are the same for all texts of so many words.
    """
    places = np.random.default_rng(words).random((orders, words)).argsort(axis=1)
    kept = places[:, None] < np.arange(words + 1)[:, None]
    return places, kept.reshape(-1, words).astype(np.float32)
