"""One run at a time writes an output."""

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import asdict

import pytest

from whyword.interfaces.errors import WriteError
from whyword.storage import lock
from whyword.storage.lock import OwnedError, Owner, lock_file, owned, owned_by_the_run

HOLD = """
import sys
from whyword.storage.lock import owned
with owned(sys.argv[1], inside=sys.argv[2] == "inside"):
    print("has it", flush=True)
    input()
"""


@pytest.fixture(params=["beside", "inside"])
def where(request):
    return request.param


@pytest.fixture
def other(tmp_path, where):
    """Another process that has the output."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "out"), where, "--token", "secret"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"has it\n"
        yield process
        process.kill()


def test_a_second_process_is_told_who_has_the_output_until_it_is_killed(tmp_path, where, other):
    out, inside = tmp_path / "out", where == "inside"
    said = (
        rf"out is being written by process {other.pid} on \S+ since \d{{4}}-.* \(.*\): wait until it is done, stop it"
    )
    with pytest.raises(OwnedError, match=said) as refused, owned(out, inside):
        pass
    assert "secret" not in str(refused.value)
    other.send_signal(signal.SIGKILL)
    other.wait()
    with owned(out, inside):
        assert json.loads(lock_file(out, inside).read_text())["pid"] == os.getpid()
    assert not list(tmp_path.iterdir()), "nothing is left of it"


def test_whoever_has_an_output_may_ask_for_it_again_but_no_other_thread(tmp_path):
    caught = []

    def ask():
        try:
            with owned(tmp_path / "out"):
                pass
        except OwnedError as error:
            caught.append(str(error))

    with owned(tmp_path / "out"), owned(tmp_path / "sub" / ".." / "out"):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert len(caught) == 1
    assert "another thread of this process" in caught[0]
    assert not lock_file(tmp_path / "out").exists()


def test_a_lock_that_another_machine_left_is_not_taken_over(tmp_path):
    elsewhere = Owner(1, "node-7", "another boot", "2026-01-01 00:00:00", "whyword train a")
    file = lock_file(tmp_path / "out")
    file.write_text(json.dumps(asdict(elsewhere)))
    with (
        pytest.raises(OwnedError, match=rf"process 1 on node-7 .*if it no longer runs, delete {file}"),
        owned(tmp_path / "out"),
    ):
        pass
    file.unlink()
    with owned(tmp_path / "out"):
        pass


def test_a_lock_of_this_machine_before_it_restarted_is_stale(tmp_path):
    mine = lock._myself()
    lock_file(tmp_path / "out").write_text(json.dumps({**asdict(mine), "boot": "an earlier one", "pid": 1}))
    with owned(tmp_path / "out"):
        pass


@pytest.mark.parametrize("alive", [True, False])
def test_where_the_disk_has_no_locks_what_the_file_says_counts(tmp_path, monkeypatch, alive):
    import fcntl

    def unsupported(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    mine = asdict(lock._myself())
    lock_file(tmp_path / "out").write_text(json.dumps({**mine, "pid": os.getppid() if alive else 2**22 - 1}))
    if alive:
        with pytest.raises(OwnedError), owned(tmp_path / "out"):
            pass
    else:
        with owned(tmp_path / "out"):
            pass


def test_what_a_killed_owner_left_half_written_is_swept_away(tmp_path):
    for name in (".out.jsonl.123.new", ".other.jsonl.123.new", "out.jsonl"):
        (tmp_path / name).write_text("")
    with owned(tmp_path / "out.jsonl"):
        assert sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".lock") == [
            ".other.jsonl.123.new",
            "out.jsonl",
        ]


def test_workers_of_a_run_take_no_locks_of_their_own(tmp_path):
    with owned_by_the_run(), owned(tmp_path / "out"):
        assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_locked_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match="out cannot be written"), owned(tmp_path / "file" / "out"):
        pass
