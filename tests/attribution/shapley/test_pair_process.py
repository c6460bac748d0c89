import numpy as np
import pytest

from whyword.attribution.shapley.exact import all_subsets, shapley_of_table, weight_of_subsets
from whyword.attribution.shapley.pair_process import WHITE, shapley_of_process

WORDS = 6
DISTANCE = np.array([0.3, 0.05, 0.2, 0.1, 0.02, 0.4])


def covariance():
    """Of all sub-texts, literally."""
    subsets = all_subsets(WORDS)
    apart = (subsets[:, None] != subsets[None]) @ DISTANCE
    return np.exp(-apart) + WHITE * np.eye(len(subsets))


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
    scores, std_error = shapley_of_process(halves, differences, DISTANCE)
    np.testing.assert_allclose(scores, links.T @ known[:, 0], atol=1e-10)
    np.testing.assert_allclose(std_error / std_error[0], np.sqrt(variance / variance[0]), rtol=1e-6)


def test_asked_about_all_pairs_the_values_are_exact():
    answers = np.random.default_rng(2).random(2**WORDS)
    halves = all_subsets(WORDS)[2 ** (WORDS - 1) :]
    differences = (answers[2 ** (WORDS - 1) :] - answers[: 2 ** (WORDS - 1)][::-1]) / 2
    scores, std_error = shapley_of_process(halves, differences, DISTANCE)
    np.testing.assert_allclose(scores, shapley_of_table(answers, WORDS), atol=1e-10)
    assert std_error.max() < 1e-6


@pytest.mark.parametrize("count", [1, 5, 20])
def test_values_add_up_to_the_difference_of_the_whole_and_the_empty_text(count):
    differences = np.random.default_rng(3).normal(size=count)
    scores, _ = shapley_of_process(some_pairs(count), differences, DISTANCE)
    assert scores.sum() == pytest.approx(2 * differences[0], abs=1e-9)


def test_values_and_errors_scale_with_the_answers():
    differences = np.random.default_rng(4).normal(size=9)
    one, ten = (shapley_of_process(some_pairs(9), factor * differences, DISTANCE) for factor in (1, 10))
    np.testing.assert_allclose(10 * np.array(one), np.array(ten))


def test_errors_are_right_for_draws_from_the_process_itself():
    """95 % of 600 x 6 values lie within 1.96 errors; a false alarm below one in a thousand."""
    generator, subsets, halves = np.random.default_rng(5), all_subsets(WORDS), some_pairs(16)
    root = np.linalg.cholesky(covariance())
    codes = [int(kept @ (1 << np.arange(WORDS))) for kept in halves]
    opposite = [2**WORDS - 1 - code for code in codes]
    inside = []
    for answers in generator.normal(size=(600, len(subsets))) @ root.T:
        scores, error = shapley_of_process(halves, (answers[codes] - answers[opposite]) / 2, DISTANCE)
        inside.append(np.abs(scores - shapley_of_table(answers, WORDS)) < 1.96 * error)
    assert 0.91 < np.mean(inside) < 0.97


def test_errors_are_sized_by_pairs_left_out_where_they_are_given():
    differences, halves = np.random.default_rng(7).normal(size=9), some_pairs(9)
    scores, own = shapley_of_process(halves, differences, DISTANCE)
    same, honest = shapley_of_process(halves, differences, DISTANCE, 3 * differences)
    doubled = shapley_of_process(halves, differences, DISTANCE, 6 * differences)[1]
    np.testing.assert_allclose(same, scores)
    np.testing.assert_allclose(doubled, 2 * honest)
    np.testing.assert_allclose(honest / own, honest[0] / own[0])


def test_long_texts_do_not_underflow():
    words = 3000
    halves = np.random.default_rng(6).random((20, words)) < 0.5
    halves[0] = True
    scores, error = shapley_of_process(halves, np.linspace(0.4, -0.1, 20), np.full(words, 1 / words))
    assert np.isfinite(scores).all()
    assert (error > 0).all()
    assert scores.sum() == pytest.approx(0.8, abs=1e-9)
