import json
from dataclasses import replace

import numpy as np
import pytest

from whyword import demo
from whyword.data.words import split
from whyword.demo import MODELS, most_divided, planted_words, run_demo
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation
from whyword.models.folder import load_model

TINY = {"pairs": 2, "steps": 10, "epochs": 1, "least_texts": 10}


@pytest.fixture
def _quick(monkeypatch):
    monkeypatch.setattr(demo, "MODELS", {**MODELS, "default": {**MODELS["default"], "contributions": TINY}})


@pytest.mark.usefixtures("_quick")
def test_the_demo_leaves_models_and_a_report_on_each(tmp_path):
    told = []
    result = run_demo(
        tmp_path / "a b", 0, "cpu", told.append, data="planted:train=60,dev=20,test=20", encoder="bag", epochs=3
    )
    for name, method in {"default": "base", "attention": "attention", "vmask": "vmask"}.items():
        model = load_model(tmp_path / "a b" / name)
        assert model.config.method == method
        assert model.classifier.has_contributions == (name == "default")
        assert set(result.agreement[name]) == {"own", "occlusion", "random"}
        assert all(0 <= value <= 1 for value in result.agreement[name].values())
        assert "Can its explanations be trusted?" in result.page(name).read_text(encoding="utf-8")
        values = json.loads(result.page(name).with_suffix(".json").read_text(encoding="utf-8"))
        assert values["data"]["texts"] == 20
        assert {row["explainer"]: row["verdict"] for row in values["verdicts"]} == result.audits[name].verdicts
    assert f"whyword explain '{tmp_path}/a b/default'" in result.summary
    assert any(isinstance(event, str) and "Training attention" in event for event in told)
    assert sum(isinstance(event, str) and "known exactly" in event for event in told) == 1
    assert result.to_dict()["test_accuracy"] == dict(result.accuracy)
    for said in result.shown:
        assert list(said) == ["default", "attention", "vmask"]
        assert len({explanation.document.words.texts for explanation in said.values()}) == 1
        assert said["default"].signed
        assert not said["attention"].signed


def test_texts_are_shown_whose_weaker_side_is_strongest():
    def scored(text, scores):
        return Explanation(Document(split(text)), np.array(scores), 0, ("a", "b"), np.array([0.6, 0.4]), "x")

    explanations = [scored("one two", [0.9, 0.3]), scored("three four", [0.3, -0.2]), scored("five six", [0.5, -0.1])]
    chosen = [document.words.texts[0] for document in most_divided(explanations, 2)]
    assert chosen == ["three four", "five six"]


def test_the_truth_is_told_in_a_sentence():
    document = replace(Document(split("a fine but slow film")), label="good", rationale=(((2, 6),),))
    assert planted_words(document) == "The truth, the words planted for good: fine."
