import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau

from reference.attention_models import (
    DOCUMENTS,
    TEXTS,
    decides_by_its_attention,
    ignores_its_attention,
    small_lstm,
    without_attention,
)
from whyword.analysis.attention_tests import run_attention_tests
from whyword.analysis.replaced_attention import Search, permuted_attention, uniform_attention
from whyword.explainers.occlusion import Occlusion
from whyword.interfaces.errors import DataError, OptionError


def examine(classifier, documents=DOCUMENTS, seed=0):
    classifier.method.float()  # a fitted classifier answers in single precision
    return run_attention_tests(classifier, documents, seed, Search(restarts=3, steps=60, learning_rate=0.2))


def test_a_model_that_ignores_its_attention_is_unmasked_by_every_replacement():
    attention_tests = examine(ignores_its_attention())
    assert attention_tests["uniform"].value == pytest.approx(0.0, abs=1e-6)
    assert attention_tests["permuted"].value == pytest.approx(0.0, abs=1e-6)
    assert attention_tests["uniform-accuracy"].value == 0.0
    assert attention_tests["adversarial-share"].value > 0.9


def test_a_model_whose_attention_decides_is_not():
    attention_tests = examine(decides_by_its_attention())
    assert attention_tests["permuted"].interval[0] > 0.1
    assert attention_tests["adversarial-share"].interval[1] < 0.2
    assert attention_tests["gradient"].value == pytest.approx(1.0)  # only the cue has any effect, and all the attention
    assert attention_tests["occlusion"].value > 0.9


def test_the_scores_are_those_of_the_single_tests_with_intervals_around_them():
    classifier = small_lstm()
    attention_tests = examine(classifier, seed=3)
    texts = [document.words for document in DOCUMENTS]
    assert attention_tests["uniform"].per_text == pytest.approx(uniform_attention(classifier, texts).output_change)
    assert attention_tests["permuted"].per_text == pytest.approx(
        permuted_attention(classifier, texts, seed=3).output_change
    )
    for score in attention_tests.scores:
        assert score.interval[0] <= score.value <= score.interval[1]
        assert score.texts == len(TEXTS)


def test_agreement_is_kendall_s_tau_with_the_sizes_of_the_others():
    classifier = small_lstm()
    attention_tests = examine(classifier)
    own, _, _ = classifier.own_scores(TEXTS)
    for i, explanation in enumerate(Occlusion().explain(classifier, DOCUMENTS)):
        expected = kendalltau(own[i].numpy(), np.abs(explanation.scores)).statistic
        assert attention_tests["occlusion"].per_text[i] == pytest.approx(expected)


def test_accuracy_is_left_out_where_labels_are_missing():
    bare = [replace(document, label=None) for document in DOCUMENTS]
    attention_tests = examine(small_lstm(), bare)
    assert "uniform-accuracy" not in attention_tests.to_dict()
    assert (
        len(json.loads(json.dumps(attention_tests.to_dict())))
        == len(attention_tests.scores)
        == len(str(attention_tests).splitlines())
        == 6
    )


def test_what_cannot_be_tested_is_refused():
    with pytest.raises(DataError, match="no texts"):
        run_attention_tests(small_lstm(), [])
    with pytest.raises(OptionError, match="does not weigh states"):
        run_attention_tests(without_attention(), DOCUMENTS)
