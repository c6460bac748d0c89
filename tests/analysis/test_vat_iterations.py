"""VAT one iteration after the other."""

import math
from dataclasses import replace

import pytest
import torch

from reference.samples import equal_weights
from whyword.analysis.vat_iterations import dev_accuracy_by_iteration, train_by_iteration
from whyword.data.dataset import load_dataset
from whyword.interfaces.errors import OptionError
from whyword.models.config import make_config
from whyword.models.train import measure, train_model

DATA = load_dataset("planted:train=40,dev=20,test=10")


def config(**settings):
    return make_config(
        {
            "method": {"name": "vat", "iterations": 2, "dropout": 0.1, **settings},
            "encoder": {"name": "bag", "dim": 6},
            "training": {"epochs": 3, "batch_size": 8, "learning_rate": 0.05},
        }
    )


@pytest.mark.parametrize("head", ["learner", "compressor"])
def test_the_models_of_all_iterations_come_from_the_training_that_train_model_does(head):
    whole = train_model(config(head=head), DATA)
    models = train_by_iteration(config(head=head), DATA)
    assert len(models) == 3
    number = int(whole.metrics["phase"].split()[1])
    assert equal_weights(dict(models[number].method.state_dict()), dict(whole.classifier.method.state_dict()))
    curves = dev_accuracy_by_iteration(whole.history)
    first = 0 if head == "learner" else 1  # the joint phase does not train the compressor
    reached = [measure(model, DATA.dev, "dev")["dev_accuracy"] for model in models[first:]]
    assert reached == pytest.approx(curves[head][first:])


def test_the_model_of_iteration_zero_is_the_plain_attention_model():
    plain = replace(config(), method="attention", method_settings=make_config({"method": "attention"}).method_settings)
    plain = replace(plain, method_settings=replace(plain.method_settings, dropout=0.1))
    expected = train_model(plain, DATA).classifier
    texts = [document.words for document in DATA.test]
    assert torch.equal(train_by_iteration(config(), DATA)[0].probabilities(texts), expected.probabilities(texts))


def record(phase, accuracy):
    return {"phase": phase, "dev_accuracy": accuracy}


def test_the_best_epoch_of_a_phase_stands_for_its_iteration():
    history = [record("joint", 0.7), record("joint", 0.8), record("compress 1", 0.6), record("learn 1", 0.9)]
    history += [record("learn 1", 0.85), record("compress 2", 0.7), record("learn 2", 0.88)]
    curves = dev_accuracy_by_iteration(history)
    assert curves["learner"] == [0.8, 0.9, 0.88]
    assert math.isnan(curves["compressor"][0])
    assert curves["compressor"][1:] == [0.6, 0.7]
    assert dev_accuracy_by_iteration(history[:2]) == {"learner": [0.8]}
    assert dev_accuracy_by_iteration([]) == {}


def test_other_methods_have_no_iterations():
    with pytest.raises(OptionError, match="'attention' is not trained in iterations"):
        train_by_iteration(make_config({"method": "attention"}), DATA)
