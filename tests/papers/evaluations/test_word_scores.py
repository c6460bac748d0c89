from collections import Counter

import numpy as np
import pytest

from reference.trials import tiny_trial
from whyword.papers.evaluations.word_scores import WordScores, pearson_of_frequency, pictured


def test_the_correlation_is_that_of_counts_and_keep_probabilities_over_all_words(tmp_path):
    trial = tiny_trial(tmp_path)
    dataset = trial.dataset()
    model = trial.model(dataset)
    answer = WordScores(drawn=10_000).ask(model, dataset, trial)
    counts = Counter(word.lower() for document in dataset.train for word in document.words.strings)
    importance, pearson, spearman = pictured(answer)  # so many are drawn that it is all words
    assert dict(zip(importance.words, importance.frequencies.tolist(), strict=True)) == counts
    expected = np.corrcoef(importance.frequencies, importance.scores)[0, 1]
    assert pearson_of_frequency(answer)["value"] == pytest.approx(expected, abs=0.01)  # scores are rounded
    assert pearson.value == answer["pearson"]["value"]
    assert -1 <= spearman.value <= 1


def test_the_words_that_are_named_are_frequent_enough_and_have_the_highest_scores(tmp_path):
    trial = tiny_trial(tmp_path)
    dataset = trial.dataset()
    answer = WordScores(least=3, top=5).ask(trial.model(dataset), dataset, trial)
    importance, *_ = pictured(answer)
    frequent = importance.at_least(3).top(5)
    assert [row["word"] for row in answer["top"]] == list(frequent.words)


def test_a_picture_holds_the_most_frequent_words_and_some_of_the_others(tmp_path):
    trial = tiny_trial(tmp_path)
    dataset = trial.dataset()
    every, _, _ = pictured(WordScores(drawn=10_000).ask(trial.model(dataset), dataset, trial))
    some, _, _ = pictured(WordScores(drawn=40).ask(trial.model(dataset), dataset, trial))
    assert len(some) < len(every) / 2
    assert some.frequencies[:20].tolist() == sorted(every.frequencies.tolist(), reverse=True)[:20]


def test_a_mask_that_is_the_same_for_all_words_has_no_correlation():
    assert pearson_of_frequency({"pearson": None}) == {}
