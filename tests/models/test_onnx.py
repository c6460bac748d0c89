"""Models as ONNX files, run by onnxruntime and compared with the classifier they came from."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from whyword.data.dataset import load_dataset
from whyword.data.words import split
from whyword.inference.onnx_file import INPUTS
from whyword.interfaces.errors import ModelError
from whyword.models import onnx as exporting
from whyword.models.config import make_config
from whyword.models.export import export_model
from whyword.models.onnx import inputs_of
from whyword.models.train import train_model

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

DATA = load_dataset("planted:easy,train=40,dev=10,test=10")
HEAD = {"texts": 20, "least_texts": 1, "pairs": 2, "epochs": 1, "steps": 30, "batch_size": 16}
TEXTS = [split("The food was superb, the waiter was not."), split("Dull"), split("A b c d e f g h i j k l m n o")]


def run(folder, classifier, texts):
    options = onnxruntime.SessionOptions()
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    taken = {put.name for put in session.get_inputs()}
    inputs = zip(INPUTS, inputs_of(classifier, texts), strict=True)
    outputs = [put.name for put in session.get_outputs() if put.name != "weights"]
    return session.run(outputs, {name: put.numpy() for name, put in inputs if name in taken})


@pytest.fixture(scope="module", params=["bag", "affine", "cnn", "lstm", "bidirectional", "transformer", "attention"])
def model(request, tiny_bert):
    encoder = {
        "transformer": {"name": str(tiny_bert)},
        "bidirectional": {"name": "lstm", "bidirectional": True, "layers": 2},
        "attention": {"name": "lstm"},
    }.get(request.param, {"name": request.param})
    method = "attention" if request.param == "attention" else "base"
    values = {"method": method, "encoder": encoder, "training": {"epochs": 2}, "contributions": HEAD}
    return train_model(make_config(values), DATA)


def test_its_probabilities_are_those_of_the_model_whatever_the_batch(model, tmp_path):
    export_model(model, "onnx", tmp_path / "out")
    for texts in (TEXTS, TEXTS[:1], TEXTS[1:]):
        probabilities, _ = run(tmp_path / "out", model.classifier, texts)
        np.testing.assert_allclose(probabilities, model.classifier.probabilities(texts), atol=1e-5)


def test_its_contributions_add_up_and_are_those_of_the_model_but_for_the_orders_of_words(model, tmp_path):
    export_model(model, "onnx", tmp_path / "out")
    facts = json.loads((tmp_path / "out" / "model.json").read_text(encoding="utf-8"))
    probabilities, contributions = run(tmp_path / "out", model.classifier, TEXTS)
    np.testing.assert_allclose(facts["base_values"] + contributions.sum(1), probabilities, atol=1e-5)
    expected = model.classifier.contributions(TEXTS).scores
    for row, scores in enumerate(expected):
        mine = contributions[row, : scores.shape[1]].T
        np.testing.assert_allclose(mine, scores, atol=0.02 * max(1e-3, np.abs(scores).max()) + 1e-6)
        assert not contributions[row, scores.shape[1] :].any()


@pytest.mark.parametrize("encoder", ["bag", "lstm"])
def test_a_model_of_several_labels_leaves_with_a_sigmoid_for_each(encoder, tmp_path):
    data = load_dataset("planted:multilabel,easy,train=80,dev=60,test=10")
    values = {"encoder": encoder, "training": {"epochs": 2}, "contributions": HEAD}
    classifier = (model := train_model(make_config(values), data)).classifier
    export_model(model, "onnx", tmp_path / "out")
    facts = json.loads((tmp_path / "out" / "model.json").read_text(encoding="utf-8"))
    assert facts["problem_type"] == "multi_label_classification"
    assert facts["labels"] == list(classifier.classes)
    assert facts["thresholds"] == classifier.thresholds.tolist()
    probabilities, contributions = run(tmp_path / "out", classifier, TEXTS)
    np.testing.assert_allclose(probabilities, classifier.probabilities(TEXTS), atol=1e-5)
    np.testing.assert_allclose(facts["base_values"] + contributions.sum(1), probabilities, atol=1e-5)
    for row, scores in enumerate(classifier.contributions(TEXTS).scores):
        mine = contributions[row, : scores.shape[1]].T
        np.testing.assert_allclose(mine, scores, atol=0.02 * max(1e-3, np.abs(scores).max()) + 1e-6)


def test_the_file_beside_it_says_how_to_call_it(model, tmp_path):
    files = export_model(model, "onnx", tmp_path / "out")
    assert [path.name for path in files] == ["model.onnx", "model.json", "tokenizer.json"]
    facts = json.loads((tmp_path / "out" / "model.json").read_text(encoding="utf-8"))
    assert facts["labels"] == list(model.classifier.classes)
    session = onnxruntime.InferenceSession(str(tmp_path / "out" / "model.onnx"))
    assert list(facts["inputs"]) == [put.name for put in session.get_inputs()]
    assert {"input_ids", "word_ids"} <= set(facts["inputs"]) <= set(INPUTS)
    assert facts["largest_difference_from_torch"] <= 1e-4
    assert (tmp_path / "out" / "tokenizer.json").read_text(encoding="utf-8") == model.classifier.tokenizer.to_json()


def test_the_snippet_of_the_page_works(tiny_bert, tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "export.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    values = {"encoder": str(tiny_bert), "training": {"epochs": 1}, "contributions": HEAD}
    export_model(train_model(make_config(values), DATA), "onnx", tmp_path / "model-onnx")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(code, names)
    assert names["probabilities"].sum() == pytest.approx(1, abs=1e-5)
    assert names["contributions"].shape == (1, len(names["word_ids"]), 2)


@pytest.fixture(scope="module")
def plain():
    return train_model(make_config({"encoder": "bag", "training": {"epochs": 1}}), DATA)


def test_a_model_without_contributions_gives_probabilities_alone(plain, tmp_path):
    export_model(plain, "onnx", tmp_path / "out")
    (probabilities,) = run(tmp_path / "out", plain.classifier, TEXTS)
    np.testing.assert_allclose(probabilities, plain.classifier.probabilities(TEXTS), atol=1e-5)


def test_a_file_that_says_something_else_is_not_written(plain, tmp_path, monkeypatch):
    written = exporting._write

    def wrong(graph, *rest):
        with torch.no_grad():
            graph.method.head.linear.bias.add_(torch.tensor([0.1, -0.1]))
            written(graph, *rest)
            graph.method.head.linear.bias.sub_(torch.tensor([0.1, -0.1]))

    monkeypatch.setattr(exporting, "_write", wrong)
    with pytest.raises(ModelError, match="differs from torch"):
        export_model(plain, "onnx", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_what_torch_cannot_write_is_refused_in_one_sentence(plain, tmp_path, monkeypatch):
    def fail(*_):
        raise RuntimeError("no such operator\nand a long story")

    monkeypatch.setattr(exporting, "_write", fail)
    with pytest.raises(ModelError, match="cannot be written as ONNX \\(no such operator\\)") as caught:
        export_model(replace(plain), "onnx", tmp_path / "out")
    assert "\n" not in str(caught.value)
