"""`whyword check`, and what every training says of its data."""

import json
from pathlib import Path

import pytest

SMALL = ("--no-contributions", "--encoder", "bag", "--epochs", "1", "--threads", "1", "--device", "cpu")


@pytest.fixture
def messy() -> Path:
    rows = [
        f"Dish {row} was {'lovely' if row % 2 else 'awful'}, {row};{'good' if row % 2 else 'bad'}" for row in range(30)
    ]
    Path("messy.csv").write_bytes("\n".join(["Opinion;Kind", *rows, rows[0], "Très bon;Good ", "x;"]).encode("cp1252"))
    return Path("messy.csv")


def test_one_screen_says_what_was_found_and_what_to_do(whyword, messy):
    done = whyword("check", messy)
    assert (done.code, done.err) == (0, "")
    assert "messy.csv: semicolon-separated, cp1252, columns Opinion (text) and Kind (label)." in done.out
    for sentence in ("1 row without a label", "--fix-labels", "1 row of the file repeats the text of another"):
        assert sentence in done.out
    assert len(done.out.splitlines()) < 25


def test_examples_that_are_left_out_are_not_hidden(whyword, messy):
    with messy.open("ab") as file:
        file.write(b"\ny;\nz;")
    lines = whyword("check", messy).out.splitlines()
    first = next(number for number, line in enumerate(lines) if "3 rows without a label" in line)
    assert lines[first + 3].strip() == "…"


def test_json_is_one_line_and_a_page_is_written(whyword, messy):
    done = whyword("check", messy, "--json", "-o", "page.html")
    (record,) = done.json
    assert record["splits"][0]["rows"] == 32
    assert {finding["name"] for finding in record["findings"]} == {"missing-labels", "label-spellings", "duplicates"}
    page = Path("page.html").read_text(encoding="utf-8")
    assert "Check of messy" in page
    assert whyword("check", messy, "--quiet", "-o", "facts.json").out == ""
    assert json.loads(Path("facts.json").read_text(encoding="utf-8")) == record


def test_a_clean_corpus_is_said_to_be_clean(whyword):
    Path("a.csv").write_text("text,label\n" + "".join(f"a{n} b{n} c{n},{n % 2}\n" for n in range(30)), encoding="utf-8")
    assert "Nothing was found." in whyword("check", "a.csv").out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("gone.csv",), "no file or folder 'gone.csv'"),
        (("messy.csv", "-o", "page.pdf"), "must end in .html or .json"),
        (("messy.csv", "--text", "Opinions"), "did you mean 'Opinion'?"),
        (("messy.csv", "--encoding", "klingon"), "--encoding klingon: there is no such encoding"),
        (("messy.csv", "--delimiter", "xy"), "--delimiter xy: give one character"),
        (("messy.csv", "--on-bad-row", "jump"), "No 'jump' in the choices of --on-bad-row"),
    ],
)
def test_what_cannot_be_checked_is_refused(refused, messy, words, complaint):
    assert complaint in refused("check", *words)


def test_columns_are_kept_in_the_model_and_found_again(whyword, messy):
    done = whyword("train", messy, "-o", "model", *SMALL, "--on-bad-row", "skip", "--fix-labels")
    assert done.code == 0
    assert "1 of 33 rows of messy.csv was left out:\n  row 34 has no label" in done.err
    assert "Labels 'Good ' were read as 'good'." in done.err
    kept = json.loads(Path("model/config.json").read_text(encoding="utf-8"))["columns"]
    assert kept == {"text": "Opinion", "text_pair": None, "label": "Kind"}
    Path("new.csv").write_text(
        "id,note,Opinion\n1,short remark,lovely soup\n2,another one,awful soup\n", encoding="utf-8"
    )
    predicted = whyword("predict", "model", "new.csv", "--json")
    assert [row["text"] for row in predicted.json] == ["lovely soup", "awful soup"]
    assert predicted.err == "", "the columns of the model go without saying"
    standard = whyword("predict", "model", "-", "--json", stdin=b'{"Opinion": "lovely soup"}\n')
    assert standard.json[0]["probability"] == predicted.json[0]["probability"]
    assert whyword("audit", "model", "new.csv", "--explainers", "occlusion", "--quiet", "--json").code == 0
    other = whyword("predict", "model", messy, "--json", "--text", "Kind")
    assert {row["text"] for row in other.json} == {"good", "bad", "Good ", ""}


def test_bad_rows_of_a_training_are_all_listed(whyword, messy):
    with messy.open("ab") as file:
        file.write(b"\na;b;c\n;good\n")
    done = whyword("train", messy, "-o", "model", *SMALL)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        "whyword: 3 of 35 rows of messy.csv cannot be used: fix them, or leave them out with --on-bad-row skip.",
        "  row 34 has no label: the column 'Kind' holds ''; drop the row or label it.",
        "  row 35 has 3 fields but the header has 2: put fields that hold the separator in double quotes.",
        "  row 36: the column 'Opinion' holds no words (''): drop the row or fix it.",
    ]
    assert not Path("model").exists()


def test_leaks_are_cut_unless_they_are_to_be_kept(whyword):
    Path("set").mkdir()
    line = "dish{0} was{0} here{0},{1}\n"
    rows = [line.format(number, number % 2) for number in range(40)]
    for split, part in (("train", rows[:30]), ("dev", rows[30:]), ("test", [rows[0], *rows[30:]])):
        Path("set", f"{split}.csv").write_text("text,label\n" + "".join(part), encoding="utf-8")
    done = whyword("train", "set", "-o", "model", *SMALL, "--json")
    assert (done.json[0]["train_texts"], done.json[0]["test_texts"]) == (29, 11)
    assert "Cut from train, as they are in dev or test too: 1 text; --keep-leaks keeps them." in done.err
    assert whyword("train", "set", "-o", "other", *SMALL, "--json", "--keep-leaks").json[0]["train_texts"] == 30
