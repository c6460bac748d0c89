"""`--forbid` and `--forbid-soft` of train, compare and audit."""

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


def test_models_are_compared_without_them_and_the_leaderboard_says_so(whyword, words, tmp_path):
    compare = ("compare", DATA, "--methods", "base", "--encoders", "bag", "--epochs", 1, "--seeds", 1, "--sample", 0)
    assert whyword(*compare, "--workers", 1, "--no-contributions").code == 0
    done = whyword(*compare, "--workers", 1, "--no-contributions", "--forbid", words)
    assert done.code == 0, done.err
    note = f"Not read by any model: {', '.join(SPURIOUS[:2])}, boston."
    assert note in " ".join(done.out.split())
    assert note in (tmp_path / "comparison" / "comparison.html").read_text()
    lists = [
        json.loads(file.read_text())["settings"]["forbid"]
        for file in (tmp_path / "comparison/records").glob("[!.]*.json")
    ]
    assert sorted(lists) == [[], [*SPURIOUS[:2], "boston"]]  # the run that read them is another one


def test_who_forbids_a_linear_model_softly_is_told_that_it_does_not_read_the_words(whyword, words):
    done = whyword("train", DATA, "-o", "model", "--encoder", "tfidf", "--forbid-soft", words)
    assert "tfidf is solved at once and cannot be taught to ignore words" in " ".join(done.err.split())


@pytest.mark.parametrize("option", ["--forbid", "--forbid-soft"])
def test_a_list_that_cannot_be_read_is_refused(refused, tmp_path, option):
    assert "There is no file none.txt" in refused("train", DATA, "-o", "model", option, "none.txt")
    (tmp_path / "bad.txt").write_text("fine\n/(/\n")
    complaint = refused("train", DATA, "-o", "model", option, "bad.txt")
    assert "Line 2 of bad.txt, '/(/', cannot be read: it is no regular expression" in complaint
