"""A folder is replaced such that at no moment there is none."""

import pytest

from whyword.interfaces.errors import WriteError
from whyword.storage import exchange
from whyword.storage.exchange import put_in_place, replacing_folder, restore


def folder(path, content):
    path.mkdir()
    (path / "file").write_text(content)
    return path


@pytest.fixture(params=["exchange", "two steps"])
def ways(request, monkeypatch):
    """On disks that exchange folders and on those that do not."""
    if request.param == "two steps":
        monkeypatch.setattr(exchange, "_exchange", lambda *_: False)
    return request.param


def names(place):
    return sorted(path.name for path in place.iterdir())


def test_a_finished_folder_takes_the_place_of_the_old_one(tmp_path, ways):
    place = folder(tmp_path / "model", "old")
    put_in_place(folder(tmp_path / ".new", "new"), place)
    assert (place / "file").read_text() == "new"
    assert names(tmp_path) == ["model"]


def test_a_finished_folder_takes_an_empty_place(tmp_path):
    put_in_place(folder(tmp_path / ".new", "new"), tmp_path / "model")
    assert (tmp_path / "model" / "file").read_text() == "new"


def test_the_old_folder_is_deleted_only_after_the_new_one_stands(tmp_path, monkeypatch, ways):
    place = folder(tmp_path / "model", "old")
    seen = []
    delete = exchange.shutil.rmtree

    def on_event(path, **options):
        if path.exists():
            seen.append((place / "file").read_text())
        delete(path, **options)

    monkeypatch.setattr(exchange.shutil, "rmtree", on_event)
    put_in_place(folder(tmp_path / ".new", "new"), place)
    assert seen == ["new"]


def test_linux_exchanges_two_folders_in_one_step(tmp_path):
    one, other = folder(tmp_path / "one", "1"), folder(tmp_path / "other", "2")
    if not exchange._exchange(one, other):
        pytest.skip("this system or disk exchanges no folders")
    assert ((one / "file").read_text(), (other / "file").read_text()) == ("2", "1")


def test_an_old_folder_that_a_killed_process_had_renamed_is_brought_back(tmp_path, monkeypatch):
    place, killed = folder(tmp_path / "model", "old"), folder(tmp_path / ".new", "new")
    monkeypatch.setattr(exchange, "_exchange", lambda *_: False)
    rename = type(place).rename

    def die(path, target):
        if path == killed:
            raise KeyboardInterrupt
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.rename", die)
        with pytest.raises(KeyboardInterrupt):
            put_in_place(killed, place)
    assert not place.exists()
    assert restore(place)
    assert (place / "file").read_text() == "old"
    assert not restore(place)


def test_a_folder_that_could_not_be_filled_leaves_the_old_one(tmp_path):
    place = folder(tmp_path / "model", "old")

    def fill():
        with replacing_folder(place) as beside:
            (beside / "file").write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(WriteError, match=r"model cannot be written \(No space left on device\): make room"):
        fill()
    assert (place / "file").read_text() == "old"
    assert names(tmp_path) == ["model"]
