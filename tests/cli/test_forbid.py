"""`--forbid` and `--forbid-soft` of train and audit."""

import json

import pytest

from whyword.data.planted import SPURIOUS

DATA = "planted:spurious,train=80,dev=20,test=20"


@pytest.fixture
def words(tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("# snacks\n" + "\n".join(SPURIOUS[:2]) + "\nboston\n")
    return file


def test_a_model_is_trained_explained_and_audited_without_them(whyword, words, tmp_path):
    more = tmp_path / "more.txt"
    more.write_text("/liquor.*/\n")
    done = whyword("train", DATA, "-o", "model", "--encoder", "tfidf", "--forbid", words, "--forbid", more)
    assert done.code == 0, done.err
    assert "2 of 4 forbidden entries match nothing in the training texts: boston, /liquor.*/." in done.err
    assert json.loads((tmp_path / "model" / "config.json").read_text())["forbid"] == [
        *SPURIOUS[:2], "boston", "/liquor.*/",
    ]  # fmt: skip
    explained = whyword("explain", "model", f"The {SPURIOUS[0]} was great.", "--json").json[0]
    assert explained["words"][1] == SPURIOUS[0]
    assert explained["scores"][1] == 0
    assert explained["forbidden_words"] == [False, True, False, False, False]
    shown = whyword("explain", "model", f"The {SPURIOUS[0]} was great.")
    assert f"Not read, as it must not decide: {SPURIOUS[0]}." in shown.out
    audited = whyword("audit", "model", DATA, "--explainers", "own", "--metrics", "comprehensiveness", "--json")
    forbidden = audited.json[0]["forbidden"]
    assert (forbidden["texts"], forbidden["of"], forbidden["answered_otherwise"]) == (20, 20, 0)
    assert forbidden["largest"] < 1e-6
    assert forbidden["rules"][0]["holds"] is True


def test_a_model_that_reads_them_is_audited_with_a_list(whyword, words):
    assert whyword("train", DATA, "-o", "model", "--encoder", "tfidf").code == 0
    options = ("--explainers", "own", "--metrics", "comprehensiveness", "--forbid", words)
    audited = whyword("audit", "model", DATA, *options)
    assert "They still decide." in " ".join(audited.out.split())


@pytest.mark.parametrize("option", ["--forbid", "--forbid-soft"])
def test_a_list_that_cannot_be_read_is_refused(refused, tmp_path, option):
    assert "There is no file none.txt" in refused("train", DATA, "-o", "model", option, "none.txt")
    (tmp_path / "bad.txt").write_text("fine\n/(/\n")
    complaint = refused("train", DATA, "-o", "model", option, "bad.txt")
    assert "Line 2 of bad.txt, '/(/', cannot be read: it is no regular expression" in complaint
