"""Sealed model folders: what was changed is named at load, and what cannot be true is refused before it is built."""

import hashlib
import json
import os
import shutil
import stat
import time
from dataclasses import replace

import pytest
import torch

from damaged_folders import make_folders
from whyword import verify
from whyword.interfaces.errors import ModelError, WhywordError
from whyword.models import folder as model_folder
from whyword.models.closed import NoLargerThan
from whyword.models.folder import load_model, save_model
from whyword.storage.seal import MANIFEST, read_seal


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return [folder for folder, _ in make_folders(tmp_path_factory.mktemp("models"))]


@pytest.fixture
def folder(folders, tmp_path):
    return shutil.copytree(folders[1], tmp_path / "model")


@pytest.fixture
def unsealed(folder):
    (folder / MANIFEST).unlink()
    return folder


def complaint(folder):
    with pytest.raises(ModelError) as caught:
        load_model(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def rewrite(path, change):
    values = json.loads(path.read_text(encoding="utf-8"))
    change(values)
    path.write_text(json.dumps(values), encoding="utf-8")


def test_the_manifest_lists_every_other_file_with_size_and_sha256(folder):
    files = read_seal(folder)
    assert set(files) == {path.name for path in folder.iterdir()} - {MANIFEST}
    for name, sealed in files.items():
        content = (folder / name).read_bytes()
        assert (sealed.size, sealed.sha256) == (len(content), hashlib.sha256(content).hexdigest())


def test_a_flipped_bit_in_weights_is_noticed(folder):
    path = folder / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    assert "model.safetensors is damaged or was changed (its SHA-256 is another)" in complaint(folder)


def test_the_tokenizer_of_another_model_is_noticed(folder):
    rewrite(folder / "tokenizer.json", lambda values: values["model"]["vocab"].update(other=99_999))
    assert "tokenizer.json is damaged or was changed" in complaint(folder)


def test_reversed_labels_are_noticed(folder):
    path = folder / "config.json"
    words = path.read_text(encoding="utf-8")
    places = {"negative": "positive", "positive": "negative"}
    path.write_text("".join(places.get(part, part) for part in words.replace('"', '\0"\0').split("\0")), "utf-8")
    assert path.stat().st_size == len(words.encode())
    assert "config.json is damaged or was changed" in complaint(folder)


def test_a_file_that_was_put_there_later_is_not_read(folder):
    path = folder / "metrics.json"
    content = path.read_bytes()
    path.unlink()
    rewrite(folder / MANIFEST, lambda values: values["files"].pop("metrics.json"))
    load_model(folder)
    path.write_bytes(content)
    assert "is not in manifest.json" in complaint(folder)


def test_the_card_may_be_edited(folder):
    (folder / "README.md").write_text("mine", encoding="utf-8")
    load_model(folder)
    found = verify(folder)
    assert (found.intact, found.files["README.md"]) == (True, "edited")
    assert "The model card was edited." in str(found)


@pytest.mark.parametrize("name", ["../other.json", "/etc/hostname", "a\0b"])
def test_a_manifest_does_not_lead_out_of_its_folder(folder, name):
    rewrite(folder / MANIFEST, lambda values: values["files"].update({name: {"size": 1, "sha256": ""}}))
    assert "manifest.json is damaged" in complaint(folder)


def test_a_manifest_of_the_future_asks_for_an_upgrade(folder):
    rewrite(folder / MANIFEST, lambda values: values.update(format=2))
    assert "upgrade whyword" in complaint(folder)


def test_a_folder_without_a_manifest_loads_and_verify_says_so(unsealed, recwarn):
    load_model(unsealed)
    assert not recwarn
    found = verify(unsealed)
    assert (found.intact, found.sealed) == (True, False)
    assert "has no manifest.json, as an older version of whyword wrote it" in str(found)


def test_verify_names_every_changed_file_and_what_was_added(folder):
    (folder / "metrics.json").unlink()
    (folder / "tokenizer.json").write_bytes(b"{}")
    (folder / "more.txt").touch()
    found = verify(folder)
    assert {name for name, state in found.files.items() if state != "intact"} == {"metrics.json", "tokenizer.json"}
    assert found.unlisted == ("more.txt",)
    assert found.problem.startswith(f"{folder / 'metrics.json'} is missing")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_neither_saved_nor_read(folders, tmp_path, value, monkeypatch):
    model = load_model(folders[1])
    with torch.no_grad():
        next(model.classifier.method.parameters()).view(-1)[0] = value
    with pytest.raises(ModelError, match="The model holds a number that is not finite"):
        save_model(model, tmp_path)
    monkeypatch.setattr(model_folder, "check_finite", lambda *_: None)
    save_model(model, tmp_path)
    monkeypatch.undo()
    assert "model.safetensors holds a number that is not finite" in complaint(tmp_path)


def test_json_files_never_hold_a_bare_nan(folders, tmp_path):
    model = load_model(folders[1])
    odd = {"loss": float("nan"), "inside": [float("inf"), 1.5]}
    save_model(replace(model, metrics=odd, history=[odd]), tmp_path)
    for name in ("metrics.json", "training.jsonl"):
        values = json.loads((tmp_path / name).read_text(encoding="utf-8"), parse_constant=pytest.fail)
        assert values == {"loss": None, "inside": [None, 1.5]}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no umask of this kind")
@pytest.mark.parametrize("umask", [0o022, 0o027, 0o077])
def test_all_files_have_the_permissions_that_the_umask_gives(folders, tmp_path, umask):
    model, before = load_model(folders[1]), os.umask(umask)
    try:
        save_model(model, tmp_path)
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o666 & ~umask}


@pytest.mark.parametrize(
    ("name", "value"),
    [("hidden", 10**9), ("layers", 10**9), ("dim", 10**9), ("dim", 10**30), ("hidden", "wide"), ("layers", [1])],
)
def test_a_network_that_the_weights_cannot_fill_is_refused_at_once(unsealed, name, value):
    rewrite(unsealed / "config.json", lambda values: values["encoder"].update({name: value}))
    started = time.process_time()
    with pytest.raises(WhywordError):
        load_model(unsealed)
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("labels", "ab", "labels is 'ab', not a list of different labels"),
        ("labels", [["a"], ["b"]], "not a list of different labels"),
        ("labels", ["a", "a"], "not a list of different labels"),
        ("method", "attention", "method is 'attention', not a table with a name"),
        ("encoder", {"name": 3}, "not a table with a name"),
        ("architecture", [], "not a table or null"),
        ("offsets", [0.5], "not 2 numbers or null"),
        ("offsets", [float("nan"), 0.0], "not 2 numbers or null"),
        ("columns", {"text": 3}, "not a table of names or null"),
        ("multi_label", 1, "not true or false"),
    ],
)
def test_an_entry_of_another_kind_is_named(unsealed, name, value, expected):
    rewrite(unsealed / "config.json", lambda values: values.update({name: value}))
    assert expected in complaint(unsealed)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "metrics.json", "training.jsonl"])
def test_deeply_nested_json_is_a_sentence(unsealed, name):
    (unsealed / name).write_bytes(b"[" * 100_000)
    assert str(unsealed) in complaint(unsealed)


def test_pickled_weights_are_never_read(unsealed):
    (unsealed / "model.safetensors").rename(unsealed / "model.pt")
    assert "are pickled (model.pt), which can run code" in complaint(unsealed)


def test_building_stops_before_anything_large_is_made(tmp_path):
    with NoLargerThan({}, tmp_path), pytest.raises(ModelError, match="far larger than the weights"):
        torch.nn.Linear(10**6, 10**6)
    with NoLargerThan({}, tmp_path), pytest.raises(ModelError, match="far larger than the weights"):
        [torch.empty(1) for _ in range(10**6)]
    with NoLargerThan({}, tmp_path):
        assert torch.nn.LSTM(8, 8)(torch.zeros(1, 2, 8))[0].shape == (1, 2, 8)
