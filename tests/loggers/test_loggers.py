"""Each logger against the client itself, offline: what was logged is read back."""

import json
import math
import struct
import sys
import time
from pathlib import Path

import pytest

from whyword.catalog import make_logger
from whyword.data.planted import planted
from whyword.interfaces.errors import MissingExtraError
from whyword.models.config import make_config
from whyword.models.train import train_model

DATA = planted("easy,train=40,dev=10,test=10")
CONFIG = make_config(
    {
        "method": "attention",
        "encoder": "bag",
        "training": {"epochs": 2},
        "name": "reviews",
        "notes": "Of the first try.",
    }
)


@pytest.fixture(autouse=True)
def _nothing_is_reported(monkeypatch):
    monkeypatch.setenv("DO_NOT_TRACK", "true")  # clients that would tell their makers how they are used


def train(logger, folder=None):
    return train_model(CONFIG, DATA, folder=folder, loggers=[logger])


@pytest.mark.filterwarnings("ignore")  # of the client and what it is made of
def test_mlflow_has_settings_epochs_metrics_and_the_card(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="needs whyword[mlflow]")
    pytest.importorskip("sqlalchemy", reason="needs whyword[mlflow]")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    monkeypatch.chdir(tmp_path)
    model = train(make_logger("mlflow"), tmp_path / "model")
    client = mlflow.MlflowClient()
    experiment = client.get_experiment_by_name("whyword")
    (run,) = client.search_runs([experiment.experiment_id])
    assert (run.info.run_name, run.info.status) == ("reviews", "FINISHED")
    assert run.data.params["training.epochs"] == "2"
    assert run.data.params["method.name"] == "attention"
    assert run.data.tags["mlflow.note.content"] == "Of the first try."
    assert run.data.metrics["test_accuracy"] == model.metrics["test_accuracy"]
    curve = client.get_metric_history(run.info.run_id, "train/dev_accuracy")
    assert [(m.step, m.value) for m in curve] == [(i + 1, r["dev_accuracy"]) for i, r in enumerate(model.history)]
    assert "README.md" in [file.path for file in client.list_artifacts(run.info.run_id)]


@pytest.mark.filterwarnings("ignore")
def test_wandb_has_settings_epochs_and_metrics(tmp_path, monkeypatch):
    pytest.importorskip("wandb", reason="needs whyword[wandb]")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_ERROR_REPORTING", "false")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    model = train(make_logger("wandb"), tmp_path / "model")
    (file,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    for _ in range(600):  # another process writes the file, and may still be at it when the run is finished
        rows, summary, config, complete = read_wandb(file)
        if complete:
            break
        time.sleep(0.1)
    assert complete
    curve = [row["train/dev_accuracy"] for row in rows if "train/dev_accuracy" in row]
    assert curve == [record["dev_accuracy"] for record in model.history]
    assert summary["test_accuracy"] == model.metrics["test_accuracy"]
    assert config["training"]["epochs"] == 2


def read_wandb(file: Path):
    """Read the records of a run, which lie in blocks of 32 KiB as LevelDB writes them, after a header of 7 bytes."""
    from wandb.proto.wandb_internal_pb2 import Record

    content, at, data = file.read_bytes(), 7, b""
    rows, summary, config, complete = [], {}, {}, False
    while at + 7 <= len(content):
        if 32_768 - at % 32_768 < 7:
            at += 32_768 - at % 32_768
            continue
        _, length, kind = struct.unpack("<IHB", content[at : at + 7])
        if at + 7 + length > len(content):  # this part is not all there yet
            break
        data += content[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # whole, or the last part
            record, data = Record.FromString(data), b""
            rows.append(_values(record.history.item))
            summary |= _values(record.summary.update)
            config |= _values(record.run.config.update)
            complete |= record.HasField("exit")
    return rows, summary, config, complete


def _values(items):
    return {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items}


def test_tensorboard_has_settings_epochs_and_metrics(tmp_path, monkeypatch):
    tensorboard = pytest.importorskip("tensorboardX", reason="needs whyword[tensorboard]")
    monkeypatch.setenv("TENSORBOARD_LOGDIR", str(tmp_path / "runs"))
    model = train(make_logger("tensorboard"))
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("reviews_")
    scalars, texts = read_events(tensorboard, next(folder.glob("events*")))
    expected = [(i + 1, r["dev_accuracy"]) for i, r in enumerate(model.history)]
    assert [step for step, _ in scalars["train/dev_accuracy"]] == [step for step, _ in expected]
    for (_, logged), (_, value) in zip(scalars["train/dev_accuracy"], expected, strict=True):
        assert math.isclose(logged, value, rel_tol=1e-6)  # single precision
    assert math.isclose(scalars["model/test_accuracy"][0][1], model.metrics["test_accuracy"], rel_tol=1e-6)
    assert '"epochs": 2' in texts


def read_events(tensorboard, file: Path):
    """Read the records of an event file: a length, its checksum, an event and its checksum."""
    from tensorboardX.proto.event_pb2 import Event

    scalars, texts, content, at = {}, "", file.read_bytes(), 0
    while at < len(content):
        (length,) = struct.unpack("<Q", content[at : at + 8])
        event = Event.FromString(content[at + 12 : at + 12 + length])
        at += 16 + length
        for value in event.summary.value:
            if value.WhichOneof("value") == "simple_value":
                scalars.setdefault(value.tag, []).append((event.step, value.simple_value))
            elif value.WhichOneof("value") == "tensor":
                texts += value.tensor.string_val[0].decode()
    return scalars, texts


@pytest.mark.parametrize(
    ("name", "module"), [("mlflow", "mlflow"), ("wandb", "wandb"), ("tensorboard", "tensorboardX")]
)
def test_a_client_that_is_not_installed_is_named_with_its_extra(monkeypatch, name, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'whyword\[{name}\]'"):
        make_logger(name)
