import json
from pathlib import Path

import pytest

SMALL = (
    "--no-contributions",
    "--method",
    "attention",
    "--encoder",
    "bag",
    "--epochs",
    "1",
    "--threads",
    "1",
    "--quiet",
)


@pytest.fixture
def trained(whyword, data):
    assert whyword("train", data, "-o", "model", *SMALL, "--name", "first").code == 0
    return lambda: json.loads(Path("model/config.json").read_text(encoding="utf-8"))["name"]


def test_a_model_is_replaced_only_on_demand(whyword, refused, data, trained):
    complaint = refused("train", "no such data", "-o", "model", *SMALL)  # nothing is read before
    assert (
        complaint == "whyword: -o model is a model already: give --overwrite to replace it, or name another folder.\n"
    )
    assert trained() == "first"
    assert whyword("train", data, "-o", "model", *SMALL, "--name", "second", "--overwrite").code == 0
    assert trained() == "second"


@pytest.mark.parametrize(("answer", "code", "name"), [(b"y\n", 0, "second"), (b"n\n", 2, "first"), (b"\n", 2, "first")])
def test_on_a_terminal_the_user_is_asked(whyword, data, trained, monkeypatch, answer, code, name):
    monkeypatch.setattr("whyword.cli.overwrite.on_terminal", lambda: True)
    done = whyword("train", data, "-o", "model", *SMALL, "--name", "second", stdin=answer)
    assert (done.code, trained()) == (code, name)
    assert "model is a model already. Replace it?" in done.err


def test_name_and_notes_are_in_the_card(whyword, data):
    words = ("--name", "Reviews of June", "--notes", "Without the spam.")
    assert whyword("train", data, "-o", "model", *SMALL, *words).code == 0
    card = Path("model/README.md").read_text(encoding="utf-8")
    assert card.startswith("# Reviews of June\n\nWithout the spam.\n\nA text classifier")
