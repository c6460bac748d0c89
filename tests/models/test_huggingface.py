"""Models as Hugging Face folders, loaded and asked the usual way."""

import numpy as np
import pytest
import torch

from reference.architectures import write
from whyword.data.batching import collate
from whyword.data.dataset import load_dataset
from whyword.data.words import split
from whyword.explaining.any_model import open_model
from whyword.interfaces.errors import ModelError
from whyword.models.config import make_config
from whyword.models.export import export_model
from whyword.models.train import train_model

transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")  # of DeBERTa

DATA = load_dataset("planted:easy,train=40,dev=10,test=10")
CORPUS = [document.words.texts[0] for document in DATA.train]
TEXTS = [document.words.texts[0] for document in DATA.test]
SAME = ["bert", "roberta", "distilbert", "electra", "deberta-v2", "xlnet", "longformer", "big-bird", "gpt2"]
OTHER = {"llama": "cannot say", "t5": "averages the states", "bart": "averages the states"}


def trained(name, folder, **settings):
    encoder = {"name": str(write(name, folder / name, CORPUS)), **settings}
    return train_model(make_config({"encoder": encoder, "training": {"epochs": 1, "learning_rate": 3e-3}}), DATA)


def logits_of(model, texts):
    batch = collate(model.classifier.tokenizer([split(text) for text in texts]), model.classifier.tokenizer.padding)
    with torch.no_grad():
        return model.classifier.method.eval()(batch).logits


@pytest.mark.parametrize("name", SAME)
def test_the_usual_classes_load_it_with_equal_logits_and_labels(name, tmp_path):
    model = trained(name, tmp_path)
    export_model(model, "huggingface", tmp_path / "out")
    theirs = transformers.AutoModelForSequenceClassification.from_pretrained(tmp_path / "out").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "out")
    with torch.no_grad():
        logits = theirs(**tokenizer(TEXTS, padding=True, truncation=True, return_tensors="pt")).logits
    torch.testing.assert_close(logits, logits_of(model, TEXTS), atol=1e-4, rtol=0)
    assert theirs.config.id2label == {0: "negative", 1: "positive"}


def test_a_model_of_several_labels_leaves_with_its_sigmoids_and_thresholds(tmp_path):
    data = load_dataset("planted:multilabel,easy,train=80,dev=60,test=10")
    encoder = {"name": str(write("bert", tmp_path / "bert", CORPUS))}
    model = train_model(make_config({"encoder": encoder, "training": {"epochs": 2, "learning_rate": 3e-3}}), data)
    model.classifier.method.logit_scale.copy_(torch.tensor([0.5, 0.8, 1.0, 1.2, 2.0]))  # temperatures of the labels
    export_model(model, "huggingface", tmp_path / "out")
    theirs = transformers.AutoModelForSequenceClassification.from_pretrained(tmp_path / "out").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "out")
    assert theirs.config.problem_type == "multi_label_classification"
    assert list(theirs.config.id2label.values()) == list(model.classifier.classes)
    words = [split(text) for text in TEXTS]
    with torch.no_grad():
        answers = theirs(**tokenizer(TEXTS, padding=True, truncation=True, return_tensors="pt")).logits.sigmoid()
    torch.testing.assert_close(answers, model.classifier.probabilities(words), atol=1e-4, rtol=0)
    opened = open_model(tmp_path / "out").classifier
    assert opened.multi_label
    np.testing.assert_array_equal(opened.thresholds, model.classifier.thresholds)
    torch.testing.assert_close(opened.probabilities(words), answers, atol=1e-4, rtol=0)


@pytest.mark.parametrize("kind", ["huggingface", "onnx"])
def test_a_model_of_coarse_products_leaves_as_float32(kind, tmp_path):
    model = trained("bert", tmp_path, precision="bfloat16")
    coarse = logits_of(model, TEXTS)
    if kind == "onnx":
        pytest.importorskip("onnxruntime")
    export_model(model, kind, tmp_path / "out")
    assert torch.equal(logits_of(model, TEXTS), coarse)
    assert any((tmp_path / "out").iterdir())


@pytest.mark.parametrize("name", OTHER)
def test_what_no_head_of_theirs_can_say_is_refused_and_onnx_named(name, tmp_path):
    model = trained(name, tmp_path)
    with pytest.raises(ModelError, match=OTHER[name]) as caught:
        export_model(model, "huggingface", tmp_path / "out")
    assert "--to onnx" in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_other_encoders_are_refused(tmp_path):
    model = train_model(make_config({"encoder": "bag", "training": {"epochs": 1}}), DATA)
    with pytest.raises(ModelError, match="'base' on 'bag' has no counterpart"):
        export_model(model, "huggingface", tmp_path / "out")
