"""Lower precisions through the code that chooses them; how fast they are is measured by a benchmark."""

import pytest
import torch

from whyword import explain
from whyword.data.dataset import load_dataset
from whyword.data.planted import planted
from whyword.explaining.any_model import lowered, open_model
from whyword.inference import precision as under_test
from whyword.inference.precision import Measured, choose_precision, in_precision
from whyword.interfaces.errors import OptionError
from whyword.models.config import make_config
from whyword.models.train import train_model

TEXTS = [document.words for document in planted("easy,train=20,dev=0,test=0").train]
DATA = "planted:easy,train=60,dev=20,test=5"


@pytest.fixture(scope="module")
def bert(tiny_bert):
    values = {"encoder": {"name": str(tiny_bert)}, "training": {"epochs": 2}}
    return train_model(make_config(values), load_dataset(DATA))


@pytest.fixture(scope="module")
def lstm():
    return train_model(make_config({"encoder": "lstm", "training": {"epochs": 1}}), load_dataset(DATA)).classifier


@pytest.mark.parametrize("precision", ["bfloat16", "int8"])
def test_a_forced_precision_answers_nearly_as_float32_and_leaves_the_model_as_it_was(bert, precision):
    classifier = bert.classifier
    exact = classifier.probabilities(TEXTS)
    choice = choose_precision(classifier, TEXTS, precision)
    assert (choice.precision, choice.texts, set(choice.measured)) == (precision, 20, {"float32", precision})
    lower = in_precision(classifier, precision)
    error = (lower.probabilities(TEXTS) - exact).abs().max().item()
    assert error == pytest.approx(choice.measured[precision].error, abs=1e-6)
    assert 0 < error < 0.1
    assert f"Precision {precision}" in str(choice)
    torch.testing.assert_close(classifier.probabilities(TEXTS), exact, atol=1e-6, rtol=0)
    kept = torch.ones(1, len(TEXTS[0]), dtype=torch.bool)
    sub_text = lower.probabilities_of_subsets(TEXTS[0], kept)
    torch.testing.assert_close(sub_text, lower.probabilities(TEXTS[:1]), atol=0.02, rtol=0)


def timed(monkeypatch, **figures):
    """Give each precision an error and a time."""
    measured = {name: Measured(*values) for name, values in figures.items()}
    monkeypatch.setattr(under_test, "_measure", lambda lowered, texts: {name: measured[name] for name in lowered})


def test_auto_takes_the_fastest_within_the_bound(bert, monkeypatch):
    timed(monkeypatch, float32=(0.0, 1.0), bfloat16=(0.005, 0.5), int8=(0.02, 0.3))
    assert choose_precision(bert.classifier, TEXTS).precision == "bfloat16"
    assert choose_precision(bert.classifier, TEXTS, bound=0.03).precision == "int8"
    assert choose_precision(bert.classifier, TEXTS, bound=0.001).precision == "float32"
    forced = choose_precision(bert.classifier, TEXTS, "int8")
    assert forced.precision == "int8"
    assert "Precision int8, more than the bound of 0.01" in str(forced)


def test_auto_stays_with_float32_where_nothing_is_gained(bert, monkeypatch):
    timed(monkeypatch, float32=(0.0, 1.0), bfloat16=(0.001, 8.0), int8=(0.001, 0.99))
    choice = choose_precision(bert.classifier, TEXTS)
    assert choice.precision == "float32"
    assert "bfloat16 8.00 of its time, probabilities at most 0.001 apart" in str(choice)


def test_an_encoder_without_linear_layers_has_no_int8(lstm):
    assert choose_precision(lstm, TEXTS).unavailable == ["int8"]
    with pytest.raises(OptionError, match="is for linear layers"):
        choose_precision(lstm, TEXTS, "int8")


def test_what_cannot_be_measured_is_refused(lstm):
    with pytest.raises(OptionError, match="there are none"):
        choose_precision(lstm, [])
    with pytest.raises(OptionError, match="Did you mean 'bfloat16'"):
        choose_precision(lstm, TEXTS, "bfloat")
    black_box = open_model(lambda texts: [[0.5, 0.5]] * len(texts)).classifier
    with pytest.raises(OptionError, match="whose network torch runs"):
        in_precision(black_box, "bfloat16")
    assert choose_precision(black_box, TEXTS).precision == "float32"


def test_a_model_in_another_precision_has_another_identity_and_explains(bert):
    opened = open_model(bert)
    lower = lowered(opened, "bfloat16")
    assert lower.identity != opened.identity
    assert lower.access.precision == "bfloat16"
    assert lowered(opened, "float32") is opened
    (one,), (other,) = (explain(model, ["a superb plot"], "occlusion") for model in (opened, lower))
    assert one.scores == pytest.approx(other.scores, abs=0.05)
