import gzip
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from whyword import load
from whyword.cli import progress

TEXT = "I found the breakfast terrific, though the room was dreadful."


def test_the_words_are_shown_with_the_class(whyword, model):
    done = whyword("explain", model, TEXT, "--explainer", "occlusion")
    assert (done.code, done.err) == (0, "")
    label = load(model).predict([TEXT])[0]
    assert done.out.startswith(f"{label} ")
    assert TEXT in done.out
    assert f"speaks for {label}" in done.out


@pytest.mark.parametrize("width", [24, 40, 200])
def test_an_explanation_fits_the_terminal(whyword, model, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    assert max(map(len, whyword("explain", model, TEXT).out.splitlines())) <= width


def test_json_is_what_the_python_door_gives(whyword, model):
    (shown,) = whyword("explain", model, TEXT, "--json").json
    wanted = load(model).explain([TEXT])[0].to_dict()
    assert {**shown, "seconds": 0} == {**wanted, "seconds": 0}


def test_own_scores_are_used_if_there_are_any_else_occlusion(whyword, model, base_model):
    assert whyword("explain", model, TEXT, "--json").json[0]["explainer"] == "own"
    assert whyword("explain", base_model, TEXT, "--json").json[0]["explainer"] == "occlusion"


def test_target_names_the_class_the_scores_speak_for(whyword, model):
    one, other = (
        whyword("explain", model, TEXT, "--json", "--explainer", "occlusion", "--target", target).json[0]
        for target in ("negative", "positive")
    )
    assert (one["label"], other["label"]) == ("negative", "positive")
    assert one["scores"] == pytest.approx([-score for score in other["scores"]], abs=1e-6)


def test_seed_reaches_the_explainer(whyword, model):
    def scores(seed: int) -> list[float]:
        return whyword("explain", model, TEXT, "--explainer", "random", "--seed", seed, "--json").json[0]["scores"]

    assert scores(1) == scores(1) != scores(2)


def test_top_keeps_the_words_that_speak_most(whyword, model):
    everything = whyword("explain", model, TEXT, "--json").json[0]
    top = whyword("explain", model, TEXT, "--json", "--top", "2").json[0]
    assert len(top["words"]) == 2
    assert sorted(top["scores"]) == sorted(everything["scores"])[-2:]
    bars = [line for line in whyword("explain", model, TEXT, "--top", "2").out.splitlines() if "█" in line]
    assert sorted(line.split()[0] for line in bars) == sorted(top["words"])


@pytest.mark.parametrize("texts", [[""], ["  "], ["", TEXT], ["good"], ["..."]])
@pytest.mark.parametrize("explainer", ["own", "occlusion", "random"])
def test_empty_and_short_texts_are_explained(whyword, model, texts, explainer):
    rows = whyword("explain", model, *texts, "--explainer", explainer, "--json").json
    assert [row["text"] for row in rows] == texts
    assert all(len(row["words"]) == len(row["scores"]) for row in rows)
    assert whyword("explain", model, *texts, "--explainer", explainer).code == 0


def without_seconds(rows: list[dict]) -> list[dict]:
    return [{**row, "seconds": 0} for row in rows]


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet"])
def test_an_output_file_holds_what_json_shows(whyword, model, data, ending):
    shown = whyword("explain", model, data, "--json").json
    path = Path(f"out{ending}")
    done = whyword("explain", model, data, "-o", path)
    assert (done.code, done.out, done.err) == (0, "", f"Wrote 40 explanations to {path}.\n")
    if ending == ".parquet":
        rows = pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()
        rows = [{**row, "probabilities": dict(row["probabilities"])} for row in rows]
    else:
        text = gzip.decompress(path.read_bytes()) if ending.endswith("gz") else path.read_bytes()
        rows = [json.loads(line) for line in text.splitlines()]
    assert without_seconds(rows) == without_seconds(shown)


def test_what_was_written_can_be_read_again(whyword, model, data):
    pytest.importorskip("pyarrow")
    whyword("explain", model, data, "-o", "out.parquet")
    whyword("explain", model, data, "-o", "out.jsonl")
    first, second = (whyword("explain", model, path, "--json").json for path in ("out.parquet", "out.jsonl"))
    assert without_seconds(first) == without_seconds(second)


def test_pairs_are_written_with_both_texts(whyword, pair_model):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    Path("pairs.csv").write_text("text,text_pair\nIs it good?,It is superb.\n", encoding="utf-8")
    whyword("explain", pair_model, "pairs.csv", "-o", "out.parquet")
    (row,) = pyarrow.read_table("out.parquet").to_pylist()
    assert row["text_pair"] == "It is superb."
    assert row["segments"] == [0] * 4 + [1] * 4


def test_a_page_has_every_text(whyword, model, data):
    assert whyword("explain", model, data, "-o", "out.html", "--quiet").code == 0
    page = Path("out.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert page.count('<div class="whyword"') == 40
    assert page.endswith("</html>\n")


def test_a_picture_has_one_text(whyword, refused, model):
    assert whyword("explain", model, TEXT, "-o", "out.svg").err == "Wrote 1 explanation to out.svg.\n"
    assert ElementTree.parse("out.svg").getroot().tag.endswith("svg")
    assert "one picture, but several texts came" in refused("explain", model, TEXT, TEXT, "-o", "two.svg")
    assert not list(Path().glob("two.svg*"))


def interrupted(items, what, count, quiet):
    for number, item in enumerate(items):
        if number == 13:
            raise KeyboardInterrupt
        yield item


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet", ".html"])
def test_ctrl_c_keeps_the_texts_that_were_done(whyword, model, data, monkeypatch, ending):
    Path(f"out{ending}").write_text("older", encoding="utf-8")
    monkeypatch.setattr(progress, "track", interrupted)
    done = whyword("explain", model, data, "-o", f"out{ending}")
    assert (done.code, done.out) == (130, "")
    assert done.err == f"whyword: Interrupted. What was done before, 13 texts, is in out{ending}.part.\n"
    assert Path(f"out{ending}").read_text(encoding="utf-8") == "older"
    part = Path(f"out{ending}.part")
    if ending == ".parquet":
        assert pytest.importorskip("pyarrow.parquet").read_table(part).num_rows == 13
    elif ending == ".html":
        assert part.read_text(encoding="utf-8").count('<div class="whyword"') == 13
    else:
        text = gzip.decompress(part.read_bytes()) if ending.endswith("gz") else part.read_bytes()
        assert len([json.loads(line) for line in text.splitlines()]) == 13


def test_a_bad_row_keeps_the_texts_before_it(whyword, model):
    Path("t.jsonl").write_text('{"text": "good"}\n' * 20 + '{"txt": "bad"}\n', encoding="utf-8")
    done = whyword("explain", model, "t.jsonl", "-o", "out.jsonl")
    assert done.code == 2
    assert "t.jsonl, line 21" in done.err
    assert "8 texts, is in out.jsonl.part." in done.err
    assert len(Path("out.jsonl.part").read_text(encoding="utf-8").splitlines()) == 8


def test_own_scores_of_a_model_that_has_none_are_refused(refused, base_model):
    message = refused("explain", base_model, TEXT, "--explainer", "own", "-o", "out.jsonl")
    assert "occlusion" in message
    assert not list(Path().glob("out*"))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--explainer", "oclusion"], "Did you mean 'occlusion'?"),
        (["--target", "postive"], "Did you mean 'positive'?"),
        (["--top", "0"], "'--top'"),
        (["-o", "out.txt"], "must end in .jsonl, .jsonl.gz, .parquet, .html or .svg"),
        (["--seed", "-1"], "'--seed'"),
        (["--device", "cpuu"], "No 'cpuu' in the choices of --device"),
    ],
)
def test_a_bad_option_is_refused_by_name(refused, model, words, complaint):
    assert complaint in refused("explain", model, TEXT, *words)


def test_scores_do_not_depend_on_the_other_texts(whyword, model, data):
    together = whyword("explain", model, data, "--json").json
    for row in together[::13]:
        (alone,) = whyword("explain", model, row["text"], "--json").json
        np.testing.assert_allclose(alone["scores"], row["scores"], atol=1e-6)
