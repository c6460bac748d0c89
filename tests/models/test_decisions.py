"""Thresholds and temperature: found on dev, kept in the folder, used by whoever predicts."""

from functools import cache

import numpy as np
import pytest
import torch
from sklearn.metrics import f1_score

from whyword import TextClassifier
from whyword.data.dataset import load_dataset
from whyword.data.splits import Dataset
from whyword.explainers import Occlusion, Own
from whyword.explaining.stream import explain_documents, predict_chunks
from whyword.interfaces.errors import OptionError
from whyword.models.config import make_config, with_defaults
from whyword.models.folder import load_model, save_model
from whyword.models.train import train_model


@cache
def unequal():
    """Planted texts, a tenth of them positive."""
    whole = load_dataset("planted:train=600,dev=300,test=300")

    def cut(documents):
        few = [d for d in documents if d.label == "positive"]
        many = [d for d in documents if d.label != "positive"]
        return (*many, *few[: len(many) // 9])

    return Dataset("unequal", cut(whole.train), cut(whole.dev), cut(whole.test))


@cache
def trained(**training):
    return train_model(make_config(with_defaults({"encoder": "tfidf", "training": training})), unequal())


def gold(model, documents):
    return np.array([model.classifier.classes.index(document.label) for document in documents])


def test_a_tuned_threshold_raises_macro_f1_on_dev_and_predict_and_explain_follow_it():
    model = trained(threshold="auto")
    dev = unequal().dev
    table = model.classifier.probabilities([document.words for document in dev])
    labels = [row["label"] for chunk in predict_chunks(model.classifier, dev) for row in chunk]
    predicted = np.array([model.classifier.classes.index(label) for label in labels])
    score = f1_score(gold(model, dev), predicted, average="macro")
    assert score == pytest.approx(model.metrics["decision"]["dev_macro_f1"])
    assert score >= f1_score(gold(model, dev), table.argmax(1), average="macro")
    moved = [d for d, one, other in zip(dev, predicted, table.argmax(1), strict=True) if one != other]
    assert moved
    for explainer in (Own(), Occlusion()):
        explanation = next(iter(explain_documents(model.classifier, moved[:1], explainer)))
        assert explanation.probability < 0.5  # it explains the predicted class, whatever is more probable
        assert explanation.target == predicted[list(dev).index(moved[0])]


def test_thresholds_and_temperature_are_kept_in_the_folder_and_shown_in_the_card(tmp_path):
    model = trained(threshold="auto")
    save_model(model, tmp_path)
    loaded = load_model(tmp_path).classifier
    np.testing.assert_array_equal(loaded.offsets, model.classifier.offsets)
    assert torch.equal(loaded.method.logit_scale, model.classifier.method.logit_scale)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| threshold | positive from " in card
    assert "| expected calibration error on dev |" in card


def test_a_number_is_the_probability_from_which_on_the_last_class_is_predicted():
    model = trained(threshold=0.2)
    table = model.classifier.probabilities([document.words for document in unequal().test])
    labels = [row["label"] for chunk in predict_chunks(model.classifier, unequal().test) for row in chunk]
    assert [label == "positive" for label in labels] == (table[:, 1] > 0.2).tolist()


def test_a_number_for_three_classes_is_refused():
    texts = [f"{word} {i}" for i in range(30) for word in ("red", "green", "blue")]
    with pytest.raises(OptionError, match="3 classes"):
        TextClassifier(encoder="tfidf", threshold=0.3).fit(texts, ["a", "b", "c"] * 30)


def test_the_temperature_lowers_the_log_loss_on_dev_and_leaves_the_predictions_as_they_are():
    facts = trained().metrics["calibration"]
    assert facts["temperature"] != 1
    assert facts["dev_log_loss"] < facts["dev_log_loss_before"]
    plain = trained(calibrate=False).classifier
    texts = [document.words for document in unequal().test]
    scaled = trained().classifier.probabilities(texts)
    assert torch.equal(scaled.argmax(1), plain.probabilities(texts).argmax(1))
    by_hand = (plain.probabilities(texts).double().log() / facts["temperature"]).softmax(1)
    torch.testing.assert_close(scaled.double(), by_hand, atol=1e-5, rtol=1e-4)


def test_contributions_add_up_to_the_calibrated_probability_of_a_trained_network_too():
    quick = {"pairs": 2, "steps": 5, "epochs": 1, "least_texts": 50}
    values = {"encoder": {"name": "bag", "dim": 8}, "contributions": quick, "training": {"epochs": 2}}
    model = train_model(make_config(with_defaults(values)), unequal())
    assert model.metrics["calibration"]["temperature"] != 1
    texts = [document.words for document in unequal().test[:20]]
    found = model.classifier.contributions(texts)
    torch.testing.assert_close(found.probabilities, model.classifier.probabilities(texts))
    for scores, probabilities in zip(found.scores, found.probabilities, strict=True):
        np.testing.assert_allclose(found.base + scores.sum(1), probabilities, atol=1e-5)
