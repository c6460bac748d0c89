import numpy as np
import pytest
import torch

from whyword import TextClassifier
from whyword.audits.model_views import MOST_WORDS, kind_of, map_facts, mask_facts, word_facts
from whyword.data.planted import planted
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.own import Own
from whyword.inference.black_box import BlackBox


def fitted(method):
    documents = planted("easy,train=60,dev=0,test=0").train
    texts, labels = [d.words.texts[0] for d in documents], [d.label for d in documents]
    return TextClassifier(method, "bag", epochs=1, learning_rate=0.05).fit(texts, labels).model_.classifier


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


def test_words_are_ranked_by_the_models_own_scores_else_by_the_first_explainer(mask, documents):
    own, left_out = Own().explain(mask, documents), Occlusion().explain(mask, documents)
    found = word_facts(mask, {"occlusion": left_out, "own": own})
    assert found["source"] == "the mean of the own scores of vmask"
    assert len(found["rows"]) <= MOST_WORDS
    scores = {word: s for e in own for word, s in zip((w.lower() for w in e.words), e.scores, strict=True)}
    for row in found["rows"]:  # a gate is the same wherever a word stands
        assert row["score"] == pytest.approx(scores[row["word"]], abs=1e-6)
    assert word_facts(mask, {"occlusion": left_out})["source"] == "the sum of occlusion scores"


def test_a_dead_mask_is_told(mask, documents):
    assert mask_facts(mask, documents)["warning"] is None or "mask" in mask_facts(mask, documents)["warning"]
    dead = fitted("vmask")
    with torch.no_grad():
        for weight in dead.method.gate.parameters():
            weight.zero_()
    found = mask_facts(dead, documents)
    assert found["keep_sd"] == pytest.approx(0, abs=1e-9)
    assert "collapsed" in found["warning"]
    assert mask_facts(fitted("base"), documents) is None


def test_the_map_has_a_point_per_text_and_is_the_same_again(mask, documents):
    explanations = Own().explain(mask, documents)
    found = map_facts(mask, explanations, seed=3)
    assert found == map_facts(mask, explanations, seed=3)
    assert [point["gold"] for point in found["points"]] == [document.label for document in documents]
    assert -1 <= found["silhouette"] <= 1


def test_there_is_no_map_of_a_few_texts_of_equal_ones_or_of_a_black_box(mask, documents):
    explanations = Own().explain(mask, documents)
    assert map_facts(mask, explanations[:9], seed=0) is None
    assert map_facts(mask, explanations[:1] * 12, seed=0) is None
    assert map_facts(BlackBox(lambda texts: texts, (0, 1)), explanations, seed=0) is None
