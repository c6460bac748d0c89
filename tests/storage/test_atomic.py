"""Files that are whole or not there."""

import os
import resource
from pathlib import Path

import pytest
import torch

from reference.samples import equal_weights
from whyword.interfaces.errors import ModelError, WriteError
from whyword.storage.atomic import (
    CHECKPOINT,
    read_snapshot,
    read_tensors,
    write_snapshot,
    write_tensors,
    write_text,
)

TENSORS = {"a": torch.randn(3, 2), "b": torch.arange(4), "c": torch.tensor(2.5, dtype=torch.float64)}


def test_tensors_come_back_bit_equal_with_their_facts(tmp_path):
    write_tensors(tmp_path / "t.safetensors", TENSORS, {"made": "today"})
    tensors, facts = read_tensors(tmp_path / "t.safetensors")
    assert equal_weights(tensors, TENSORS)
    assert all(tensors[name].dtype == TENSORS[name].dtype for name in TENSORS)
    assert facts == {"made": "today"}


def test_slices_and_transposes_are_written_as_they_are_seen(tmp_path):
    table = torch.arange(12.0).reshape(3, 4)
    write_tensors(tmp_path / "t.safetensors", {"rows": table[1:], "turned": torch.arange(6.0).reshape(2, 3).T})
    tensors, _ = read_tensors(tmp_path / "t.safetensors")
    assert torch.equal(tensors["rows"], table[1:])
    assert torch.equal(tensors["turned"], torch.arange(6.0).reshape(2, 3).T)


def test_weights_that_share_memory_can_be_written(tmp_path):
    tied = torch.randn(2, 3)
    write_tensors(tmp_path / "t.safetensors", {"one": tied, "two": tied, "part": tied[:1]})
    tensors, _ = read_tensors(tmp_path / "t.safetensors")
    assert equal_weights(tensors, {"one": tied, "two": tied, "part": tied[:1]})


@pytest.mark.parametrize("write", [lambda path: write_text(path, "new"), lambda path: write_tensors(path, TENSORS)])
def test_a_write_that_is_killed_leaves_the_old_file(tmp_path, monkeypatch, write):
    path = tmp_path / "file"
    path.write_text("old")

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write(path)
    assert path.read_text() == "old"


def test_text_is_written_as_utf_8(tmp_path):
    write_text(tmp_path / "a.txt", "für 中 🙂\n")
    assert (tmp_path / "a.txt").read_bytes() == "für 中 🙂\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"model\.safetensors is missing.*train it again"):
        read_tensors(tmp_path / "model.safetensors")


@pytest.mark.parametrize("size", [0, 5, 60])
def test_a_cut_file_is_called_damaged(tmp_path, size):
    path = tmp_path / "model.safetensors"
    write_tensors(path, TENSORS)
    whole = path.read_bytes()
    path.write_bytes(whole[:size] if size else whole[:-1])
    with pytest.raises(ModelError, match="is damaged"):
        read_tensors(path)


def test_a_snapshot_comes_back_with_nested_facts(tmp_path):
    facts = {"position": {"step": 3, "sums": {"task": 0.1 + 0.2}}, "history": [{"x": [1, None]}], "best": None}
    write_snapshot(tmp_path, TENSORS, facts)
    tensors, again = read_snapshot(tmp_path)
    assert equal_weights(tensors, TENSORS)
    assert again == facts


def test_a_snapshot_writes_shared_tensors_once_and_gives_all_back(tmp_path):
    big = torch.randn(100, 100)
    tensors = {"best.w": big, "chosen.w": big, "method.w": big.clone(), "best.part": big[:1], "none": torch.empty(0)}
    write_snapshot(tmp_path, tensors, {})
    again, _ = read_snapshot(tmp_path)
    assert equal_weights(again, tensors)
    assert (tmp_path / CHECKPOINT).stat().st_size < 2.2 * big.nbytes


def test_no_snapshot_is_none(tmp_path):
    assert read_snapshot(tmp_path) is None


def test_a_file_is_on_the_disk_before_it_gets_its_name_and_then_the_name_is(tmp_path, monkeypatch):
    steps = []
    real_sync, real_replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda file: (steps.append(os.readlink(f"/proc/self/fd/{file}")), real_sync(file)))
    monkeypatch.setattr(Path, "replace", lambda one, other: (steps.append("rename"), real_replace(one, other)))
    write_text(tmp_path / "a.txt", "new")
    assert steps == [str(tmp_path / f".a.txt.{os.getpid()}.new"), "rename", str(tmp_path)]


def test_a_full_disk_is_a_sentence_that_says_what_to_do_also_for_weights(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        for write in (lambda path: write_text(path, "x" * 200), lambda path: write_tensors(path, TENSORS)):
            with pytest.raises(WriteError, match=r"file cannot be written \(File too large\): make room") as caught:
                write(tmp_path / "file")
            assert isinstance(caught.value, OSError)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list(tmp_path.iterdir())
