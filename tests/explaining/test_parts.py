import json
from pathlib import Path

import numpy as np
import pytest

from whyword import TextClassifier, load, write_predictions
from whyword.catalog import make_explainer
from whyword.data.planted import planted
from whyword.data.rows import Columns
from whyword.data.sources import cut_parts
from whyword.explaining import parts
from whyword.explaining.any_model import open_model
from whyword.interfaces.adapter import Access
from whyword.interfaces.errors import ModelError, WriteError
from whyword.models.fingerprint import model_fingerprint
from whyword.models.folder import load_model
from whyword.storage.part_folder import PartFolder


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [document.words.texts[0] for document in planted("easy,train=16,dev=0,test=0").train]


@pytest.fixture(scope="module")
def model(tmp_path_factory, texts) -> Path:
    folder = tmp_path_factory.mktemp("models") / "attention"
    labels = [document.label for document in planted("easy,train=16,dev=0,test=0").train]
    TextClassifier("attention", "bag", epochs=3, learning_rate=0.05, contributions=False).fit(texts, labels).save(
        folder
    )
    return folder


@pytest.fixture(scope="module")
def file(tmp_path_factory, texts) -> Path:
    path = tmp_path_factory.mktemp("texts") / "t.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    return path


def task(model: Path, explainer: str | None = None, **settings: object) -> parts.Task:
    trained = load_model(model)
    chosen = None if explainer is None else make_explainer(explainer, trained.classifier, 3, settings)
    return parts.Task(str(model), Access("cpu"), model_fingerprint(trained), Columns(), chosen)


def rows(work: parts.Task, file: Path, size: int) -> list[dict]:
    return [row for part in cut_parts([file], size) for row in parts.part_rows(work, part)]


@pytest.mark.parametrize(
    ("explainer", "settings"),
    [("own", {}), ("random", {}), ("occlusion", {}), ("lime", {"samples": "auto"}), ("shapley", {"samples": 2})],
    ids=["own", "random", "occlusion", "lime", "shapley"],
)
def test_scores_and_passes_do_not_depend_on_how_the_texts_are_cut(model, file, texts, explainer, settings):
    work = task(model, explainer, **settings)
    wanted = load(model).explain(texts, explainer=work.explainer)
    for size in (5, 100):
        results = rows(work, file, size)
        assert [row["text"] for row in results] == texts
        assert [row["forward_passes"] for row in results] == [explanation.forward_passes for explanation in wanted]
        for row, explanation in zip(results, wanted, strict=True):
            np.testing.assert_allclose(row["scores"], explanation.scores, atol=1e-5)
            assert row.keys() == explanation.to_dict().keys() - {"seconds"}


def test_a_part_is_the_same_to_the_last_digit_whatever_was_answered_before(model, file):
    work = task(model, "lime", samples=64)
    pieces = list(cut_parts([file], 6))
    forth = {part.number: list(parts.part_rows(work, part)) for part in pieces}
    back = {part.number: list(parts.part_rows(work, part)) for part in reversed(pieces)}
    assert forth == back


def test_predictions_are_those_of_the_model(model, file, texts):
    results = rows(task(model), file, 5)
    assert [row["label"] for row in results] == list(load(model).predict(texts))
    np.testing.assert_allclose(
        [list(row["probabilities"].values()) for row in results], load(model).predict_proba(texts), atol=1e-6
    )


def test_a_process_loads_the_model_once(model, file, monkeypatch):
    parts._load_once.cache_clear()
    loads = []
    monkeypatch.setattr(parts, "open_model", lambda *words: loads.append(words) or open_model(*words))
    work = task(model)
    rows(work, file, 5)
    assert len(loads) == 1
    (part,) = cut_parts([file], 100)
    list(parts.part_rows(work, part, load_model(model).classifier))
    assert len(loads) == 1


def test_another_model_in_its_place_is_refused(model, file):
    (part,) = cut_parts([file], 100)
    other = parts.Task(str(model), Access("cpu"), "another fingerprint", Columns())
    with pytest.raises(ModelError, match="is not the model that the run began with"):
        list(parts.part_rows(other, part))


def test_a_part_that_is_in_its_place_is_kept_when_the_disk_then_refuses(model, file, tmp_path, monkeypatch):
    put = PartFolder.put

    def refuse(folder: PartFolder, number: int, content: bytes) -> None:
        put(folder, number, content)
        raise WriteError("The disk is full.")

    monkeypatch.setattr(PartFolder, "put", refuse)
    with pytest.raises(WriteError):
        write_predictions(str(model), file, tmp_path / "out", part_size=5)
    monkeypatch.undo()
    assert write_predictions(str(model), file, tmp_path / "out", part_size=5) == 16
    write_predictions(str(model), file, tmp_path / "same", part_size=5)
    parts_of = [{p.name: p.read_bytes() for p in (tmp_path / name).glob("part-*")} for name in ("out", "same")]
    assert parts_of[0] == parts_of[1]
