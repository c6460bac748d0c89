import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from whyword.attribution.rounds import TOLERANCE, converged, estimate_in_rounds
from whyword.data.words import split

SCORES = st.lists(st.floats(-1, 1), min_size=1, max_size=12)


def test_two_words_are_converged_with_the_chance_of_the_normal_distribution():
    confidence, tied = converged(np.array([0.3, 0.1]), np.array([0.03, 0.04]), 1, 0.95)
    assert confidence == pytest.approx(norm.cdf((0.2 + TOLERANCE * 0.3) / 0.05))
    assert not tied.any()


def test_chances_to_be_wrong_add_up_over_pairs_inside_and_outside():
    scores, error = np.array([0.5, 0.4, 0.2, 0.1]), np.full(4, 0.06)
    slack = TOLERANCE * 0.5
    gaps = np.array([0.3, 0.4, 0.2, 0.3]) + slack
    expected = 1 - norm.sf(gaps / np.hypot(0.06, 0.06)).sum()
    assert converged(scores, error, 2, 0.95)[0] == pytest.approx(expected)


def test_words_at_the_border_are_tied_and_those_far_from_it_are_not():
    confidence, tied = converged(np.array([0.9, 0.31, 0.3, -0.5]), np.full(4, 0.05), 2, 0.95)
    assert tied.tolist() == [False, True, True, False]
    assert confidence < 0.95


def test_exact_scores_are_converged_and_equal_ones_are_tied():
    confidence, tied = converged(np.array([0.5, 0.2, 0.2, 0.0]), np.zeros(4), 2, 0.95)
    assert confidence == 1
    assert tied.tolist() == [False, True, True, False]


def test_a_gap_within_the_tolerance_is_converged_as_a_tie():
    scores = np.array([1.0, 0.5 + TOLERANCE / 2, 0.5])
    confidence, tied = converged(scores, np.full(3, TOLERANCE / 10), 2, 0.95)
    assert confidence > 0.95
    assert tied.tolist() == [False, True, True]


@pytest.mark.parametrize("top", [5, 9])
def test_with_no_word_outside_all_is_converged(top):
    confidence, tied = converged(np.arange(5.0), np.full(5, 10.0), top, 0.95)
    assert confidence == 1
    assert not tied.any()


def test_words_without_effect_are_converged_as_ties():
    confidence, tied = converged(np.zeros(7), np.zeros(7), 5, 0.95)
    assert confidence == 1
    assert tied.all()


@given(SCORES, st.integers(1, 6), st.floats(0.001, 0.5))
def test_more_certain_scores_are_never_less_converged(scores, top, error):
    values, errors = np.array(scores), np.full(len(scores), error)
    sure, tied_sure = converged(values, errors / 2, top, 0.95)
    unsure, tied_unsure = converged(values, errors, top, 0.95)
    assert 0 <= unsure <= sure + 1e-12 <= 1 + 1e-12
    assert not (tied_sure & ~tied_unsure).any()


def test_the_confidence_holds():
    """Over 2,000 draws of noisy scores, the top is right at least as often as claimed when it is claimed at 0.9."""
    truth = np.linspace(0.5, -0.2, 12)
    generator = np.random.default_rng(0)
    claimed = right = 0
    for _ in range(2000):
        drawn = generator.normal(truth, 0.035)
        if converged(drawn, np.full(12, 0.035), 3, 0.9)[0] >= 0.9:
            claimed += 1
            right += set(np.argsort(-drawn)[:3]) == {0, 1, 2}
    assert claimed > 100
    assert right / claimed > 0.9


class CountingClassifier:
    """Answers with the share of words kept, and notes the texts of each round."""

    def __init__(self):
        self.rounds = []

    def probabilities_of_many(self, requests, removal):
        requests = list(requests)
        self.rounds.append([len(words) for words, _ in requests])
        self.removal = removal
        for _, subsets in requests:
            share = subsets.double().mean(1)
            yield torch.stack([1 - share, share], dim=1)


class RoundEstimator:
    """Asks about all prefixes of a text in each of its rounds."""

    def __init__(self, text, rounds):
        self.words = split(text)
        self.left, self.answers, self.seconds = rounds, [], []

    def subsets(self):
        self.left -= 1
        count = len(self.words)
        return np.tri(count, dtype=bool) if self.left >= 0 else np.zeros((0, count), dtype=bool)

    def take(self, probabilities):
        self.answers.append(probabilities)

    def learn(self, seconds):
        self.seconds.append(seconds)


def test_rounds_go_to_the_estimators_that_are_still_running_and_each_gets_its_own_answers():
    estimators = [RoundEstimator("a b c", 1), RoundEstimator("a b c d e", 3), RoundEstimator("a b", 0)]
    classifier = CountingClassifier()
    estimate_in_rounds(classifier, estimators, "mask")
    assert [texts for texts in classifier.rounds if texts] == [[3, 5], [5], [5]]
    assert classifier.removal == "mask"
    assert [len(estimator.answers) for estimator in estimators] == [1, 3, 0]
    for estimator in estimators[:2]:
        count = len(estimator.words)
        for answer in estimator.answers:
            assert answer.dtype == np.float64
            np.testing.assert_allclose(answer[:, 1], np.arange(1, count + 1) / count)


def test_the_time_of_a_round_is_shared_out_by_the_words_of_the_sub_texts():
    short, long = RoundEstimator("a b c", 1), RoundEstimator("a b c d e", 1)
    estimate_in_rounds(CountingClassifier(), [short, long])
    assert short.seconds[0] / long.seconds[0] == pytest.approx((6 + 3) / (15 + 5))
