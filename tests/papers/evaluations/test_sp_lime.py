from collections import defaultdict

import pytest

from reference.trials import tiny_run, tiny_trial
from whyword.explaining.stream import explain_documents, make_explainer
from whyword.papers.evaluations.sp_lime import SpLime


def test_the_top_words_have_the_largest_sums_of_their_scores_over_texts(tmp_path):
    trial = tiny_trial(tmp_path, tiny_run("base"))
    dataset = trial.dataset()
    model = trial.model(dataset)
    answer = SpLime(sample=100, samples=30, top=4).ask(model, dataset, trial)
    sums = defaultdict(float)
    lime = make_explainer("lime", model.classifier, trial.seed, {"samples": 30})
    for explanation in explain_documents(model.classifier, dataset.test, lime):
        for word, score in zip(explanation.words, explanation.scores.tolist(), strict=True):
            sums[word.lower()] += score
    largest = sorted(sums.items(), key=lambda item: -item[1])[:4]
    assert [(row["word"], row["score"]) for row in answer["top"]] == [(w, pytest.approx(s)) for w, s in largest]
    assert answer["texts"] == len(dataset.test)
