import os
import subprocess
import sys

import pytest

from whyword.cli import exits
from whyword.cli.app import app


def run(*words: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "whyword", *words]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=60, check=False)


def test_an_unknown_option_is_answered_with_the_nearest_one(refused):
    assert "No such option: --metod. Did you mean --method" in refused("train", "x.csv", "-o", "m", "--metod", "a")


def test_an_unknown_command_is_answered_with_the_nearest_one(refused):
    assert "No such command 'trian'. Did you mean 'train'? See  whyword --help" in refused("trian")


def test_an_option_of_the_root_is_checked(refused):
    assert "No such option: --nope" in refused("--nope")


def test_a_missing_argument_is_named(refused):
    message = refused("predict")
    assert "MODEL" in message
    assert message.endswith("See  whyword predict --help\n")


@pytest.mark.parametrize("value", ["0", "many"])
def test_a_value_out_of_range_names_its_option(refused, value):
    assert "'--epochs'" in refused("train", "planted", "-o", "m", "--epochs", value)


def test_a_bug_exits_with_1_and_a_traceback(whyword, monkeypatch):
    monkeypatch.setattr("whyword.catalog.names", lambda kind: 1 / 0)
    done = whyword("list", "methods")
    assert done.code == 1
    assert "ZeroDivisionError" in done.err
    assert done.err.endswith("whyword: This is a bug: please report it with the lines above.\n")


def test_an_interruption_exits_with_130_and_says_so(whyword, monkeypatch):
    def interrupt(kind):
        raise KeyboardInterrupt

    monkeypatch.setattr("whyword.catalog.names", interrupt)
    done = whyword("list", "methods")
    assert (done.code, done.out, done.err) == (130, "", "whyword: Interrupted.\n")


def test_a_file_that_cannot_be_used_is_named(whyword, monkeypatch):
    def full(kind):
        raise OSError(28, "No space left on device", "here.txt")

    monkeypatch.setattr("whyword.catalog.names", full)
    done = whyword("list", "methods")
    assert (done.code, done.err) == (2, "whyword: here.txt cannot be used: No space left on device.\n")


def test_the_errors_of_the_parser_are_known_as_such():
    assert exits.UsageError.__name__ == "UsageError"
    assert app.info.cls is exits.Commands


@pytest.mark.parametrize("words", [("list", "methods"), ("list", "methods", "--json")])
def test_a_reader_who_has_gone_is_no_error(words):
    reading, writing = os.pipe()
    os.close(reading)
    done = run(*words, stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_program_refuses_with_2():
    done = run("list", "metods")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("whyword: No 'metods' in what can be listed")
