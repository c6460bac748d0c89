"""ONNX files against the sums that their graph stands for."""

import json

import numpy as np
import pytest
import torch

from reference import foreign_models
from reference.tokenizers import letter_pieces
from whyword import explain
from whyword.data.words import split
from whyword.explaining.any_model import open_model
from whyword.interfaces.adapter import Access
from whyword.interfaces.errors import ModelError, OptionError

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return foreign_models.onnx(tmp_path_factory.mktemp("onnx") / "reviews")


def expected(text):
    ids = letter_pieces().encode(text).ids
    weights = foreign_models.onnx_weights(letter_pieces().get_vocab_size(), 2)
    return torch.from_numpy(weights[ids].sum(0)).softmax(-1)


def test_probabilities_are_those_of_the_graph_padded_or_not(file):
    for place in (file, file.parent):
        opened = open_model(place)
        assert (opened.kind, opened.name, opened.classifier.classes) == ("onnx", "reviews", ("negative", "positive"))
        texts = ["a good plot", "not"]
        answers = opened.classifier.probabilities([split(text) for text in texts])
        torch.testing.assert_close(answers, torch.stack([expected(text) for text in texts]), atol=1e-5, rtol=0)


def test_sub_texts_are_answered_from_their_tokens(file):
    kept = torch.tensor([[True, False, True], [False, False, False]])
    answers = open_model(file).classifier.probabilities_of_subsets(split("a good plot"), kept)
    torch.testing.assert_close(answers, torch.stack([expected("a plot"), expected("")]), atol=1e-5, rtol=0)


def test_there_are_no_gradients(file):
    with pytest.raises(OptionError, match="no gradients: choose lime, shapley or occlusion"):
        explain(str(file), ["a good plot"], "gradient")


def test_a_text_beyond_the_limit_of_the_config_is_explained_in_windows(file):
    (explanation,) = explain(str(file), ["plot " * 60], "occlusion")
    assert explanation.windows > 1
    assert np.isfinite(explanation.scores).all()


def test_several_labels_have_probabilities_of_their_own(tmp_path):
    file = foreign_models.onnx(tmp_path)
    facts = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    facts["problem_type"] = "multi_label_classification"
    (tmp_path / "config.json").write_text(json.dumps(facts), encoding="utf-8")
    ids = letter_pieces().encode("a good plot").ids
    logits = foreign_models.onnx_weights(letter_pieces().get_vocab_size(), 2)[ids].sum(0)
    answer = open_model(file).classifier.probabilities([split("a good plot")])[0]
    torch.testing.assert_close(answer, torch.from_numpy(logits).sigmoid(), atol=1e-5, rtol=0)


def test_without_a_config_the_classes_are_numbered_or_named_by_the_user(tmp_path):
    file = foreign_models.onnx(tmp_path)
    (tmp_path / "config.json").unlink()
    assert open_model(file).classifier.classes == (0, 1)
    assert open_model(file, Access(classes=("bad", "good"))).classifier.classes == ("bad", "good")


def test_what_cannot_work_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(ModelError, match="There is no model file"):
        open_model(tmp_path / "none.onnx")
    (tmp_path / "damaged.onnx").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="is no ONNX model that can be run"):
        open_model(tmp_path / "damaged.onnx")
    with pytest.raises(ModelError, match=r"takes .*pixels.*: give a sequence classifier"):
        open_model(foreign_models.onnx(tmp_path / "other", extra_input="pixels"))
    with pytest.raises(ModelError, match="one number and no classes"):
        open_model(foreign_models.onnx(tmp_path / "one", classes=1))
    file = foreign_models.onnx(tmp_path / "alone")
    (file.parent / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"has no tokenizer\.json beside it"):
        open_model(file)
