"""Which words stopped deciding between two models, and which took over."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from diffs.test_people import LABELS, MARKS, NEW, OLD, TEXTS, model
from models.test_forbidden_words import proxy_data
from whyword import diff
from whyword.data.splits import Dataset
from whyword.data.words import split
from whyword.diffs.deciding import WordDecision, decisions
from whyword.explainers import Occlusion
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation
from whyword.models.config import make_config
from whyword.models.train import train_model

BOX = model(OLD)


def explained(text, scores, target=1, classes=("bad", "good"), signed=True):
    odds = np.full(len(classes), 0.1)
    odds[target] = 0.9
    return Explanation(
        document=Document(split(text)),
        scores=np.array(scores, dtype=float),
        target=target,
        classes=classes,
        probabilities=odds,
        explainer="x",
        signed=signed,
        forward_passes=1,
        seconds=0.0,
    )


def decided(old, new, top=2):
    return {row.word: row for row in decisions(old, new, top, BOX)}


def test_words_that_stopped_deciding_and_those_that_took_over_are_named():
    found = diff(model(OLD), model(NEW), TEXTS, LABELS, Occlusion(), rationales=MARKS)
    rows = {row.word: row for row in found.decisions}
    assert (rows["chicago"].old, rows["chicago"].new, rows["chicago"].texts) == (4, 0, 4)
    assert (rows["chicago"].old_class, rows["chicago"].new_class) == ("good", None)
    assert (rows["boston"].old_class, rows["dirty"].new_class) == ("bad", "bad")
    assert {row.word for row in found.stopped(4)} >= {"chicago", "boston"}
    assert {row.word for row in found.started(4)} >= {"clean", "dirty"}
    assert not {row.word for row in found.stopped(4)} & {row.word for row in found.started(4)}
    assert "chicago" not in {row.word for row in found.stopped(5)}  # it stands in four texts
    assert "stopped deciding" not in str(diff(model(OLD), model(OLD), TEXTS, explainer=Occlusion()))
    page = found.to_html(min_count=4)
    assert "Words that stopped deciding" in page
    assert "<bdi>chicago</bdi>" in page


def test_a_word_decides_where_it_is_at_the_top_and_has_a_tenth_of_the_scores():
    text = "a b c d"
    scores = [0.5, 0.38, 0.12, -0.2]
    assert set(decided([explained(text, scores)], [explained(text, scores)])) == {"a", "b"}
    assert set(decided([explained(text, scores)], [explained(text, scores)], top=3)) == {"a", "b", "c"}
    weak = [0.5, 0.4, 0.09, -0.01]
    assert set(decided([explained(text, weak)], [explained(text, weak)], top=4)) == {"a", "b"}


def test_what_speaks_against_the_answer_or_says_nothing_decides_nothing():
    assert decided([explained("a b", [-1.0, 0.0])], [explained("a b", [0.0, 0.0])]) == {}


def test_a_word_counts_once_a_text_whatever_its_case_and_by_the_class_it_decides_for_most():
    old = [
        explained("Inn inn", [1, 1]),
        explained("inn", [1.0], target=0),
        explained("INN", [1.0], target=0),
        explained("inn", [0.0]),
    ]
    row = decided(old, [replace(one, scores=0 * one.scores) for one in old])["inn"]
    assert row == WordDecision("inn", 4, 3, 0, "bad", None, forbidden=False)
    assert (row.stopped, row.started) == (True, False)
    unsigned = [replace(one, signed=False) for one in old]
    assert decided(unsigned, unsigned)["inn"].old_class is None


@pytest.mark.parametrize(
    ("texts", "old", "new", "stopped"),
    [(10, 5, 2, True), (10, 4, 0, False), (10, 8, 4, False), (10, 8, 3, True), (1, 1, 0, True)],
)
def test_it_stopped_where_it_decided_half_of_its_texts_and_now_decides_less_than_half_as_many(texts, old, new, stopped):
    row = WordDecision("w", texts, old, new, "a", "b", forbidden=False)
    mirrored = WordDecision("w", texts, new, old, "a", "b", forbidden=False)
    assert (row.stopped, mirrored.started) == (stopped, stopped)
    assert row.to_dict()["stopped"] == stopped


def test_forbidden_words_are_named_also_where_they_decided_nothing():
    old = explained("good chicago", [0.1, 0.9])
    new = replace(explained("good chicago", [1.0, 0.0]), forbidden_words=np.array([False, True]))
    rows = decided([old], [new])
    assert (rows["chicago"].forbidden, rows["good"].forbidden) == (True, False)
    assert str(rows["chicago"]) == "chicago (1 → 0 of 1 text, forbidden)"
    assert decided([replace(old, scores=np.array([1.0, 0.0]))], [new])["chicago"].forbidden


@pytest.mark.parametrize("how", ["forbid", "forbid_soft"])
def test_forbidden_words_are_named_among_those_that_stopped_deciding_also_where_they_are_read(how):
    documents = proxy_data()
    data = Dataset("cities", tuple(documents[:300]), tuple(documents[300:]), ())
    shape = {"encoder": {"name": "bag", "dim": 8}, "training": {"epochs": 20, "learning_rate": 0.1}}
    old, new = (
        train_model(make_config({**shape, "contributions": False, **forbidden}), data)
        for forbidden in ({}, {how: ["chicago"]})
    )
    texts = [document for document in data.dev if "Chicago" in document.words.strings]
    found = diff(old, new, texts, explainer=Occlusion())
    (row,) = found.forbidden()
    assert (row.word, row.texts) == ("chicago", len(texts))
    assert str(row).endswith(", forbidden)")
    assert str(row) in str(found)
    assert row in found.stopped()
    assert found.accuracy is not None
    assert not diff(new, old, texts, explainer=Occlusion()).forbidden()
