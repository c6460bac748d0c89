"""LIME's coefficients from few answers: those of a surrogate, at no pass, and those of its residuals.

README.md derives the estimator and says where the constants come from.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import comb, expit

from ..surrogate import BIAS_RIDGE, Surrogate, fit_surrogate
from .ridge import SubsetRidge
from .strata import SizeStrata

MOST_WORDS_FITTED = 1000  # words: beyond, fitting a surrogate takes longer than it saves
MOST_WORDS_PAIRED = 100  # words: beyond, fitting neighbors takes longer than it saves
ANSWERS_PER_WORD = 3  # below, neighbors are left out, and the surrogate's ridge rises
SURROGATE_RIDGE = 0.03  # penalty of a squared weight, in units of one answer's importance; at most 1
START_RIDGE = 1.0  # penalty of a word's squared distance from its weight in the start, where there is one
START_LEAST_INFLUENCE = 0.5  # added to every word's influence, whose mean is 1: the start is less sure of larger ones
NEIGHBOR_SCALE = 0.25  # of the features of neighboring words: their penalty is 16 times that of a word
PROBABILITY_FLOOR = 1e-6  # answers nearer to 0 or 1 are taken as this near: they are given with six digits
LEAST_SHARE = 1e-9  # of the words kept: the empty text has no root of its share to divide by
LARGEST_LEVERAGE = 0.9  # a residual is enlarged to at most ten times its size
PREDICTED_PER_ANSWER = 64  # sub-texts predicted by the surrogate, at no pass, for each answer
FEWEST_PREDICTED, MOST_PREDICTED = 16_384, 32_768  # sub-texts, whatever the number of answers
MOST_PREDICTED_CELLS = 4_000_000  # sub-texts times words: bounds the memory of long texts


def preferred_sizes(ridge: SubsetRidge) -> np.ndarray:
    """Give how often to draw sub-texts of each number of words kept, (words kept + 1,), up to a factor.

    Least variance (Neyman 1934): mass times the standard deviation of a word's being kept, √(s (1 - s)), times that of
    the answers, taken as √(1 - s), for the share s of the words that is kept.
    """
    share = np.arange(ridge.words + 1) / ridge.words
    preference: np.ndarray = ridge.mass * np.sqrt(share) * (1 - share)
    return preference


def estimate(
    ridge: SubsetRidge, strata: SizeStrata, answers: np.ndarray, start: Surrogate | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Give (word,) coefficients and their standard errors from the answers, (subset,), to the sub-texts drawn.

    The coefficients are linear in the answers, so they are those of any surrogate plus those of the residuals: only
    the variance depends on how good the surrogate is. A start is what the surrogate is before any answer. Standard
    errors are those of the residuals, each enlarged by the influence of its own answer on the fit (HC3).
    """
    subsets = strata.subsets
    share, not_drawn = strata.shares(ridge.mass)
    if strata.complete:
        return ridge.coefficients(subsets, share * answers), np.zeros(ridge.words)
    mean = share @ answers / share.sum()
    coefficients, variance = np.zeros(ridge.words), np.zeros(ridge.words)
    residual, leverage = answers - mean, np.zeros(len(answers))
    if ridge.words <= MOST_WORDS_FITTED:
        enough = ANSWERS_PER_WORD * ridge.words
        least = min(1.0, SURROGATE_RIDGE * max(1.0, enough / len(subsets)) ** 2)
        neighbors = ridge.words <= MOST_WORDS_PAIRED and len(subsets) >= enough
        features, importance = _features(subsets, neighbors), share / share.mean()
        targets = np.clip(answers, PROBABILITY_FLOOR, 1 - PROBABILITY_FLOOR)
        penalty = np.full(features.shape[1], least)
        if start is not None:
            size = np.abs(start.weights)
            influence = size / max(size.mean(), LEAST_SHARE)
            doubt = (START_LEAST_INFLUENCE + influence) / (START_LEAST_INFLUENCE + 1)
            penalty[2 : 2 + ridge.words] = START_RIDGE / doubt**2
            weights = np.zeros(features.shape[1])
            weights[2 : 2 + ridge.words] = start.weights
            start = Surrogate(start.bias, weights)
        surrogate = fit_surrogate(features, targets, importance, penalty, start)
        fitted = surrogate(features)
        if share @ (answers - fitted) ** 2 < share @ residual**2:  # else the mean is the better surrogate
            coefficients, variance = _coefficients_of(surrogate, ridge, PREDICTED_PER_ANSWER * len(subsets))
            residual = answers - fitted
            leverage = _leverage(features, importance * fitted * (1 - fitted), penalty)
    coefficients = coefficients + ridge.coefficients(subsets, share * residual)
    enlarged = np.sqrt(not_drawn) * share * residual / (1 - np.minimum(leverage, LARGEST_LEVERAGE))
    return coefficients, np.sqrt(variance + ridge.squares(subsets, enlarged))


def _features(subsets: np.ndarray, neighbors: bool) -> np.ndarray:
    """Give the surrogate's features: the share of words kept and its square, the words over its root, neighbors."""
    share = subsets.mean(1, keepdims=True)
    parts = [share, share**2, subsets / np.sqrt(np.maximum(share, LEAST_SHARE))]
    if neighbors:
        parts.append(NEIGHBOR_SCALE * (subsets[:, :-1] * subsets[:, 1:]))
    return np.concatenate(parts, axis=1)


def _leverage(features: np.ndarray, slope: np.ndarray, penalty: np.ndarray) -> np.ndarray:
    """Give the share of each fitted value that is due to its own answer: 0 to 1."""
    design = np.concatenate([features, np.ones((len(features), 1))], axis=1)
    curvature = (design.T * slope) @ design + np.diag(np.append(penalty, BIAS_RIDGE))
    leverage: np.ndarray = slope * np.einsum("ij,ji->i", design, np.linalg.solve(curvature, design.T))
    return leverage


def _coefficients_of(surrogate: Surrogate, ridge: SubsetRidge, least: int) -> tuple[np.ndarray, np.ndarray]:
    """Give LIME's coefficients of a surrogate, and the variance that is left in them.

    Its part that is linear in the words or a function of their number is known exactly. The rest is averaged over all
    sub-texts if they are few, else over a sample of at least the given size, the same for all texts of as many words.
    """
    count = ridge.words
    by_share, by_square, *_ = surrogate.weights
    words, pairs = np.split(surrogate.weights[2:], [count])
    pairs = NEIGHBOR_SCALE * pairs if len(pairs) else np.zeros(count - 1)
    half_pairs = (np.append(pairs, 0.0) + np.append(0.0, pairs)) / 2  # about what a word does with its neighbors
    rows = min(max(FEWEST_PREDICTED, 1 << (least - 1).bit_length()), MOST_PREDICTED, MOST_PREDICTED_CELLS // count)
    everything = count <= rows.bit_length() - 1
    subsets, sizes, expected = (
        _all_subsets(count) if everything else _sampled_subsets(count, rows, preferred_sizes(ridge).tobytes())
    )
    mass = ridge.mass[sizes] / expected
    share = np.arange(count + 1) / count  # by size, as is all that depends on nothing else
    powers = share ** np.arange(4)[:, None]  # (power, words kept + 1)
    trend = surrogate.bias + by_share * share + by_square * share**2
    weights = np.stack([words, half_pairs])
    sums = weights.astype(np.float32) @ subsets.T  # (2, subset)
    log_odds = trend[sizes] + sums[0] / np.sqrt(np.maximum(share, LEAST_SHARE))[sizes]
    if pairs.any():
        log_odds += (subsets[:, :-1] * subsets[:, 1:]) @ pairs.astype(np.float32)
    values = expit(log_odds)
    # control variates: functions whose coefficients are known, fitted to the values and taken off
    controls = np.concatenate([sums, powers[:, sizes]])
    weighted = controls * mass
    slopes = np.linalg.lstsq(weighted @ controls.T, weighted @ values, rcond=None)[0]
    coefficients = ridge.of_sum(slopes[:2] @ weights) + ridge.of_size(slopes[2:] @ powers)
    rest = (mass * (values - slopes @ controls)).astype(np.float32)
    variance = np.zeros(count) if everything else ridge.squares(subsets, rest)
    return coefficients + ridge.coefficients(subsets, rest), variance


@lru_cache(maxsize=4)
def _all_subsets(words: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give all sub-texts (subset, word) float32, the words each keeps, and the number of sub-texts of that size."""
    subsets = np.arange(2**words)[:, None] >> np.arange(words) & 1
    sizes = subsets.sum(1)
    return subsets.astype(np.float32), sizes, comb(words, sizes)


@lru_cache(maxsize=4)
def _sampled_subsets(words: int, rows: int, preference: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give sub-texts (subset, word) float32, the words each keeps, and the number expected of that size.

    They are runs of words on a circle in random order, which is quicker than to draw each for itself; the last two are
    the empty and the whole text.
    """
    generator = np.random.default_rng(words)
    chance = np.frombuffer(preference) / np.frombuffer(preference).sum()
    quantile = (generator.permutation(rows) + generator.random()) / rows
    sizes = np.searchsorted(chance.cumsum(), quantile).clip(1, words - 1)
    circles = generator.random((-(-rows // words), words)).argsort(axis=1).astype(np.int16)
    place = np.repeat(circles, words, axis=0)[:rows]
    place -= np.tile(np.arange(words, dtype=np.int16), len(circles))[:rows, None]
    place[place < 0] += words
    subsets = np.concatenate([place < sizes[:, None], np.zeros((1, words), bool), np.ones((1, words), bool)])
    return subsets.astype(np.float32), np.append(sizes, [0, words]), np.append(rows * chance[sizes], [1, 1])
