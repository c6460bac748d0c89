"""Several processes train the model that one process trains."""

import os
import socket
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from whyword.data.dataset import load_dataset
from whyword.models.config import make_config
from whyword.models.folder import load_model
from whyword.models.train import train_model
from whyword.training.distributed import Processes

DATA = "planted:train=64,dev=20,test=20"
SET = ["method.dropout=0", "encoder.dropout=0", "training.batch_size=16", "encoder.dim=16", "encoder.hidden=16"]


def process(rank, count):
    made = Processes()
    made.rank, made.count = rank, count
    return made


def test_one_process_alone_is_the_first_of_one(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    alone = Processes()
    assert (alone.rank, alone.count, alone.is_first) == (0, 1, True)
    alone.wait()
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.grad = torch.tensor([1.0, 2.0])
    alone.add_up_gradients([parameter])
    assert parameter.grad.tolist() == [1.0, 2.0]


@given(st.integers(0, 30), st.integers(1, 5))
def test_the_shares_of_a_batch_are_even_and_hold_each_text_once(texts, count):
    batch = np.arange(texts) + 100
    shares = [process(rank, count).share(batch) for rank in range(count)]
    assert sorted(np.concatenate(shares).tolist()) == batch.tolist()
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_two_processes_end_in_the_weights_of_one(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = tmp_path / "two"
    launch = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", str(port), "-m", "whyword"]
    options = [word for assignment in SET for word in ("--set", assignment)]
    train = [
        "train",
        DATA,
        "-o",
        str(place),
        "--device",
        "cpu",
        "--method",
        "attention",
        "--epochs",
        "2",
        "--threads",
        "1",
        *options,
    ]
    done = subprocess.run(
        [sys.executable, *launch, *train],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["two"]
    two = load_model(place)
    values = {"training": {"epochs": 2, "batch_size": 16}, "method": {"name": "attention", "dropout": 0.0}}
    values["encoder"] = {"dim": 16, "hidden": 16, "dropout": 0.0}
    one = train_model(make_config(values), load_dataset(DATA))
    assert two.metrics["train_texts"] == 64
    ours, theirs = (model.classifier.method.state_dict() for model in (one, two))
    for name, tensor in ours.items():
        torch.testing.assert_close(theirs[name], tensor, atol=1e-4, rtol=0)
    start = train_model(make_config({**values, "training": {"epochs": 1, "batch_size": 64}}), load_dataset(DATA))
    moved = [not torch.allclose(ours[n], t, atol=1e-3) for n, t in start.classifier.method.state_dict().items()]
    assert any(moved)  # the comparison above could have failed
    for first, second in zip(one.history, two.history, strict=True):
        assert first["dev_loss"] == pytest.approx(second["dev_loss"], abs=1e-4)
