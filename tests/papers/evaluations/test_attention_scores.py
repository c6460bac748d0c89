"""Sun & Lu's numbers as results."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from whyword.analysis.polarity import AttentionWords
from whyword.analysis.polarity_report import attention_report
from whyword.data.dataset import load_dataset
from whyword.models.config import make_config
from whyword.models.train import train_model
from whyword.papers.evaluations.attention_scores import (
    AttentionScores,
    effects,
    group_sizes,
    some_words,
    weights_follow_scores,
)

DATA = load_dataset("planted:train=120,dev=20,test=20")


@pytest.fixture(scope="module")
def model():
    method = {"name": "polarity-attention", "trace": True}
    settings = {"method": method, "encoder": {"name": "bag", "dim": 8}, "training": {"epochs": 2}}
    return train_model(make_config(settings), DATA)


def measure(model, seed=0, drawn=5_000):
    return AttentionScores(drawn).evaluate(model, DATA, SimpleNamespace(seed=seed))


def test_effects_are_those_of_the_report(model):
    report = attention_report(model.classifier, DATA.train)
    result = json.loads(json.dumps(measure(model)))
    found = effects(result)
    words, classes = report.words, len(report.words.classes)
    attention_and_states = words.attention[(words.groups >= 0) & (words.groups < classes)]
    neutral = words.attention[words.groups == classes]
    delta = np.sign(attention_and_states[:, None] - neutral[None]).mean()
    means = [words.attention[words.groups == group].mean() for group in range(classes + 1)]
    gap = np.sign(words.attention[words.groups == 1][:, None] - words.attention[words.groups == 0][None]).mean()
    assert found["class over neutral"] == pytest.approx(delta)
    assert found["gap"] == pytest.approx(abs(gap))
    assert found["gap as V·W"] == pytest.approx(gap * np.sign(report.overlap[0]))
    assert found["spread"] == pytest.approx(max(means) - min(means))
    assert found["size of V·W"] == pytest.approx(abs(report.overlap[0]))
    assert found["accuracy"] == pytest.approx(100 * model.metrics["test_accuracy"])
    named = (words.polarity[:, 0] > 0) == (words.groups == 1)
    assert found["polarity above chance"] == pytest.approx(named[(words.groups >= 0) & (words.groups < 2)].mean() - 0.5)
    assert found["weights as scores"] == weights_follow_scores(result).value
    assert group_sizes(result) == {name: (words.groups == i).sum() for i, name in enumerate(words.group_names)}


def test_what_a_model_does_not_have_is_left_out():
    groups = [{"group": name, "words": 0, "attention": None} for name in ("a", "b", "neutral")]
    result = {"claims": [], "groups": groups, "overlap": None, "test_accuracy": 0.5}
    assert effects(result) == {"accuracy": 50.0}
    assert weights_follow_scores(result) is None


def test_the_gap_of_three_classes_has_no_sign():
    groups = [{"group": name, "words": 1, "attention": 0.0} for name in ("a", "b", "c", "neutral")]
    claims = [{"name": "a gap between classes follows V·W", "value": -0.5}]
    found = effects({"claims": claims, "groups": groups, "overlap": [-1.0, 2.0, 3.0], "test_accuracy": 0.5})
    assert found == {"accuracy": 50.0, "gap": 0.5, "spread": 0.0, "size of V·W": 2.0}


def test_epochs_are_kept_and_words_of_the_first_seed_only(model):
    first, second = measure(model), measure(model, seed=1)
    assert len(first["training"]) == 2
    assert all("overlap" in epoch for epoch in first["training"])
    assert (second["pictured"], second["training"]) == (None, [])
    assert {len(column) for column in first["pictured"].values()} == {first["words"]}


def test_pictures_have_no_more_words_than_asked_for(model):
    assert {len(column) for column in measure(model, drawn=40)["pictured"].values()} == {40}


def words_with(groups):
    size = len(groups)
    scores = np.random.default_rng(0).normal(size=size)
    names = tuple(f"word{i}" for i in range(size))
    column = scores[:, None]
    return AttentionWords(names, ("a", "b"), np.ones((size, 2)), groups, column, scores, column, scores, scores)


@pytest.mark.parametrize("most", [20, 100, 400])
def test_words_are_drawn_once_with_the_most_attended_of_each_class(most):
    groups = np.random.default_rng(1).integers(-1, 3, size=600)
    words = words_with(groups)
    chosen = some_words(words, most)
    assert len(set(chosen.tolist())) == len(chosen) <= most
    for number in range(2):
        members = np.flatnonzero(groups == number)
        assert set(members[np.argsort(-words.attention[members])][:8]) <= set(chosen)


def test_few_words_are_all_drawn():
    words = words_with(np.array([-1, 0, 1, 2, -1, 2, 0]))
    assert sorted(some_words(words, 100)) == list(range(7))
