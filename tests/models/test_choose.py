"""A setting chosen on dev."""

import pytest
import torch

from whyword.data.dataset import load_dataset
from whyword.interfaces.errors import OptionError
from whyword.models import choose
from whyword.models.choose import choose_setting, split_choice
from whyword.models.config import make_config
from whyword.models.folder import load_model
from whyword.models.train import train_model

DATA = load_dataset("planted:train=40,dev=20,test=10")
SMALL = {
    "method": {"name": "attention"},
    "encoder": {"name": "bag", "dim": 6},
    "training": {"epochs": 3, "batch_size": 8, "learning_rate": 0.05},
}


def test_the_value_that_is_best_on_dev_wins_and_its_model_is_the_one_a_single_run_gives(tmp_path):
    values = ["0.000001", "0.05"]
    chosen = choose_setting(make_config(SMALL), DATA, "training.learning_rate", values, folder=tmp_path / "model")
    singles = {}
    for value in values:
        config = make_config({**SMALL, "training": {**SMALL["training"], "learning_rate": float(value)}})
        singles[value] = train_model(config, DATA)
    reached = {value: model.metrics["dev_accuracy"] for value, model in singles.items()}
    assert chosen.metrics["choice"] == {"setting": "training.learning_rate", "dev_accuracy": reached}
    assert chosen.config.training.learning_rate == float(max(reached, key=reached.get)) == 0.05
    texts = [document.words for document in DATA.test]
    expected = singles["0.05"].classifier.probabilities(texts)
    assert torch.equal(chosen.classifier.probabilities(texts), expected)
    again = load_model(tmp_path / "model")
    assert torch.equal(again.classifier.probabilities(texts), expected)
    assert again.metrics["choice"] == chosen.metrics["choice"]


def test_test_accuracy_plays_no_part_and_the_first_of_equals_wins(monkeypatch):
    class Fake:
        def __init__(self, dev, test):
            self.metrics = {"dev_accuracy": dev, "test_accuracy": test}

    reached = iter([Fake(0.8, 0.1), Fake(0.8, 0.9), Fake(0.7, 1.0)])
    monkeypatch.setattr(choose, "train_model", lambda *_, **__: next(reached))
    monkeypatch.setattr(choose, "replace", lambda model, metrics: metrics)
    metrics = choose_setting(make_config(SMALL), DATA, "method.dropout", [0.1, 0.2, 0.3])
    assert metrics["test_accuracy"] == 0.1
    assert metrics["choice"]["dev_accuracy"] == {"0.1": 0.8, "0.2": 0.8, "0.3": 0.7}


@pytest.mark.parametrize("setting", ["method.betta", "nowhere.beta", "beta"])
def test_a_setting_that_does_not_exist_is_refused_before_anything_is_trained(setting, monkeypatch):
    monkeypatch.setattr(choose, "train_model", lambda *_, **__: pytest.fail("trained"))
    with pytest.raises(OptionError):
        choose_setting(make_config(SMALL), DATA, setting, [1, 2])


def test_there_must_be_a_value():
    with pytest.raises(OptionError, match=r"no value of method\.dropout"):
        choose_setting(make_config(SMALL), DATA, "method.dropout", [])


def test_a_choice_is_a_setting_and_values_with_commas():
    assert split_choice("method.beta=0.01,0.1,1,10") == ("method.beta", ["0.01", "0.1", "1", "10"])
    for word in ("method.beta", "beta=1,2", "method.beta=", "method.beta=1,,2"):
        with pytest.raises(OptionError, match="write section"):
            split_choice(word)


def test_a_choice_on_other_texts_is_not_taken_up(tmp_path):
    def left_at_once(_):
        raise KeyboardInterrupt

    few = load_dataset("planted:train=30,dev=20,test=10")
    settings = (make_config(SMALL), DATA, "method.dropout", [0.1, 0.2])
    with pytest.raises(KeyboardInterrupt):
        choose_setting(*settings, folder=tmp_path / "model", on_event=left_at_once)
    with pytest.raises(OptionError, match="had other texts"):
        choose_setting(settings[0], few, *settings[2:], folder=tmp_path / "model", resume=True)
    choose_setting(*settings, folder=tmp_path / "model", resume=True)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
