from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from reference.contributions import QUICK
from whyword.data.planted import planted
from whyword.interfaces.errors import OptionError
from whyword.models import auto
from whyword.models.auto import candidate_configs, choose_finished, train_automatically
from whyword.models.budget import HEAD_ONLY, LSTM, MINILM, TFIDF
from whyword.models.folder import load_model

DATA = planted("easy,train=60,dev=20,test=10")
VALUES = {"training": {"epochs": 1}, "contributions": QUICK, "seed": 3}


@pytest.fixture(autouse=True)
def _alone(monkeypatch):
    monkeypatch.setattr(auto, "pretrained_at_hand", lambda: False)


def test_candidates_are_those_that_the_method_supports(monkeypatch):
    assert set(candidate_configs({})) == {TFIDF, LSTM}
    assert set(candidate_configs({"method": "vmask"})) == {LSTM}
    monkeypatch.setattr(auto, "pretrained_at_hand", lambda: True)
    every = candidate_configs({"embeddings": "glove.txt"})
    assert set(every) == {TFIDF, LSTM, HEAD_ONLY, MINILM}
    assert [every[name].embeddings for name in (LSTM, TFIDF, MINILM)] == ["glove.txt", None, None]
    assert every[HEAD_ONLY].training == replace(every[MINILM].training, head_only=True)
    assert set(candidate_configs({"method": "vmask"})) == {LSTM, MINILM}
    assert {config.training.stopping for config in every.values()} == {"plateau"}


def test_the_baseline_is_trained_then_what_fits_and_the_one_that_is_kept_has_contributions(tmp_path):
    said = []
    model = train_automatically(VALUES, DATA, folder=tmp_path / "model", on_event=said.append, budget=60)
    sentences = [event for event in said if isinstance(event, str)]
    assert [s for s in sentences if s.startswith("Training ")] == ["Training tfidf.", "Training lstm."]
    assert any(s.startswith("Encoder auto: with 60 training texts of ") for s in sentences)
    assert any(s.startswith("Dev accuracy: tfidf ") for s in sentences)
    report = model.metrics["auto"]
    assert set(report["dev_accuracy"]) == {TFIDF, LSTM}
    assert report["chosen"] == model.config.encoder
    assert model.classifier.has_contributions
    loaded = load_model(tmp_path / "model")
    assert loaded.metrics == model.metrics
    assert not (tmp_path / "model.choosing").exists()


def test_a_budget_that_is_too_small_leaves_the_baseline(tmp_path):
    model = train_automatically({**VALUES, "contributions": False}, DATA, budget=1e-9)
    assert model.config.encoder == TFIDF
    assert not model.classifier.has_contributions
    with pytest.raises(OptionError, match="No encoder fits into 1e-09 minutes"):
        train_automatically({**VALUES, "method": "attention"}, DATA, budget=1e-9)
    with pytest.raises(OptionError, match="The budget is 0: give a number of minutes above 0"):
        train_automatically(VALUES, DATA, budget=0)
    with pytest.raises(OptionError, match="The budget is nan"):
        train_automatically(VALUES, DATA, budget=float("nan"))


def test_a_run_that_resumes_decides_as_before_and_ends_with_the_same_model(tmp_path, monkeypatch):
    undisturbed = train_automatically(VALUES, DATA, folder=tmp_path / "undisturbed", budget=60)

    def interrupt(event):
        if event == "Training lstm.":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_automatically(VALUES, DATA, folder=tmp_path / "model", on_event=interrupt, budget=60)
    monkeypatch.setattr(auto, "estimate", lambda *_: pytest.fail("it was measured before"))
    with pytest.raises(OptionError, match="had other budget"):
        train_automatically(VALUES, DATA, folder=tmp_path / "model", resume=True, budget=61)
    resumed = train_automatically(VALUES, DATA, folder=tmp_path / "model", resume=True, budget=60)
    assert resumed.metrics["auto"] == undisturbed.metrics["auto"]
    for name, tensor in undisturbed.classifier.method.state_dict().items():
        assert torch.equal(resumed.classifier.method.state_dict()[name], tensor)


def answering(right: int):
    """Make a model that is right about so many of the dev texts, the first ones."""
    truth = [0 if document.label == DATA.dev[0].label else 1 for document in DATA.dev]
    first = DATA.dev[0].label
    classes = (first, next(document.label for document in DATA.dev if document.label != first))
    answers = [label if i < right else 1 - label for i, label in enumerate(truth)]
    probabilities = torch.eye(2)[torch.tensor(answers)]
    classifier = SimpleNamespace(classes=classes, probabilities=lambda texts: probabilities, values=None)
    return SimpleNamespace(classifier=classifier)


@pytest.mark.parametrize(
    ("right", "chosen"),
    [
        ({TFIDF: 12, LSTM: 19}, LSTM),
        ({TFIDF: 18, LSTM: 19}, TFIDF),  # a lead of one text may be chance
        ({TFIDF: 18, LSTM: 18}, TFIDF),
        ({TFIDF: 19, LSTM: 18}, TFIDF),
        ({TFIDF: 10, LSTM: 17, HEAD_ONLY: 18}, LSTM),
        ({TFIDF: 10, LSTM: 8, HEAD_ONLY: 18}, HEAD_ONLY),
        ({HEAD_ONLY: 19, MINILM: 8}, HEAD_ONLY),
    ],
)
def test_the_simplest_is_kept_unless_an_abler_one_leads_on_dev_by_more_than_a_standard_error(right, chosen):
    assert choose_finished({name: answering(number) for name, number in right.items()}, DATA) == chosen


def test_the_encoder_at_hand_is_frozen_first_and_trained_then(tiny_bert, monkeypatch, tmp_path):
    monkeypatch.setattr(auto, "pretrained_at_hand", lambda: True)
    monkeypatch.setattr("whyword.encoders.transformer.resolve", lambda model: str(tiny_bert))
    model = train_automatically({**VALUES, "contributions": False}, DATA, folder=tmp_path / "model", budget=600)
    assert set(model.metrics["auto"]["dev_accuracy"]) == {TFIDF, HEAD_ONLY, MINILM}
    assert np.isfinite(model.metrics["dev_accuracy"])
