"""Contributions for a model that was trained without them."""

import numpy as np
import pytest
import torch

from reference.contributions import QUICK
from reference.samples import equal_weights, weights
from whyword.blocks.contributions import ContributionHead
from whyword.data.planted import planted
from whyword.interfaces.errors import DataError
from whyword.models.config import make_config
from whyword.models.folder import load_model, save_model
from whyword.models.learn import FEWEST_TEXTS, learn_contributions
from whyword.models.train import train_model
from whyword.training.contributions import CONTRIBUTIONS
from whyword.training.loop import Step

DATA = planted("train=40,dev=10,test=10")
TEXTS = [document.words for document in planted("train=40,dev=0,test=0,seed=4").train]
QUICKLY = ContributionHead.Config(**QUICK)


@pytest.fixture
def model():
    values = {"method": "vmask", "encoder": {"name": "bag", "dim": 6}, "training": {"epochs": 1}}
    return train_model(make_config(values), DATA)


def classifier_part(model):
    kept = weights(model.classifier.method)
    return {name: tensor for name, tensor in kept.items() if not name.startswith("contributions.")}


def test_the_model_gains_contributions_and_keeps_every_weight_and_figure(model):
    before = classifier_part(model)
    learned = learn_contributions(model, TEXTS, QUICKLY)
    assert learned.classifier.has_contributions
    assert equal_weights(classifier_part(learned), before)
    assert learned.config.contributions == QUICKLY
    assert {name: learned.metrics[name] for name in model.metrics} == dict(model.metrics)
    assert set(learned.metrics["contributions"]) == {"explained", "texts"}
    assert learned.history[: len(model.history)] == model.history
    assert {record["phase"] for record in learned.history[len(model.history) :]} == {CONTRIBUTIONS}
    assert not learned.classifier.method.training
    found = learned.classifier.contributions(TEXTS)
    for scores, probabilities in zip(found.scores, found.probabilities, strict=True):
        np.testing.assert_allclose(found.base + scores.sum(1), probabilities, atol=1e-5)


def test_the_same_seed_learns_the_same_and_leaves_the_callers_random_numbers_alone(model, tmp_path):
    save_model(model, tmp_path)
    heads = []
    for seed in (0, 0, 1):
        loaded = load_model(tmp_path)
        before = torch.get_rng_state()
        learned = learn_contributions(loaded, TEXTS, QUICKLY, seed)
        assert torch.equal(torch.get_rng_state(), before)
        heads.append(weights(learned.classifier.method.contributions))
    assert equal_weights(heads[0], heads[1])
    assert not equal_weights(heads[0], heads[2])


def test_contributions_can_be_learned_anew_with_other_settings(model):
    first = learn_contributions(model, TEXTS, QUICKLY)
    again = learn_contributions(first, TEXTS, ContributionHead.Config(**QUICK, width=7))
    assert again.config.contributions.width == 7
    assert again.classifier.contributions(TEXTS[:2]).scores[0].shape == (2, len(TEXTS[0]))


def test_steps_are_reported(model):
    events = []
    learn_contributions(model, TEXTS, QUICKLY, on_event=events.append)
    assert [event for event in events if isinstance(event, Step) and event.record is not None]
    assert all("contributions explain nothing" in event for event in events if not isinstance(event, Step))


def test_too_few_texts_are_refused_before_anything_happens(model):
    with pytest.raises(DataError, match=rf"{FEWEST_TEXTS - 1} texts are too few .* at least {FEWEST_TEXTS}\.$"):
        learn_contributions(model, TEXTS[: FEWEST_TEXTS - 1], QUICKLY)
    assert not model.classifier.has_contributions


def test_the_least_number_of_texts_is_enough(model):
    assert learn_contributions(model, TEXTS[:FEWEST_TEXTS], QUICKLY).classifier.has_contributions
