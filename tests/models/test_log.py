import re
from pathlib import Path

import pytest

from whyword.catalog import make_logger
from whyword.data.planted import planted
from whyword.interfaces.errors import OptionError
from whyword.interfaces.logger import Logger, numbers_of, settings_of
from whyword.models.config import make_config
from whyword.models.train import train_model

DATA = planted("easy,train=20,dev=10,test=10")
CONFIG = make_config({"method": "attention", "encoder": "bag", "training": {"epochs": 2}})


class Memory(Logger):
    """Remembers what it hears, and fails where it is told to."""

    def __init__(self, fails_at: str = "") -> None:
        self.fails_at, self.heard = fails_at, []

    def hear(self, what, *values):
        if what == self.fails_at:
            raise RuntimeError("no route to host.\nmore")
        self.heard.append((what, *values))

    def start(self, config):
        self.hear("start", config["method"]["name"])

    def epoch(self, record):
        self.hear("epoch", record["epoch"])

    def finish(self, metrics, folder):
        self.hear("finish", "test_accuracy" in metrics, folder)

    def stop(self):
        self.hear("stop")


def test_a_logger_hears_of_the_start_every_epoch_and_the_finished_model(tmp_path):
    logger = Memory()
    train_model(CONFIG, DATA, folder=tmp_path / "model", loggers=[logger])
    finish = ("finish", True, tmp_path / "model")
    assert logger.heard == [("start", "attention"), ("epoch", 1), ("epoch", 2), finish]


def test_a_logger_that_fails_at_the_start_is_refused_before_anything_is_computed():
    first, steps = Memory(), []
    with pytest.raises(OptionError, match=r"^The logger Memory fails \(RuntimeError: no route to host\)\. "):
        train_model(CONFIG, DATA, on_event=steps.append, loggers=[first, Memory("start")])
    assert steps == []
    assert first.heard[-1] == ("stop",)


@pytest.mark.parametrize("fails_at", ["epoch", "finish"])
def test_a_logger_that_fails_later_is_left_out_and_the_model_is_not_lost(fails_at):
    failing, other, said = Memory(fails_at), Memory(), []
    train_model(CONFIG, DATA, on_event=said.append, loggers=[failing, other])
    assert [what for what, *_ in other.heard] == ["start", "epoch", "epoch", "finish"]
    warnings = [line for line in said if isinstance(line, str) and line.startswith("Warning: The logger")]
    assert warnings == [
        "Warning: The logger Memory fails (RuntimeError: no route to host). The rest of the run is not logged there."
    ]


def test_an_interrupted_run_is_stopped_and_one_that_resumes_hears_of_all_epochs(tmp_path):
    def interrupt(event):
        if not isinstance(event, str) and event.record is not None:
            raise KeyboardInterrupt

    logger = Memory()
    with pytest.raises(KeyboardInterrupt):
        train_model(CONFIG, DATA, folder=tmp_path / "model", on_event=interrupt, loggers=[logger])
    assert logger.heard == [("start", "attention"), ("stop",)]


def test_numbers_and_settings_are_flat():
    record = {"phase": "train", "epoch": 3, "losses": {"task": 0.5}, "dev_accuracy": 1, "best": True, "health": {}}
    assert numbers_of(record) == {"train/losses/task": 0.5, "train/dev_accuracy": 1.0, "train/best": 1.0}
    assert numbers_of({"epoch": 3, "phase": "train", "test_accuracy": 0.5}) == {"test_accuracy": 0.5}
    assert settings_of({"method": {"name": "base"}, "seed": 0, "notes": None}) == {
        "method.name": "base",
        "seed": "0",
        "notes": "None",
    }


def test_a_logger_may_be_a_class_or_an_instance():
    assert isinstance(make_logger(Memory), Memory)
    logger = Memory()
    assert make_logger(logger) is logger
    with pytest.raises(OptionError, match="is no Logger"):
        make_logger(object())
    with pytest.raises(OptionError, match="Did you mean 'mlflow'"):
        make_logger("mlfow")


def test_the_logger_of_the_docs_runs(capsys):
    page = (Path(__file__).parents[2] / "docs" / "auto.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(compile(snippet, "docs/auto.md", "exec"), {"__name__": "snippet"})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "base bag"
    assert len(lines) == 4
