"""Answers without torch against those of torch, for the same models and texts."""

import numpy as np
import pytest

from whyword import explain
from whyword.catalog import make_explainer
from whyword.data.dataset import load_dataset
from whyword.data.planted import planted
from whyword.data.words import split
from whyword.explaining.any_model import open_model
from whyword.explaining.stream import explain_documents, predict_chunks
from whyword.explaining.targets import read_target
from whyword.explaining.without_torch import open_without_torch
from whyword.interfaces.adapter import Access
from whyword.interfaces.classifier import class_values
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError
from whyword.models.config import make_config
from whyword.models.export import export_model
from whyword.models.train import train_model

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

CLOSE = 1e-4
HEAD = {"texts": 20, "least_texts": 1, "pairs": 2, "epochs": 1, "steps": 20, "batch_size": 16}
SINGLE = ["The food was superb, the waiter was not.", "Dull", "", "it's well-made 🙂 don't"]
LONG = " ".join(document.words.texts[0] for document in planted("easy,train=7,dev=0,test=0").train)
TEXTS = [Document(split(text)) for text in (*SINGLE, LONG)] + [Document(split("a good plot", "no good plot"))]
KINDS = {
    "lstm": ("planted:easy", {"encoder": "lstm"}),
    "pretrained": ("planted:easy", {}),
    "several labels": ("planted:multilabel,easy", {"encoder": "bag"}),
    "ordered": ("planted:ordinal,easy", {"encoder": "bag", "task": "ordinal"}),
}


@pytest.fixture(scope="module", params=KINDS)
def both(request, tiny_bert, tmp_path_factory):
    """Train a model; give its classifier, and that of its ONNX file."""
    data, values = KINDS[request.param]
    values = {"encoder": {"name": str(tiny_bert)}, **values, "training": {"epochs": 2}, "contributions": HEAD}
    trained = train_model(make_config(values), load_dataset(f"{data},train=60,dev=30,test=5"))
    place = tmp_path_factory.mktemp("exported") / "out"
    export_model(trained, "onnx", place)
    return trained.classifier, open_without_torch(place, Access()).classifier, place


def test_predictions_are_those_of_torch(both):
    with_torch, without, _ = both
    (expected,), (given,) = (list(predict_chunks(one, TEXTS)) for one in (with_torch, without))
    for mine, theirs in zip(given, expected, strict=True):
        assert (mine["label"], mine.get("labels")) == (theirs["label"], theirs.get("labels"))
        assert mine["probabilities"] == pytest.approx(theirs["probabilities"], abs=CLOSE)
        assert mine.get("expected") == pytest.approx(theirs.get("expected"), abs=CLOSE)


@pytest.mark.parametrize("name", ["own", "occlusion"])
@pytest.mark.parametrize("target", [None, "all"])
def test_explanations_are_those_of_torch_also_of_long_texts(both, name, target):
    given, expected = (
        list(
            explain_documents(
                one, TEXTS, make_explainer(name, one), read_target(one.classes, target, None, class_values(one))
            )
        )
        for one in both[:2]
    )
    for mine, theirs in zip(given, expected, strict=True):
        np.testing.assert_allclose(mine.all_scores, theirs.all_scores, atol=CLOSE)
        np.testing.assert_allclose(mine.probabilities, theirs.probabilities, atol=CLOSE)
        for fact in ("target", "labels", "windows", "truncated_words", "known_words", "values"):
            assert getattr(mine, fact) == getattr(theirs, fact)
        assert (mine.base_value is None) == (theirs.base_value is None)


def test_other_explainers_open_the_file_with_torch_and_agree(both):
    with_torch, _, place = both
    opened = open_model(place)
    assert opened.classifier.classes == with_torch.classes
    given, expected = (explain(one, SINGLE[:2], "own") for one in (opened, with_torch))
    for mine, theirs in zip(given, expected, strict=True):
        np.testing.assert_allclose(mine.all_scores, theirs.all_scores, atol=CLOSE)
    (one,) = explain(opened, SINGLE[:1], "shapley")
    (other,) = explain(with_torch, SINGLE[:1], "shapley")
    np.testing.assert_allclose(one.scores, other.scores, atol=10 * CLOSE)


def test_removal_is_that_of_torch(both):
    with_torch, without, _ = both
    text = TEXTS[0].words
    kept = np.random.default_rng(0).random((7, len(text))) < 0.5
    for removal in ("pad", "unknown", "mask"):
        import torch

        expected = with_torch.probabilities_of_subsets(text, torch.from_numpy(kept), removal)
        np.testing.assert_allclose(without.probabilities_of_subsets(text, kept, removal), expected, atol=CLOSE)
    with pytest.raises(OptionError, match="Did you mean 'delete'"):
        without.probabilities_of_subsets(text, kept, "delet")


def test_a_file_without_contributions_says_so(tmp_path):
    trained = train_model(
        make_config({"encoder": "bag", "training": {"epochs": 1}}), load_dataset("planted:easy,train=20,dev=5,test=5")
    )
    export_model(trained, "onnx", tmp_path / "out")
    classifier = open_without_torch(tmp_path / "out", Access()).classifier
    assert classifier.explainers == ("occlusion",)
    with pytest.raises(OptionError, match="has no contributions: choose occlusion"):
        classifier.contributions([split("dull")])
