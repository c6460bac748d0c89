import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from whyword import TextClassifier
from whyword.audits.sections import (
    MOST_WORDS,
    agreements,
    converged_shares,
    global_words,
    kind_of,
    mask_health,
    text_map,
    versions,
)
from whyword.data.planted import planted
from whyword.data.words import split
from whyword.explainers.lime import Lime
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.own import Own
from whyword.explaining.words import importance_in
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation
from whyword.interfaces.settings import json_ready


def explanation(scores, signed=True, converged=None):
    scores = np.array(scores, dtype=float)
    document = Document(split(" ".join("w" * len(scores))))
    return Explanation(document, scores, 0, (0, 1), np.array([0.6, 0.4]), "x", signed, converged=converged)


def test_values_become_strict_json():
    given = {"a": np.float32(0.5), 1: (float("nan"), np.int64(3)), "b": [float("inf"), True, None, "x"]}
    found = json_ready(given)
    assert found == {"a": 0.5, "1": [None, 3], "b": [None, True, None, "x"]}
    json.dumps(found, allow_nan=False)


def test_sizes_are_compared_as_soon_as_one_explainer_has_no_sign():
    signed, sizes = [explanation([-3, 1, 2])] * 3, [explanation([3, 1, 2], signed=False)] * 3
    (row,) = agreements({"one": signed, "other": sizes})
    assert (row.one, row.other, row.texts) == ("one", "other", 3)
    assert row.tau == pytest.approx(1.0)
    (row,) = agreements({"one": signed, "other": [explanation([3, 1, 2])] * 3})
    assert row.tau < 0


def test_only_sampled_explanations_can_converge_and_only_texts_that_say_so_count():
    found = [explanation([1, 2], converged=value) for value in (0.99, 0.5, None, 0.95)]
    explainers = {"lime": Lime(), "occlusion": Occlusion()}
    shares = converged_shares({"lime": found, "occlusion": [explanation([1, 2])]}, explainers)
    assert list(shares) == ["lime"]
    assert (shares["lime"].value, shares["lime"].texts) == (2 / 3, 3)


def test_versions_are_named():
    assert {"python", "whyword", "torch"} <= set(versions())


def fitted(method):
    documents = planted("easy,train=60,dev=0,test=0").train
    texts, labels = [d.words.texts[0] for d in documents], [d.label for d in documents]
    return (
        TextClassifier(method, "bag", epochs=1, learning_rate=0.05, contributions=False)
        .fit(texts, labels)
        .model_.classifier
    )


@pytest.fixture(scope="module")
def mask():
    return fitted("vmask")


@pytest.fixture(scope="module")
def documents():
    return list(planted("easy,train=10,dev=0,test=30").test)


def test_models_are_told_apart_by_what_can_be_seen_of_them(mask):
    assert kind_of(mask) == "mask"
    assert kind_of(fitted("attention")) == "attention"
    assert kind_of(fitted("l2x")) == "open"  # its shares are no attention that could be replaced
    assert kind_of(fitted("base")) == "open"
    assert kind_of(BlackBox(lambda texts: np.full((len(texts), 2), 0.5), (0, 1))) == "black box"


def test_words_are_listed_for_every_class_by_contributions_else_by_the_first_signed_explainer(mask, documents):
    own, left_out = Own().explain(mask, documents), Occlusion().explain(mask, documents)
    found = global_words(mask, {"own": own, "occlusion": left_out}).importance
    assert found.source == "the mean of occlusion scores"
    assert found.classes == mask.classes
    every = importance_in(left_out, mask).at_least(2)
    for label, part in found.by_class().items():
        assert part.words == every.for_class(label).top(MOST_WORDS // 2).words
    contributions = [replace(explanation, explainer="own") for explanation in left_out]
    contributed = global_words(mask, {"occlusion": left_out, "own": contributions}).importance
    assert contributed.source == "the mean of the contributions of vmask"


def test_words_are_listed_for_no_class_where_there_are_weights_only(mask, documents):
    own = Own().explain(mask, documents)
    found = global_words(mask, {"own": own})
    assert found.importance.source == "the mean of the own scores of vmask"
    assert len(found.importance) <= MOST_WORDS
    scores = {word: s for e in own for word, s in zip((w.lower() for w in e.words), e.scores, strict=True)}
    for row in found.importance.rows():  # a gate is the same wherever a word stands
        assert row["score"] == pytest.approx(scores[row["word"]], abs=1e-6)
    assert {row["class"] for row in found.importance.rows()} == {None}


def test_a_dead_mask_is_reported(mask, documents):
    warning = mask_health(mask, documents).warning
    assert warning is None or "mask" in warning
    dead = fitted("vmask")
    with torch.no_grad():
        for weight in dead.method.gate.parameters():
            weight.zero_()
    found = mask_health(dead, documents)
    assert found.statistics["keep_sd"] == pytest.approx(0, abs=1e-9)
    assert "collapsed" in found.warning
    assert mask_health(fitted("base"), documents) is None


def test_the_map_has_a_point_per_text_and_is_the_same_every_time(mask, documents):
    explanations = Own().explain(mask, documents)
    found = text_map(mask, explanations, seed=3)
    assert found == text_map(mask, explanations, seed=3)
    assert [point.gold for point in found.points] == [document.label for document in documents]
    assert -1 <= found.silhouette <= 1


def test_there_is_no_map_of_a_few_texts_of_equal_ones_or_of_a_black_box(mask, documents):
    explanations = Own().explain(mask, documents)
    assert text_map(mask, explanations[:9], seed=0) is None
    assert text_map(mask, explanations[:1] * 12, seed=0) is None
    assert text_map(BlackBox(lambda texts: texts, (0, 1)), explanations, seed=0) is None
