import numpy as np
import pytest
from scipy.special import expit, logit

from whyword.attribution.shapley.exact import all_subsets, shapley_of_table, weight_of_subsets
from whyword.attribution.shapley.gaussian_process import (
    ADDITIVE_VARIANCE,
    INTERACTION_VARIANCE,
    LOG_ODDS_NOISE,
    RESIDUAL_NOISE,
    fit_process,
    inverse_root,
    shapley_of_pairs,
    shapley_of_residuals,
)
from whyword.attribution.shapley.pairs import ComplementaryPairs
from whyword.attribution.surrogate import Surrogate, surrogate_with_shapley


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
    monkeypatch.setattr("whyword.attribution.shapley.gaussian_process.MOST_PAIRS_LEARNED", 40)
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


LEARNED_WORDS = 9
LEARNED_DISTANCE = np.random.default_rng(0).random(LEARNED_WORDS)


def learn(pairs, seed=1):
    halves = ComplementaryPairs(LEARNED_WORDS, np.random.default_rng(seed)).draw(pairs)
    answers, opposite = np.random.default_rng(seed).uniform(0.05, 0.95, (2, pairs))
    return halves, answers, opposite


def literal_prediction(subsets, asked, answers):
    """Condition on all answers at once, as if they were no pairs; the mean of pairs is taken out before."""

    def covariance(left, right):
        apart = (left[:, None] != right[None]) @ LEARNED_DISTANCE
        return ADDITIVE_VARIANCE / LEARNED_WORDS * (left - 0.5) @ (right - 0.5).T + INTERACTION_VARIANCE * np.exp(
            -apart
        )

    middle = logit(answers).mean()
    table = covariance(asked, asked) + LOG_ODDS_NOISE * np.eye(len(asked))
    return expit(middle + covariance(subsets, asked) @ np.linalg.solve(table, logit(answers) - middle))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_even_and_odd_parts_predict_what_conditioning_on_all_answers_does(dtype):
    halves, answers, opposite = learn(20)
    process = fit_process(halves, answers, opposite, LEARNED_DISTANCE).process
    subsets = np.random.default_rng(2).random((50, LEARNED_WORDS)) < 0.5
    found = process(subsets.astype(dtype))
    asked, known = np.concatenate([halves, ~halves]), np.concatenate([answers, opposite])
    expected = [literal_prediction(one, asked, known) for one in (subsets, ~subsets)]
    np.testing.assert_allclose(found, expected, atol=1e-9 if dtype == np.float64 else 1e-4)


def test_what_is_fitted_is_what_is_predicted():
    halves, answers, opposite = learn(20)
    fit = fit_process(halves, answers, opposite, LEARNED_DISTANCE)
    np.testing.assert_allclose(fit.fitted, fit.process(halves.astype(np.float64)), atol=1e-10)


def test_a_pair_left_out_is_predicted_as_by_the_others_alone():
    halves, *_ = learn(12)
    mean, half = np.random.default_rng(6).normal(size=(2, 12))
    mean[0] = 0.0
    mean[1:] -= mean[1:].mean()  # so that the mean of all is 0 with and without the first
    answers, opposite = expit(mean + half), expit(mean - half)
    fit, others = (fit_process(halves[k:], answers[k:], opposite[k:], LEARNED_DISTANCE) for k in (0, 1))
    first = others.process(halves[:1].astype(np.float64))
    np.testing.assert_allclose([one[:1] for one in fit.left_out], first, atol=1e-10)


def test_an_additive_model_is_foreseen():
    surrogate = Surrogate(0.3, np.random.default_rng(3).normal(size=LEARNED_WORDS))
    halves = ComplementaryPairs(LEARNED_WORDS, np.random.default_rng(4)).draw(40)
    process = fit_process(halves, surrogate(halves), surrogate(~halves), LEARNED_DISTANCE).process
    subsets = np.random.default_rng(5).random((100, LEARNED_WORDS)) < 0.5
    found = process(subsets.astype(np.float64))
    np.testing.assert_allclose(found[0], surrogate(subsets), atol=0.01)
    np.testing.assert_allclose(found[1], surrogate(~subsets), atol=0.01)


def test_certain_answers_stay_finite():
    halves, answers, opposite = learn(15)
    answers[0], opposite[0], answers[3] = 1.0, 0.0, 0.0
    fit = fit_process(halves, answers, opposite, LEARNED_DISTANCE)
    assert np.isfinite([fit.fitted, fit.left_out]).all()


WORDS = 6
DISTANCE = np.array([0.3, 0.05, 0.2, 0.1, 0.02, 0.4])


def covariance():
    """Of all sub-texts, literally."""
    subsets = all_subsets(WORDS)
    apart = (subsets[:, None] != subsets[None]) @ DISTANCE
    return np.exp(-apart) + RESIDUAL_NOISE * np.eye(len(subsets))


def some_pairs(count, seed=0):
    subsets = all_subsets(WORDS)[2 ** (WORDS - 1) :]
    return np.concatenate([subsets[-1:], np.random.default_rng(seed).permutation(subsets[:-1])[: count - 1]])


def test_values_and_errors_are_those_of_conditioning_on_all_answers_literally():
    halves = some_pairs(12)
    answers = np.random.default_rng(1).normal(size=(2, 12))
    table, subsets = covariance(), all_subsets(WORDS)
    rows = [np.flatnonzero((subsets == kept).all(1))[0] for kept in np.concatenate([halves, ~halves])]
    weights = weight_of_subsets(subsets)  # (subset, word)
    links = table[rows] @ weights
    known = np.linalg.solve(table[np.ix_(rows, rows)], np.column_stack([answers.ravel(), links]))
    variance = np.einsum("si,st,ti->i", weights, table, weights) - (links * known[:, 1:]).sum(0)

    differences = (answers[0] - answers[1]) / 2
    scores, std_error = shapley_of_residuals(halves, differences, DISTANCE)
    np.testing.assert_allclose(scores, links.T @ known[:, 0], atol=1e-10)
    np.testing.assert_allclose(std_error / std_error[0], np.sqrt(variance / variance[0]), rtol=1e-6)


def test_asked_about_all_pairs_the_values_are_exact():
    answers = np.random.default_rng(2).random(2**WORDS)
    halves = all_subsets(WORDS)[2 ** (WORDS - 1) :]
    differences = (answers[2 ** (WORDS - 1) :] - answers[: 2 ** (WORDS - 1)][::-1]) / 2
    scores, std_error = shapley_of_residuals(halves, differences, DISTANCE)
    np.testing.assert_allclose(scores, shapley_of_table(answers, WORDS), atol=1e-10)
    assert std_error.max() < 1e-6


@pytest.mark.parametrize("count", [1, 5, 20])
def test_values_add_up_to_the_difference_of_the_whole_and_the_empty_text(count):
    differences = np.random.default_rng(3).normal(size=count)
    scores, _ = shapley_of_residuals(some_pairs(count), differences, DISTANCE)
    assert scores.sum() == pytest.approx(2 * differences[0], abs=1e-9)


def test_values_and_errors_scale_with_the_answers():
    differences = np.random.default_rng(4).normal(size=9)
    one, ten = (shapley_of_residuals(some_pairs(9), factor * differences, DISTANCE) for factor in (1, 10))
    np.testing.assert_allclose(10 * np.array(one), np.array(ten))


def test_errors_are_right_for_draws_from_the_process_itself():
    """95 % of 600 x 6 values lie within 1.96 errors; a false alarm below one in a thousand."""
    generator, subsets, halves = np.random.default_rng(5), all_subsets(WORDS), some_pairs(16)
    root = np.linalg.cholesky(covariance())
    codes = [int(kept @ (1 << np.arange(WORDS))) for kept in halves]
    opposite = [2**WORDS - 1 - code for code in codes]
    inside = []
    for answers in generator.normal(size=(600, len(subsets))) @ root.T:
        scores, error = shapley_of_residuals(halves, (answers[codes] - answers[opposite]) / 2, DISTANCE)
        inside.append(np.abs(scores - shapley_of_table(answers, WORDS)) < 1.96 * error)
    assert 0.91 < np.mean(inside) < 0.97


def test_errors_are_sized_by_pairs_left_out_where_they_are_given():
    differences, halves = np.random.default_rng(7).normal(size=9), some_pairs(9)
    scores, own = shapley_of_residuals(halves, differences, DISTANCE)
    same, honest = shapley_of_residuals(halves, differences, DISTANCE, 3 * differences)
    doubled = shapley_of_residuals(halves, differences, DISTANCE, 6 * differences)[1]
    np.testing.assert_allclose(same, scores)
    np.testing.assert_allclose(doubled, 2 * honest)
    np.testing.assert_allclose(honest / own, honest[0] / own[0])


def test_long_texts_do_not_underflow():
    words = 3000
    halves = np.random.default_rng(6).random((20, words)) < 0.5
    halves[0] = True
    scores, error = shapley_of_residuals(halves, np.linspace(0.4, -0.1, 20), np.full(words, 1 / words))
    assert np.isfinite(scores).all()
    assert (error > 0).all()
    assert scores.sum() == pytest.approx(0.8, abs=1e-9)


def test_a_root_times_itself_is_the_inverse_and_the_matrix_stays():
    factor = np.random.default_rng(0).normal(size=(7, 7))
    matrix = factor @ factor.T + np.eye(7)
    before = matrix.copy()
    root = inverse_root(matrix)
    np.testing.assert_allclose(root.T @ root, np.linalg.inv(matrix), atol=1e-12)
    np.testing.assert_array_equal(root, np.tril(root))
    np.testing.assert_array_equal(matrix, before)


def test_what_has_no_such_root_is_refused():
    with pytest.raises(np.linalg.LinAlgError):
        inverse_root(np.array([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize("pairs", [1, 3, 8])
def test_a_model_that_is_its_start_is_explained_by_hardly_any_pair(pairs):
    surrogate = Surrogate(-0.5, np.random.default_rng(0).normal(size=20) / 2)
    halves = ComplementaryPairs(20, np.random.default_rng(0)).draw(pairs)
    scores, error = shapley_of_pairs(halves, surrogate(halves), surrogate(~halves), surrogate)
    np.testing.assert_allclose(scores, surrogate.shapley(), atol=1e-3)
    assert error.max() < 0.02


def test_with_all_pairs_a_start_changes_nothing_however_bad_it_is():
    model = bent(7, seed=3)
    halves = all_subsets(7)[:63:-1]
    bad = Surrogate(2.0, np.linspace(-3, 3, 7))
    scores, error = shapley_of_pairs(halves, model(halves), model(~halves), bad)
    np.testing.assert_allclose(scores, shapley_of_table(model(all_subsets(7)), 7), atol=1e-9)
    assert error.max() < 1e-6


def started(model, truth, error, seed):
    """Start from the exact values with an error as a share of each, which leaves their sum as it is."""
    noise = error * np.abs(truth) * np.random.default_rng(seed).normal(size=len(truth))
    known = truth + noise - noise.mean()
    return known, surrogate_with_shapley(known, float(model(np.zeros((1, len(truth))))[0]))


def squared_error(scores, truth):
    return ((scores - truth) ** 2).sum() / (truth**2).sum()


def test_a_good_start_saves_pairs_and_a_bad_one_does_not_hurt():
    """Near the truth, 8 pairs are better than 14 without; shuffled scores are forgotten after 80."""
    good, none, bad, without = [], [], [], []
    for seed in range(12):
        model = bent(13, seed)
        truth = shapley_of_table(model(all_subsets(13)), 13)
        halves = ComplementaryPairs(13, np.random.default_rng(seed)).draw(80)
        near = started(model, truth, 0.1, seed)[1]
        far = started(model, np.random.default_rng(seed).permutation(truth), 0.1, seed)[1]
        for errors, pairs, start in ((good, 8, near), (none, 14, None), (bad, 80, far), (without, 80, None)):
            kept = halves[:pairs]
            errors.append(squared_error(shapley_of_pairs(kept, model(kept), model(~kept), start)[0], truth))
    assert np.mean(good) < np.mean(none)
    assert np.mean(bad) < 2 * np.mean(without)


@pytest.mark.parametrize(("pairs", "share"), [(11, 0.7), (20, 0.85)])
def test_standard_errors_with_a_start_cover_most_exact_values(pairs, share):
    """Of 30 models x 12 words about 80 % lie within two errors with fewer pairs than words, 95 % with more."""
    inside = []
    for seed in range(30):
        model = bent(12, seed)
        truth = shapley_of_table(model(all_subsets(12)), 12)
        known, start = started(model, truth, 0.3, seed)
        halves = ComplementaryPairs(12, np.random.default_rng(seed), start=known).draw(pairs)
        scores, error = shapley_of_pairs(halves, model(halves), model(~halves), start)
        inside.append(np.abs(scores - truth) < 2 * error)
    assert np.mean(inside) > share
