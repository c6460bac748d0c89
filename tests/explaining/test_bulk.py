import json
from pathlib import Path

import numpy as np
import pytest

from whyword import TextClassifier, load
from whyword.data.planted import planted
from whyword.data.rows import Columns
from whyword.data.sources import cut
from whyword.explaining import bulk
from whyword.explaining.stream import make_explainer
from whyword.interfaces.errors import ModelError
from whyword.models.fingerprint import model_fingerprint
from whyword.models.folder import load_model


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [document.words.texts[0] for document in planted("easy,train=16,dev=0,test=0").train]


@pytest.fixture(scope="module")
def model(tmp_path_factory, texts) -> Path:
    folder = tmp_path_factory.mktemp("models") / "attention"
    labels = [document.label for document in planted("easy,train=16,dev=0,test=0").train]
    TextClassifier("attention", "bag", epochs=3, learning_rate=0.05).fit(texts, labels).save(folder)
    return folder


@pytest.fixture(scope="module")
def file(tmp_path_factory, texts) -> Path:
    path = tmp_path_factory.mktemp("texts") / "t.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    return path


def task(model: Path, explainer: str | None = None, **settings: object) -> bulk.Task:
    trained = load_model(model)
    chosen = None if explainer is None else make_explainer(explainer, trained.classifier, 3, settings)
    return bulk.Task(model, model_fingerprint(trained), Columns(), chosen, device="cpu")


def rows(asked: bulk.Task, file: Path, size: int) -> list[dict]:
    return [row for part in cut([file], size) for row in bulk.answer(asked, part)]


@pytest.mark.parametrize(
    ("explainer", "settings"),
    [("own", {}), ("random", {}), ("occlusion", {}), ("lime", {"samples": "auto"}), ("shapley", {"samples": 2})],
    ids=["own", "random", "occlusion", "lime", "shapley"],
)
def test_scores_and_passes_do_not_depend_on_how_the_texts_are_cut(model, file, texts, explainer, settings):
    asked = task(model, explainer, **settings)
    wanted = load(model).explain(texts, explainer=asked.explainer)
    for size in (5, 100):
        answers = rows(asked, file, size)
        assert [row["text"] for row in answers] == texts
        assert [row["forward_passes"] for row in answers] == [explanation.forward_passes for explanation in wanted]
        for row, explanation in zip(answers, wanted, strict=True):
            np.testing.assert_allclose(row["scores"], explanation.scores, atol=1e-5)
            assert row.keys() == explanation.to_dict().keys() - {"seconds"}


def test_a_part_is_the_same_to_the_last_digit_whatever_was_answered_before(model, file):
    asked = task(model, "lime", samples=64)
    parts = list(cut([file], 6))
    forth = {part.number: list(bulk.answer(asked, part)) for part in parts}
    back = {part.number: list(bulk.answer(asked, part)) for part in reversed(parts)}
    assert forth == back


def test_predictions_are_those_of_the_model(model, file, texts):
    answers = rows(task(model), file, 5)
    assert [row["label"] for row in answers] == list(load(model).predict(texts))
    np.testing.assert_allclose(
        [list(row["probabilities"].values()) for row in answers], load(model).predict_proba(texts), atol=1e-6
    )


def test_a_process_loads_the_model_once(model, file, monkeypatch):
    bulk._load_once.cache_clear()
    loads = []
    monkeypatch.setattr(bulk, "load_model", lambda *words: loads.append(words) or load_model(*words))
    asked = task(model)
    rows(asked, file, 5)
    assert len(loads) == 1
    (part,) = cut([file], 100)
    list(bulk.answer(asked, part, load_model(model).classifier))
    assert len(loads) == 1


def test_another_model_in_its_place_is_refused(model, file):
    (part,) = cut([file], 100)
    other = bulk.Task(model, "another fingerprint", Columns(), device="cpu")
    with pytest.raises(ModelError, match="is not the model that the run began with"):
        list(bulk.answer(other, part))
