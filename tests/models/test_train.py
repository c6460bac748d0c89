"""The pipeline from data to model folder, killed and taken up again."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
import torch
from scipy.stats import binomtest

from reference.samples import equal_weights
from whyword.data.dataset import Dataset, load_dataset
from whyword.interfaces.errors import ModelError, OptionError
from whyword.models import folder as model_folder
from whyword.models import train
from whyword.models.config import make_config, with_defaults
from whyword.models.folder import load_model
from whyword.models.train import measure, postponed_interrupt, train_model
from whyword.storage.atomic import read_snapshot, read_tensors, write_snapshot

DATA = load_dataset("planted:train=40,dev=10,test=10")
SMALL = {"method": "attention", "training": {"epochs": 3, "batch_size": 8}, "encoder": {"dim": 8, "hidden": 6}}


def small(**changes):
    return make_config({**SMALL, **changes})


def weights_of(model):
    return dict(model.classifier.method.state_dict())


@pytest.fixture(scope="module")
def unbroken():
    return train_model(small(), DATA)


class StopError(Exception):
    """What a test throws into a run."""


def stopping_after(steps):
    """Make a callback that stops the run after this number of steps."""
    seen = []

    def on_event(event):
        if not isinstance(event, str):
            if len(seen) == steps:
                raise StopError
            seen.append(event)

    return on_event


def test_the_same_seed_trains_the_same_model_and_leaves_the_callers_random_numbers_alone(unbroken):
    torch.manual_seed(77)
    before = torch.get_rng_state()
    again = train_model(small(), DATA)
    assert torch.equal(torch.get_rng_state(), before)
    assert equal_weights(weights_of(again), weights_of(unbroken))
    assert not equal_weights(weights_of(train_model(small(seed=1), DATA)), weights_of(unbroken))


def test_metrics_tell_sizes_the_chosen_epoch_and_test_accuracy_with_its_interval(unbroken):
    metrics = unbroken.metrics
    assert (metrics["train_texts"], metrics["dev_texts"], metrics["test_texts"]) == (40, 10, 10)
    chosen = unbroken.history[metrics["epoch"] - 1]
    assert chosen["dev_accuracy"] == metrics["dev_accuracy"] == max(r["dev_accuracy"] for r in unbroken.history)
    classifier = unbroken.classifier
    answers = classifier.probabilities([document.words for document in DATA.test]).argmax(1).tolist()
    right = sum(classifier.classes[a] == d.label for a, d in zip(answers, DATA.test, strict=True))
    assert metrics["test_accuracy"] == right / 10
    interval = binomtest(right, 10).proportion_ci(method="wilson")
    assert (metrics["test_accuracy_low"], metrics["test_accuracy_high"]) == pytest.approx((interval.low, interval.high))
    assert measure(classifier, DATA.dev, "dev")["dev_accuracy"] == metrics["dev_accuracy"]


def test_without_a_test_split_nothing_is_measured_on_it():
    model = train_model(small(), Dataset("no test", DATA.train, DATA.dev, ()))
    assert "test_accuracy" not in model.metrics


def test_the_user_hears_the_notes_of_the_data_and_how_much_is_cut(tiny_bert):
    events = []
    long = Dataset("long", tuple(type(d)(d.words, d.label) for d in DATA.train), DATA.dev, (), ("A note.",))
    config = make_config({"encoder": {"name": str(tiny_bert), "limit": 5}, "training": {"epochs": 1}})
    train_model(config, long, on_event=lambda event: events.append(event) if isinstance(event, str) else None)
    assert events[0] == "A note."
    assert "40 of 40 training texts are longer than the 5 tokens read; their ends are cut." in events


@pytest.mark.parametrize("stop", [0, 2, 5, 7, 14])
def test_a_run_stopped_anywhere_and_resumed_writes_the_unbroken_model(tmp_path, monkeypatch, unbroken, stop):
    monkeypatch.setattr(train, "CHECKPOINT_SECONDS", 0.0)
    place, events = tmp_path / "model", []
    with pytest.raises(StopError):
        train_model(small(), DATA, folder=place, on_event=stopping_after(stop))
    assert not place.exists()
    resumed = train_model(small(), DATA, folder=place, resume=True, on_event=events.append)
    for model in (resumed, load_model(place)):
        assert equal_weights(weights_of(model), weights_of(unbroken))
        assert [r["losses"] for r in model.history] == [r["losses"] for r in unbroken.history]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert any(isinstance(event, str) and event.startswith("Resumed after") for event in events) == (stop > 0)


def test_snapshots_are_kept_at_the_end_of_epochs_and_when_the_last_is_old(tmp_path, monkeypatch):
    snapshots = []
    write = train.write_snapshot
    monkeypatch.setattr(train, "write_snapshot", lambda *run: (snapshots.append(1), write(*run)))
    monkeypatch.setattr(train, "BETWEEN_CHECKPOINTS", 0.0)
    train_model(small(), DATA, folder=tmp_path / "seldom")
    assert len(snapshots) == 3
    monkeypatch.setattr(train, "CHECKPOINT_SECONDS", 0.0)
    train_model(small(), DATA, folder=tmp_path / "often")
    assert len(snapshots) == 3 + 15


def test_a_run_is_resumed_only_with_its_own_settings_and_data(tmp_path):
    with pytest.raises(StopError):
        train_model(small(), DATA, folder=tmp_path / "m", on_event=stopping_after(6))
    with pytest.raises(OptionError, match=r"had other settings \(seed\)"):
        train_model(small(seed=5), DATA, folder=tmp_path / "m", resume=True)
    fewer = Dataset("fewer", DATA.train[:-1], DATA.dev, ())
    with pytest.raises(OptionError, match=r"had other settings \(texts\)"):
        train_model(small(), fewer, folder=tmp_path / "m", resume=True)
    train_model(small(), DATA, folder=tmp_path / "m", resume=True)  # the unfinished run is still there


def test_a_checkpoint_whose_weights_have_other_names_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(StopError):
        train_model(small(), DATA, folder=tmp_path / "m", on_event=stopping_after(6))
    tensors, values = read_snapshot(tmp_path / "m.training")
    renamed = {name.replace("method.head.", "method.top."): tensor for name, tensor in tensors.items()}
    write_snapshot(tmp_path / "m.training", renamed, values)
    with pytest.raises(OptionError, match="was written by another version of whyword: delete it") as refusal:
        train_model(small(), DATA, folder=tmp_path / "m", resume=True)
    assert "\n" not in str(refusal.value)


def test_without_resume_a_run_starts_anew(tmp_path, unbroken):
    with pytest.raises(StopError):
        train_model(small(seed=9), DATA, folder=tmp_path / "m", on_event=stopping_after(6))
    model = train_model(small(), DATA, folder=tmp_path / "m")
    assert equal_weights(weights_of(model), weights_of(unbroken))


def test_there_must_be_something_to_resume(tmp_path):
    with pytest.raises(OptionError, match=r"no unfinished run at .*leave --resume out"):
        train_model(small(), DATA, folder=tmp_path / "m", resume=True)


def test_a_model_is_replaced_only_by_a_finished_one(tmp_path):
    place = tmp_path / "m"
    train_model(small(), DATA, folder=place)
    before = (place / "model.safetensors").read_bytes()
    with pytest.raises(StopError):
        train_model(small(seed=1), DATA, folder=place, on_event=stopping_after(6))
    assert (place / "model.safetensors").read_bytes() == before
    train_model(small(seed=1), DATA, folder=place, resume=True)
    assert (place / "model.safetensors").read_bytes() != before
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_a_crash_while_saving_leaves_the_old_model_and_can_be_resumed(tmp_path, monkeypatch):
    place = tmp_path / "m"
    first = train_model(small(), DATA, folder=place)

    def crash(*_):
        raise StopError

    with monkeypatch.context() as patched:
        patched.setattr(model_folder, "save_tensors", crash)
        with pytest.raises(StopError):
            train_model(small(seed=1), DATA, folder=place)
    assert equal_weights(weights_of(load_model(place)), weights_of(first))
    second = train_model(small(seed=1), DATA, folder=place, resume=True)
    assert equal_weights(weights_of(load_model(place)), weights_of(second))
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_a_crash_while_saving_the_first_model_leaves_no_half_model(tmp_path, monkeypatch):
    def crash(*_):
        raise StopError

    monkeypatch.setattr(model_folder, "save_tensors", crash)
    with pytest.raises(StopError):
        train_model(small(), DATA, folder=tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_folder_of_other_things_is_not_written_over(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "thesis.tex").write_text("years of work")
    with pytest.raises(ModelError, match="exists and is not a whyword model: name another folder"):
        train_model(small(), DATA, folder=tmp_path / "m")
    (tmp_path / "m" / "config.json").write_text('{"model_type": "bert"}')  # as many programs write
    with pytest.raises(ModelError, match="exists and is not a whyword model: name another folder"):
        train_model(small(), DATA, folder=tmp_path / "m")
    assert (tmp_path / "m" / "thesis.tex").exists()


def test_a_file_is_not_written_over(tmp_path):
    (tmp_path / "m").write_text("years of work")
    with pytest.raises(ModelError, match="exists and is not a whyword model: name another folder"):
        train_model(small(), DATA, folder=tmp_path / "m")
    assert (tmp_path / "m").read_text() == "years of work"


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "m").mkdir()
    train_model(small(), DATA, folder=tmp_path / "m")
    load_model(tmp_path / "m")


def test_the_folder_one_stands_in_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError):
        train_model(small(), DATA, folder=type(tmp_path)())


def test_a_process_killed_in_the_middle_and_resumed_writes_the_unbroken_model(tmp_path):
    data, place = "planted:train=300,dev=50,test=50", tmp_path / "killed"
    command = [sys.executable, "-m", "whyword", "train", data, "-o", str(place), "--device", "cpu", "--threads", "1"]
    command += ["--method", "attention", "--encoder", "lstm", "--no-contributions", "--epochs", "6", "--quiet"]
    command += ["--set", "training.patience=none", "--no-baseline"]
    checkpoint = tmp_path / "killed.training" / "checkpoint.safetensors"
    process = subprocess.Popen(command, start_new_session=True)
    try:
        deadline = time.monotonic() + 60
        while not checkpoint.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL  # it was still at work
    assert not place.exists()
    _, header = read_tensors(checkpoint)
    assert 0 < len(json.loads(header["facts"])["history"]) < 6
    subprocess.run([*command, "--resume"], check=True, timeout=120)
    assert [path.name for path in tmp_path.iterdir()] == ["killed"]
    values = {"method": "attention", "contributions": False, "training": {"epochs": 6, "patience": None}}
    config = make_config(with_defaults(values))
    whole = train_model(config, load_dataset(data), folder=tmp_path / "whole")
    assert (place / "model.safetensors").read_bytes() == (tmp_path / "whole" / "model.safetensors").read_bytes()
    assert [r["losses"] for r in load_model(place).history] == [r["losses"] for r in whole.history]


def test_an_interrupted_run_keeps_the_very_last_step(tmp_path, unbroken):
    def interrupt_after_three_steps(event):
        if not isinstance(event, str) and (event.epoch, event.step) == (0, 3):
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train_model(small(), DATA, folder=tmp_path / "m", on_event=interrupt_after_three_steps)
    heard = []
    model = train_model(small(), DATA, folder=tmp_path / "m", resume=True, on_event=heard.append)
    assert "Resumed after 0 epochs and 3 steps." in heard
    assert equal_weights(weights_of(model), weights_of(unbroken))


def test_an_interrupt_is_held_back_until_it_is_asked_for():
    with postponed_interrupt() as interrupted:
        assert interrupted.error is None
        os.kill(os.getpid(), signal.SIGINT)
        assert type(interrupted.error) is KeyboardInterrupt


def test_a_second_interrupt_comes_at_once():
    with postponed_interrupt():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_where_interrupts_are_ignored_they_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with postponed_interrupt() as interrupted:
            os.kill(os.getpid(), signal.SIGINT)
            assert interrupted.error is None
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_handler_of_before_is_put_back():
    before = signal.getsignal(signal.SIGINT)
    with postponed_interrupt():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def warnings_of(dataset, encoder="bag"):
    events = []
    train_model(make_config({"encoder": encoder, "training": {"epochs": 12}}), dataset, on_event=events.append)
    return [event for event in events if isinstance(event, str) and "learned nothing" in event]


def test_a_model_that_is_no_better_than_the_most_frequent_class_is_said_to_be_so():
    data = load_dataset("planted:train=300,dev=40,test=2")
    assert warnings_of(data) == []
    turned = tuple(
        replace(document, label=data.train[number % 2].label)
        for number, document in enumerate(sorted(data.train, key=lambda document: document.words.texts[0]))
    )
    (warning,) = warnings_of(replace(data, train=turned))
    assert "always answering" in warning
    assert "more epochs" in warning
    (warning,) = warnings_of(replace(data, train=turned), "tfidf")
    assert "epochs" not in warning  # it is solved at once
