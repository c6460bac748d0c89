import numpy as np
import pytest

from whyword.attribution.shapley.complementary_pairs import ComplementaryPairs
from whyword.attribution.shapley.exact import all_subsets, shapley_of_table
from whyword.attribution.shapley.pair_estimate import shapley_of_pairs
from whyword.attribution.surrogate import Surrogate


def estimate(model, words, pairs, seed=0):
    halves = ComplementaryPairs(words, np.random.default_rng(seed)).draw(pairs)
    return shapley_of_pairs(halves, model(halves), model(~halves))


def bent(words, seed, bend=0.6):
    """Give a model with interactions of every order: a random two-layer network."""
    generator = np.random.default_rng(seed)
    into, out = generator.normal(size=(words, 8)), generator.normal(size=8)
    return lambda kept: 1 / (1 + np.exp(-np.tanh(bend * (kept @ into - 1)) @ out))


def test_a_surrogate_explains_itself_with_few_pairs():
    surrogate = Surrogate(-0.5, np.random.default_rng(0).normal(size=20))
    scores, _ = estimate(surrogate, 20, 32)
    truth = surrogate.shapley()
    assert ((scores - truth) ** 2).sum() < 1e-3 * (truth**2).sum()


@pytest.mark.parametrize("pairs", [1, 4, 13, 18, 40, 400])
@pytest.mark.parametrize("words", [12, 30])
def test_values_add_up_exactly_at_any_number_of_pairs(words, pairs):
    model = bent(words, 1)
    scores, std_error = estimate(model, words, pairs)
    whole, empty = model(np.array([np.ones(words), np.zeros(words)]))
    assert scores.sum() == pytest.approx(whole - empty, abs=1e-12)
    assert np.isfinite(std_error).all()


def test_more_pairs_come_nearer_and_all_pairs_are_exact():
    model = bent(10, 2)
    truth = shapley_of_table(model(all_subsets(10)), 10)
    errors = [np.linalg.norm(estimate(model, 10, pairs)[0] - truth) for pairs in (20, 60, 512)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-9


def test_pairs_beyond_those_learned_from_still_count(monkeypatch):
    model = bent(12, 3)
    truth = shapley_of_table(model(all_subsets(12)), 12)
    monkeypatch.setattr("whyword.attribution.shapley.pair_estimate.MOST_LEARNED", 40)
    errors = [np.linalg.norm(estimate(model, 12, pairs)[0] - truth) for pairs in (40, 400)]
    assert errors[1] < errors[0] / 2


@pytest.mark.parametrize("pairs", [22, 30, 60, 150])
def test_standard_errors_cover_the_exact_values(pairs):
    """Of 40 models x 12 words about 95 % lie within 1.96 errors, and errors are of the right size."""
    ratios = []
    for seed in range(40):
        model = bent(12, seed)
        scores, std_error = estimate(model, 12, pairs, seed)
        ratios.append((scores - shapley_of_table(model(all_subsets(12)), 12)) / std_error)
    assert 0.88 < (np.abs(ratios) < 1.96).mean() <= 1
    assert 0.6 < np.sqrt(np.mean(np.square(ratios))) < 1.3


def test_a_constant_model_has_no_scores_and_no_doubt():
    scores, std_error = estimate(lambda kept: np.full(len(kept), 0.5), 15, 40)
    np.testing.assert_allclose(scores, 0, atol=1e-9)
    np.testing.assert_allclose(std_error, 0, atol=1e-6)
