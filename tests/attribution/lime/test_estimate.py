import numpy as np
import pytest
from scipy.special import comb, expit

from whyword.attribution.lime.estimate import estimate, preferred_sizes
from whyword.attribution.lime.ridge import SubsetRidge
from whyword.attribution.lime.strata import SizeStrata

WORDS = 12
EVERY = (np.arange(2**WORDS)[:, None] >> np.arange(WORDS) & 1).astype(bool)
RIDGE = SubsetRidge(WORDS, 25.0)


def log_odds_sum(subsets):
    return expit(subsets @ np.linspace(-1.5, 2.5, subsets.shape[1]) - 2)


def tangled(subsets):
    """No sum of words at all: each word counts by what the next three do."""
    kept = subsets.astype(float)
    return expit(3 * (kept * np.roll(kept, 1, 1) * (1 - np.roll(kept, 3, 1))).sum(1) - kept[:, 0] * 2 - 3)


def jumping(subsets):
    return (subsets[:, :6].sum(1) > subsets[:, 6:].sum(1)).astype(float)


FUNCTIONS = pytest.mark.parametrize("function", [log_odds_sum, tangled, jumping])


def exact(function):
    kept = EVERY.sum(1)
    return RIDGE.coefficients(EVERY, RIDGE.mass[kept] / comb(WORDS, kept) * function(EVERY))


def ours(function, count, seed, rounds=1):
    strata = SizeStrata(preferred_sizes(RIDGE), np.random.default_rng(seed))
    for _ in range(rounds):
        strata.draw(count // rounds)
    return estimate(RIDGE, strata, function(strata.subsets))


def plain(function, count, seed):
    """Sample as lime does, and fit as it does."""
    generator = np.random.default_rng(seed)
    kept = np.append(WORDS, WORDS - generator.integers(1, WORDS + 1, count - 1))
    subsets = generator.random((count, WORDS)).argsort(1).argsort(1) < kept[:, None]
    weights = np.exp(-((100 * (1 - np.sqrt(kept / WORDS)) / 25) ** 2) / 2)
    answers = function(subsets)
    centered = subsets - weights @ subsets / weights.sum()
    gram = (centered.T * weights) @ centered + np.eye(WORDS)
    return np.linalg.solve(gram, (centered.T * weights) @ (answers - weights @ answers / weights.sum()))


@pytest.mark.parametrize(("function", "least"), [(log_odds_sum, 0.9), (tangled, 0.9), (jumping, 0.8)])
def test_nineteen_in_twenty_intervals_cover_the_limit_and_somewhat_fewer_where_answers_jump(function, least):
    found = [ours(function, 150, seed, rounds=1 + seed % 3) for seed in range(40)]
    covered = np.mean([np.abs(scores - exact(function)) < 1.96 * error for scores, error in found])
    assert least < covered < 0.99  # of 480


@FUNCTIONS
def test_the_average_of_many_estimates_is_the_limit(function):
    found = np.array([ours(function, 120, seed)[0] for seed in range(64)])
    off = np.abs(found.mean(0) - exact(function)) / found.std(0)
    assert off.max() < 0.5  # in standard errors of one estimate; an eighth is chance


@pytest.mark.parametrize(("function", "fewer"), [(log_odds_sum, 4), (tangled, 2), (jumping, 1)])
def test_plain_sampling_needs_several_times_the_answers(function, fewer):
    def error(estimates):
        return np.mean((np.array(estimates) - exact(function)) ** 2)

    few = error([ours(function, 400 // fewer, seed)[0] for seed in range(20)])
    many = error([plain(function, 400, seed) for seed in range(20)])
    assert few < many


def test_all_subsets_give_the_limit_without_error():
    scores, error = ours(tangled, 2**WORDS, 0)
    np.testing.assert_allclose(scores, exact(tangled), atol=1e-12)
    assert not error.any()


def test_a_function_that_never_changes_has_no_coefficients():
    scores, error = ours(lambda subsets: np.full(len(subsets), 0.7), 60, 0)
    np.testing.assert_allclose(scores, 0, atol=1e-9)
    np.testing.assert_allclose(error, 0, atol=1e-9)


@pytest.mark.parametrize("words", [60, 1200])
def test_more_words_than_answers_give_finite_scores(words):
    ridge = SubsetRidge(words, 25.0)
    strata = SizeStrata(preferred_sizes(ridge), np.random.default_rng(0))
    strata.draw(50)
    scores, error = estimate(ridge, strata, log_odds_sum(strata.subsets))
    assert np.isfinite(scores).all()
    assert (error > 0).all()
