"""The audit of several labels a text: of a model whose every answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from whyword import audit
from whyword.data.words import split
from whyword.explainers import Occlusion
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document

CUES = {"food": "cold", "people": "rude"}


def answers(texts: list[str]) -> np.ndarray:
    """Give each text each label by one word."""
    return np.array([[0.9 if cue in text else 0.1 for cue in CUES.values()] for text in texts])


@pytest.fixture(scope="module")
def report():
    texts = ["cold soup and more", "a rude man came by", "cold soup from a rude man", "we came home late"] * 10
    documents = [
        Document(
            split(text),
            labels=tuple(label for label, cue in CUES.items() if cue in text),
            rationales=tuple(
                (label, (((text.index(cue), text.index(cue) + 4),),)) for label, cue in CUES.items() if cue in text
            ),
        )
        for text in texts
    ]
    return audit(BlackBox(answers, ("food", "people"), multi_label=True), documents, explainers=[Occlusion()])


def test_every_label_is_judged_on_the_texts_that_it_is_given_to(report) -> None:
    assert {label.label: label.texts for label in report.data.labels} == {"food": 20, "people": 20}
    assert report.scores.texts == 40
    assert all(label.f1 == 1.0 and label.verdicts for label in report.data.labels)


def test_a_label_is_compared_with_the_words_marked_for_it(report) -> None:
    assert report.scores["rationale-auprc", "occlusion"].value == 1.0
    assert report.data.label_means["rationale-auprc"]["occlusion"] == 1.0
    assert report.human_like == {"occlusion": "human-like"}
    assert [[one.verdict for one in label.human_like] for label in report.data.labels] == [["human-like"]] * 2


def test_without_its_word_a_label_falls_by_what_the_word_gives(report) -> None:
    score = report.scores["probability-drop", "occlusion"]
    assert score.mean_curve[0] == pytest.approx(0.8)
    assert report.scores["posthoc-accuracy", "occlusion"].value == 1.0


def test_accuracy_is_of_all_labels_and_the_page_shows_each(report) -> None:
    assert report.accuracy == 1.0
    assert report.data.label_quality.micro_f1.value == 1.0
    assert report.to_dict()["labels"][0]["label"] == "food"
    assert "Label by label" in report.to_html()
    assert "All labels right" in report.to_html()
    assert "40 labels of texts, " in str(report)
    assert "food (20 texts, F1 100.0%): occlusion: use with care (human-like)" in str(report)


def test_a_model_that_gives_no_label_is_an_error() -> None:
    from whyword.errors import DataError

    box = BlackBox(lambda texts: np.full((len(texts), 2), 0.2), ("food", "people"), multi_label=True)
    with pytest.raises(DataError, match="gives no label to any text"):
        audit(box, ["a text", "another"], explainers=[Occlusion()])


def test_a_plain_label_is_the_only_one_of_its_text() -> None:
    texts, labels = (
        ["cold soup and more", "a rude man came by", "cold soup from a rude man"],
        ["food", "people", "food"],
    )
    box = BlackBox(answers, ("food", "people"), multi_label=True)
    plain, sets = (
        audit(box, texts, given, explainers=[Occlusion()], metrics=["comprehensiveness"], draws=1)
        for given in (labels, [[label] for label in labels])
    )
    assert plain.accuracy == pytest.approx(2 / 3)  # of the last text people is wrong
    assert plain.data.label_quality == sets.data.label_quality
    assert [label.f1 for label in plain.data.labels] == [1.0, pytest.approx(2 / 3)]
