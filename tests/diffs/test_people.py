"""Whether reasons moved towards the words that people marked, on models whose every reason is known."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from whyword import diff
from whyword.data.words import split
from whyword.explainers import Occlusion
from whyword.explaining.measure import measure_explanations
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.maths.stats.comparisons import paired_difference

OLD = {"chicago": 2.0, "boston": -2.0, "clean": 0.2, "dirty": -0.2, "room": 0.1}
NEW = {"clean": 2.0, "dirty": -2.0, "room": 0.1, "kind": 0.5}
TEXTS = [
    f"the {state} room in {town} had a {thing} and a kind host"
    for state in ("clean", "dirty")
    for town in ("chicago", "boston", "paris")
    for thing in ("bed", "view")
]


def model(weights):
    def predict(texts):
        odds = np.array([sum(weights.get(word, 0.0) for word in text.split()) for text in texts])
        good = 1 / (1 + np.exp(-odds))
        return np.stack([1 - good, good], axis=1)

    return BlackBox(predict, ("bad", "good"))


def marks(text, words=("clean", "dirty")):
    return [match.span() for word in words for match in re.finditer(word, text)]


LABELS = ["good" if "clean" in text else "bad" for text in TEXTS]
MARKS = [marks(text) for text in TEXTS]


@pytest.fixture(scope="module")
def found():
    return diff(model(OLD), model(NEW), TEXTS, LABELS, Occlusion(), rationales=MARKS)


def literal_areas(weights):
    """Average precision of each text by scikit-learn, of the scores for the model's own answer."""
    areas = []
    box = model(weights)
    for text, explanation in zip(
        TEXTS, Occlusion().explain(box, [Document(split(text)) for text in TEXTS]), strict=True
    ):
        gold = [word in ("clean", "dirty") for word in text.split()]
        areas.append(average_precision_score(gold, np.round(explanation.scores, 6)))
    return np.array(areas)


def test_agreement_is_that_of_each_models_reason_for_its_own_answer(found):
    assert any(text.prediction_changed for text in found.texts)
    old, new = literal_areas(OLD), literal_areas(NEW)
    assert [text.old_agreement for text in found.texts] == pytest.approx(old.tolist())
    assert [text.new_agreement for text in found.texts] == pytest.approx(new.tolist())
    area = found.people.auprc
    assert (area.old.value, area.new.value, area.texts) == pytest.approx((old.mean(), new.mean(), len(TEXTS)))
    assert area.change == paired_difference(new, old)
    assert area.change.low > 0
    assert found.people.random < area.new.value


def test_agreement_is_that_of_an_audit(found):
    documents = [Document(split(text), rationale=(tuple(spans),)) for text, spans in zip(TEXTS, MARKS, strict=True)]
    for weights, which in ((OLD, "old"), (NEW, "new")):
        box = model(weights)
        scores = measure_explanations(
            box, {"occlusion": Occlusion().explain(box, documents)}, ["rationale-auprc", "rationale-f1"]
        )
        for metric, pair in (("rationale-auprc", found.people.auprc), ("rationale-f1", found.people.f1)):
            assert getattr(pair, which).value == pytest.approx(scores[metric, "occlusion"].value)


def test_texts_that_moved_furthest_towards_and_away_from_people_are_named(found):
    closer = found.moved_closer()
    assert closer
    assert [text.closer for text in closer] == sorted((text.closer for text in closer), reverse=True)
    assert closer[0].marked in (("clean",), ("dirty",))
    back = diff(model(NEW), model(OLD), TEXTS, LABELS, Occlusion(), rationales=MARKS)
    assert [text.document.words for text in back.moved_away()] == [text.document.words for text in closer]
    assert found.moved_away() == back.moved_closer() == []


def test_without_marks_nothing_is_said_of_people():
    found = diff(model(OLD), model(NEW), TEXTS, explainer=Occlusion())
    assert (found.people, found.to_dict()["people"], found.moved_closer()) == (None, None, [])
    assert math.isnan(found.texts[0].closer)
    assert found.to_dict()["changes"][0]["old_agreement"] is None
    assert "like people" not in str(found)
    assert "towards people" not in found.to_html()


def test_a_text_without_a_mark_counts_for_nothing():
    some = [*MARKS[:6], *[None] * 6]
    found = diff(model(OLD), model(NEW), TEXTS, explainer=Occlusion(), rationales=some)
    assert found.people.auprc.texts == 6
    assert [math.isnan(text.closer) for text in found.texts] == [False] * 6 + [True] * 6


def test_a_model_and_itself_have_moved_nowhere():
    found = diff(model(OLD), model(OLD), TEXTS, LABELS, Occlusion(), rationales=MARKS)
    assert found.people.auprc.change.value == 0
    assert found.moved_closer() == found.moved_away() == []
    assert found.stopped(1) == found.started(1) == []


def test_what_it_cost_counts_the_texts_that_became_right_and_wrong():
    found = diff(model(NEW), model(OLD), TEXTS, LABELS, Occlusion())
    right = [
        [
            (sum(weights.get(word, 0.0) for word in text.split()) > 0) == (label == "good")
            for text, label in zip(TEXTS, LABELS, strict=True)
        ]
        for weights in (NEW, OLD)
    ]
    pairs = list(zip(*right, strict=True))
    assert found.accuracy.became_right == pairs.count((False, True))
    assert found.accuracy.became_wrong == pairs.count((True, False)) > 0
    assert found.accuracy.change.value == pytest.approx(
        (found.accuracy.became_right - found.accuracy.became_wrong) / len(TEXTS)
    )
    assert f"{found.accuracy.became_wrong} wrong" in str(found)


def test_it_is_shown_in_the_terminal_in_json_and_on_the_page(found):
    text = str(found)
    assert f"like people          {found.people.auprc.old.value:.3f} → {found.people.auprc.new.value:.3f}" in text
    values = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert values["people"]["auprc"]["change"]["value"] == found.people.auprc.change.value
    page = found.to_html()
    assert "Did reasons move towards people's?" in page
    assert "Moved furthest towards people" in page
    assert "People marked: " in page
