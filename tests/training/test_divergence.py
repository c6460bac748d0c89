"""Training that diverged stops and says what to do."""

import math

import pytest

from whyword.data.dataset import load_dataset
from whyword.errors import DivergedError, OptionError
from whyword.interfaces.method import Phase
from whyword.models.choose import choose_setting
from whyword.models.config import make_config
from whyword.models.train import train_model
from whyword.training.divergence import check_epochs, check_loss

DATA = load_dataset("planted:easy,train=60,dev=20,test=0")
LOG_2 = math.log(2)


def config(**changes):
    values = {"method": "attention", "encoder": {"name": "bag", "dim": 8}, "contributions": False, "rationales": False}
    return make_config({**values, "training": {"epochs": 3, "learning_rate": 0.05, **changes}})


def records(*losses, task=None, phase="train"):
    return [
        {"phase": phase, "epoch": number, "losses": {"task": loss if task is None else task}, "dev_loss": loss}
        for number, loss in enumerate(losses, 1)
    ]


def check(found, epochs=5):
    check_epochs(found, Phase("train", epochs, []), epochs, LOG_2, 1e6)


def test_a_learning_rate_far_too_high_stops_with_what_to_do():
    with pytest.raises(
        DivergedError, match=r"Training diverged: in epoch \d the .* guessing has 0\.69\. Give a smaller "
    ):
        train_model(config(learning_rate=1e6), DATA)


def test_a_high_loss_must_stay_high():
    check(records(1e5))
    check(records(1e5, 0.5, 1e5))
    check(records(9 * LOG_2, 9 * LOG_2))
    with pytest.raises(DivergedError):
        check(records(0.5, 1e5, 1e5))
    with pytest.raises(DivergedError):
        check(records(1e5), epochs=1)
    check([*records(1e5, phase="joint"), *records(1e5)])


def test_a_model_that_only_knows_its_training_texts_has_not_diverged():
    check(records(50.0, 50.0, task=0.001))


@pytest.mark.parametrize("loss", [math.nan, math.inf])
def test_a_loss_that_is_no_number_names_the_setting_of_its_phase(loss):
    with pytest.raises(OptionError, match=r"became (nan|inf) in epoch 1: give a smaller training\.learning_rate"):
        check_loss(loss, "task", Phase("train", 1, []), 0)
    diverging = {"contributions": {"learning_rate": 1e9}, "training": {"epochs": 1}}
    values = {"method": "base", "encoder": {"name": "lstm", "dim": 4, "hidden": 4}, **diverging, "rationales": False}
    with pytest.raises(DivergedError, match=r"give a smaller contributions\.learning_rate"):
        train_model(make_config(values), DATA)


def test_values_that_diverge_are_left_out_of_a_choice():
    said = []
    model = choose_setting(config(), DATA, "training.learning_rate", ["0.05", "1e6"], on_event=said.append)
    assert list(model.metrics["choice"]["dev_accuracy"]) == ["0.05"]
    assert any("training.learning_rate=1e6 is left out. Training diverged" in event for event in map(str, said))
    with pytest.raises(DivergedError, match="with every value"):
        choose_setting(config(), DATA, "training.learning_rate", ["1e6", "1e7"])
