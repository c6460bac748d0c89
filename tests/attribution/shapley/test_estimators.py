import numpy as np
import pytest

from whyword.attribution.shapley import estimators
from whyword.attribution.shapley.estimators import ExactEstimator, PairEstimator, PermutationEstimator, Request
from whyword.attribution.shapley.exact import all_subsets, shapley_of_table
from whyword.data.words import split

WORDS = split("one two three four five six seven eight nine ten eleven twelve")
INTO, OUT = np.random.default_rng(0).normal(size=(12, 4)), np.random.default_rng(1).normal(size=4)


def ask(kept):
    good = 1 / (1 + np.exp(-np.tanh(kept @ INTO) @ OUT))
    return np.stack([1 - good, good], axis=1)


def request(confidence=0.95, budget=None, seed=0):
    return Request(WORDS, 1, 3, confidence, budget, seed)


def finish(estimator):
    """Answer until nothing more is asked; give the sub-texts of each round."""
    rounds = []
    while len(kept := estimator.subsets()):
        rounds.append(kept)
        estimator.take(ask(kept))
        estimator.learn(0.01)
    return rounds


ESTIMATORS = {
    "all": lambda: ExactEstimator(request()),
    "permutations": lambda: PermutationEstimator(request(), 9),
    "pairs": lambda: PairEstimator(request(), 200),
}


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_whole_and_the_empty_text_are_asked_about_first_and_once(kind):
    estimator = ESTIMATORS[kind]()
    asked = np.concatenate(finish(estimator))
    assert asked[0].all()
    assert not asked[1].any()
    assert len(np.unique(asked, axis=0)) == len(asked) == estimator.passes
    np.testing.assert_allclose(estimator.probabilities, ask(asked[:1])[0])
    np.testing.assert_array_equal(estimator.base_values, ask(asked[1:2])[0])


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_without_a_target_the_predicted_class_is_asked_about(kind):
    estimator = ESTIMATORS[kind]()
    estimator._scored.target = None
    finish(estimator)
    assert estimator.target == ask(np.ones((1, 12)))[0].argmax()


@pytest.mark.parametrize("samples", [4, 7, 30])
def test_permutations_do_not_depend_on_how_many_fit_in_a_round(monkeypatch, samples):
    at_once = PermutationEstimator(request(), samples)
    assert len(finish(at_once)) == 1
    monkeypatch.setattr(estimators, "MOST_CELLS_PER_ROUND", 600)
    in_rounds = PermutationEstimator(request(), samples)
    assert len(finish(in_rounds)) == -(-samples // 4)
    np.testing.assert_allclose(in_rounds.scores, at_once.scores, atol=1e-12)
    np.testing.assert_allclose(in_rounds.std_error, at_once.std_error, atol=1e-12)


def test_permutations_continue_when_a_round_has_nothing_new_to_ask(monkeypatch):
    monkeypatch.setattr(estimators, "MOST_CELLS_PER_ROUND", 12 * 11 * 2000)
    estimator = PermutationEstimator(request(), 20_000)
    asked = np.concatenate(finish(estimator))
    assert len(asked) <= 2**12
    truth = shapley_of_table(ask(all_subsets(12))[:, 1], 12)
    assert (np.abs(estimator.scores - truth) < 5 * estimator.std_error).all()
    assert estimator.std_error.max() < 0.01


def test_permutations_with_a_budget_stop_when_there_is_nothing_new_to_ask(monkeypatch):
    monkeypatch.setattr(estimators, "MOST_CELLS_PER_ROUND", 12 * 11 * 2000)
    estimator = PermutationEstimator(request(budget=1e9), 10**9)
    assert len(np.concatenate(finish(estimator))) <= 2**12


def test_pairs_are_asked_about_in_growing_rounds_up_to_the_limit():
    rounds = finish(PairEstimator(request(confidence=1 - 1e-15), 300))
    sizes = [len(kept) for kept in rounds]
    assert sum(sizes) <= 300
    assert len(sizes) > 1
    for kept in rounds[1:]:
        np.testing.assert_array_equal(kept[: len(kept) // 2], ~kept[len(kept) // 2 :])


def test_pairs_stop_when_the_top_words_have_converged():
    sure, unsure = PairEstimator(request(confidence=0.999), 2000), PairEstimator(request(confidence=0.5), 2000)
    assert len(np.concatenate(finish(unsure))) <= len(np.concatenate(finish(sure)))
    assert unsure.confidence >= 0.5
    assert sure.confidence >= 0.999 or sure.passes == 2000


def test_the_seventh_digit_of_an_answer_does_not_decide_when_to_stop():
    exact, shaken = PairEstimator(request(), 2000), PairEstimator(request(), 2000)
    finish(exact)
    generator = np.random.default_rng(3)
    while len(kept := shaken.subsets()):
        shaken.take(ask(kept) + generator.uniform(-1e-7, 1e-7, (len(kept), 2)))
        shaken.learn(0.01)
    assert shaken.passes == exact.passes
    np.testing.assert_allclose(shaken.scores, exact.scores, atol=1e-5)
