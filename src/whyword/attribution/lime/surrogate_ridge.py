"""LIME's coefficients from few answers: those of a surrogate, found without asking, and those of what it misses."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import comb, expit

from ..size_strata import SizeStrata
from ..surrogate import Surrogate, fit_surrogate
from .subset_ridge import SubsetRidge

MOST_WORDS = 1000  # beyond, fitting a surrogate takes longer than it saves
FREE = 64  # sub-texts on which the coefficients of a surrogate are found, for each that was asked about
FEWEST_FREE, MOST_FREE = 16_384, 32_768
MOST_CELLS = 4_000_000  # words of all of them
MOST_WORDS_PAIRED = 100  # beyond, so does fitting pairs of them
PAIR = 0.25  # scale of a pair of neighbors: its penalty is 16 times that of a word
RIDGE = 0.03  # of the surrogate, more where there are few answers for a word
TINY = 1e-9


def preferred_sizes(ridge: SubsetRidge) -> np.ndarray:
    """Say how often to draw sub-texts of each number of words kept, (words kept + 1,).

    Least variance: mass times the spread of a word's being kept, √(s (1 - s)), times that of the answers, taken as
    √(1 - s), for the share s of the words that is kept.
    """
    share = np.arange(ridge.words + 1) / ridge.words
    answer: np.ndarray = ridge.mass * np.sqrt(share) * (1 - share)
    return answer


def estimate(ridge: SubsetRidge, strata: SizeStrata, answers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give (word,) coefficients and their standard errors from the answers, (subset,), to the sub-texts drawn.

    The coefficients are linear in the answers, so they are those of any surrogate plus those of the residuals: nothing
    hangs on how good the surrogate is but the variance. Standard errors are those of the residuals, each enlarged by
    what its answer has done to the fit (HC3).
    """
    subsets = strata.subsets
    share, free = strata.shares(ridge.mass)
    if strata.complete:
        return ridge.coefficients(subsets, share * answers), np.zeros(ridge.words)
    mean = share @ answers / share.sum()
    coefficients, variance = np.zeros(ridge.words), np.zeros(ridge.words)
    residual, leverage = answers - mean, np.zeros(len(answers))
    if ridge.words <= MOST_WORDS:
        penalty = min(1.0, RIDGE * max(1.0, 3 * ridge.words / len(subsets)) ** 2)
        paired = ridge.words <= MOST_WORDS_PAIRED and len(subsets) >= 3 * ridge.words
        features, importance = _features(subsets, paired), share / share.mean()
        surrogate = fit_surrogate(features, np.clip(answers, 1e-6, 1 - 1e-6), importance, penalty)
        fitted = surrogate(features)
        if share @ (answers - fitted) ** 2 < share @ residual**2:
            coefficients, variance = _coefficients_of(surrogate, ridge, FREE * len(subsets))
            residual = answers - fitted
            leverage = _leverage(features, importance * fitted * (1 - fitted), penalty)
    coefficients = coefficients + ridge.coefficients(subsets, share * residual)
    honest = np.sqrt(free) * share * residual / (1 - np.minimum(leverage, 0.9))
    return coefficients, np.sqrt(variance + ridge.squares(subsets, honest))


def _features(subsets: np.ndarray, paired: bool) -> np.ndarray:
    """Give what the surrogate adds up: the share of the words kept; the words, more where few are kept; neighbors."""
    share = subsets.mean(1, keepdims=True)
    parts = [share, share**2, subsets / np.sqrt(np.maximum(share, TINY))]
    if paired:
        parts.append(PAIR * (subsets[:, :-1] * subsets[:, 1:]))
    return np.concatenate(parts, axis=1)


def _leverage(features: np.ndarray, slope: np.ndarray, penalty: float) -> np.ndarray:
    """Say how much of each fitted value is its own answer's doing: 0 to 1."""
    design = np.concatenate([features, np.ones((len(features), 1))], axis=1)
    curvature = (design.T * slope) @ design + np.diag(np.append(np.full(features.shape[1], penalty), 1e-9))
    answer: np.ndarray = slope * np.einsum("ij,ji->i", design, np.linalg.solve(curvature, design.T))
    return answer


def _coefficients_of(surrogate: Surrogate, ridge: SubsetRidge, free: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the coefficients of a surrogate, and the variance that is left in them.

    Its part that is linear in the words or a function of their number is known exactly; the rest is averaged over all
    sub-texts if they are few, else over so many, which are the same for all texts of so many words.
    """
    count = ridge.words
    by_share, by_square, *_ = surrogate.weights
    words, pairs = np.split(surrogate.weights[2:], [count])
    pairs = PAIR * pairs if len(pairs) else np.zeros(count - 1)
    beside = (np.append(pairs, 0.0) + np.append(0.0, pairs)) / 2  # about what a word does in pairs
    rows = min(max(FEWEST_FREE, 1 << (free - 1).bit_length()), MOST_FREE, MOST_CELLS // count)
    everything = count <= rows.bit_length() - 1
    subsets, kept, expected = (
        _all_subsets(count) if everything else _free_subsets(count, rows, preferred_sizes(ridge).tobytes())
    )
    mass = ridge.mass[kept] / expected
    share = np.arange(count + 1) / count  # by size, as all that depends on nothing else
    powers = share ** np.arange(4)[:, None]  # (power, words kept + 1)
    trend = surrogate.bias + by_share * share + by_square * share**2
    parts = np.stack([words, beside])
    sums = parts.astype(np.float32) @ subsets.T  # (part, subset)
    log_odds = trend[kept] + sums[0] / np.sqrt(np.maximum(share, TINY))[kept]
    if pairs.any():
        log_odds += (subsets[:, :-1] * subsets[:, 1:]) @ pairs.astype(np.float32)
    values = expit(log_odds)
    known = np.concatenate([sums, powers[:, kept]])
    weighted = known * mass
    slopes = np.linalg.lstsq(weighted @ known.T, weighted @ values, rcond=None)[0]
    coefficients = ridge.of_sum(slopes[:2] @ parts) + ridge.of_size(slopes[2:] @ powers)
    rest = (mass * (values - slopes @ known)).astype(np.float32)
    variance = np.zeros(count) if everything else ridge.squares(subsets, rest)
    return coefficients + ridge.coefficients(subsets, rest), variance


@lru_cache(maxsize=4)
def _all_subsets(words: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give all sub-texts (subset, word) float32, the words each keeps, and how many of that size there are."""
    subsets = np.arange(2**words)[:, None] >> np.arange(words) & 1
    kept = subsets.sum(1)
    return subsets.astype(np.float32), kept, comb(words, kept)


@lru_cache(maxsize=4)
def _free_subsets(words: int, rows: int, preference: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give sub-texts (subset, word) float32, the words each keeps, and how many of that size are expected.

    They are runs of words laid out at random on a circle, which is quicker to draw than each for itself; the last two
    are the empty and the whole text.
    """
    generator = np.random.default_rng(words)
    chance = np.frombuffer(preference) / np.frombuffer(preference).sum()
    quantile = (generator.permutation(rows) + generator.random()) / rows
    kept = np.searchsorted(chance.cumsum(), quantile).clip(1, words - 1)
    circles = generator.random((-(-rows // words), words)).argsort(axis=1).astype(np.int16)
    place = np.repeat(circles, words, axis=0)[:rows]
    place -= np.tile(np.arange(words, dtype=np.int16), len(circles))[:rows, None]
    place[place < 0] += words
    subsets = np.concatenate([place < kept[:, None], np.zeros((1, words), bool), np.ones((1, words), bool)])
    return subsets.astype(np.float32), np.append(kept, [0, words]), np.append(rows * chance[kept], [1, 1])
