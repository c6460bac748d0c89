import csv
import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from whyword import TextClassifier, load
from whyword.data.dataset import load_dataset
from whyword.diffs.diff import diff_models

DATA = "planted:easy,train=20,dev=5,test=30"
STRICT = ("--most-changed-predictions", 0, "--most-changed-reasons", 0)


@pytest.fixture(scope="module")
def other(model, tmp_path_factory):
    """The same model with the vectors of other words."""
    folder = shutil.copytree(model, tmp_path_factory.mktemp("other") / "model")
    tensors = load_file(folder / "model.safetensors")
    table = next(name for name in tensors if "embedding" in name)
    tensors[table] = torch.roll(tensors[table], 7, 0)
    save_file(tensors, folder / "model.safetensors")
    (folder / "manifest.json").unlink()  # which would say that the weights were changed
    return folder


def test_a_model_and_itself_pass_the_strictest_check(whyword, model):
    done = whyword("diff", model, model, DATA, *STRICT)
    assert done.code == 0
    assert "predictions changed  0 of 30, 0.0%" in done.out
    assert "reasons changed      0 of" in done.out
    assert "most changed texts" not in done.out


def test_where_words_are_marked_it_says_whether_reasons_moved_towards_people(whyword, model, other, tmp_path):
    done = whyword("diff", model, other, DATA)
    assert "like people " in done.out
    assert "Reasons that moved furthest away (average precision of the words marked):" in done.out
    assert "became right" in done.out
    unmarked = tmp_path / "texts.jsonl"
    unmarked.write_text('{"text": "a superb film with a plot and a cast"}\n')
    assert whyword("diff", model, other, unmarked, "--json").json[0]["people"] is None
    marked = tmp_path / "marked.jsonl"
    marked.write_text('{"text": "a superb film with a plot and a cast", "why": [[2, 8]]}\n')
    people = whyword("diff", model, other, marked, "--rationale", "why", "--json").json[0]["people"]
    assert people["auprc"]["texts"] == 1


def test_more_changes_than_allowed_end_with_their_own_exit_code(whyword, model, other):
    done = whyword("diff", model, other, DATA, *STRICT, "-q")
    assert done.code == 3
    assert "predictions changed" in done.out  # the summary comes all the same
    assert done.err.startswith("whyword: ")
    assert done.err.count("\n") == 1
    assert "--most-changed-predictions" in done.err
    assert "--most-changed-reasons" in done.err


def test_without_thresholds_and_within_them_the_exit_code_is_0(whyword, model, other):
    assert whyword("diff", model, other, DATA).code == 0
    found = whyword("diff", model, other, DATA, "--json").json[0]
    exact = ("--most-changed-predictions", found["predictions_changed"]["value"])
    assert whyword("diff", model, other, DATA, *exact).code == 0  # as much as allowed is allowed
    assert whyword("diff", model, other, DATA, "--most-changed-predictions", 0.001).code == 3


def test_the_numbers_are_those_of_python(whyword, model, other):
    found = whyword("diff", model, other, DATA, "--explainer", "occlusion", "--top", 3, "--json").json[0]
    models = load(model), load(other)
    expected = diff_models(*models, load_dataset(DATA).test, "occlusion", top=3).to_dict()
    assert found["predictions_changed"] == expected["predictions_changed"]
    assert found["accuracy"] == expected["accuracy"]
    assert found["changes"] == expected["changes"]
    assert (found["old"], found["new"]) == (str(model), str(other))
    assert "test split of planted" in found["data"]


def test_the_screen_shows_words_and_texts_old_and_new(whyword, model, other):
    lines = whyword("diff", model, other, DATA, "--min-count", 2).out.splitlines()
    assert lines[0] == f"{model} → {other}, 30 texts of the test split of {DATA}"
    assert any("Words whose mean score moved most" in line for line in lines)
    assert sum(line.endswith("times") for line in lines) == 10
    start = lines.index("The most changed texts:")
    assert "→" in lines[start + 2]
    assert lines[start + 4].startswith("  ")


def test_a_page_is_written(whyword, model, other, tmp_path):
    done = whyword("diff", model, other, DATA, "-o", tmp_path / "new" / "diff.html")
    assert done.code == 0
    assert "Wrote" in done.err
    html = (tmp_path / "new" / "diff.html").read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert html[html.index("<h2>Texts") :].count("<article") == 30


def test_rows_are_written(whyword, model, other, tmp_path):
    done = whyword("diff", model, other, DATA, "-o", tmp_path / "diff.jsonl", "--json", *STRICT)
    assert done.code == 3  # the file is there nevertheless
    assert done.json[0]["output"] == str(tmp_path / "diff.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "diff.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows == done.json[0]["changes"]
    assert whyword("diff", model, other, DATA, "-o", tmp_path / "diff.csv").code == 0
    with (tmp_path / "diff.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert [row["text"] for row in table] == [row["text"] for row in rows]
    assert "→" in table[0]["moved"]


def test_settings_of_the_explainer_and_the_cache_are_taken(whyword, model, other, tmp_path):
    words = ("diff", model, other, DATA, "--sample", 5, "--explainer", "lime", "--samples", 40, "--json")
    first = whyword(*words, "--cache", tmp_path / "kept")
    assert first.code == 0
    assert (tmp_path / "kept" / "explanations.sqlite").is_file()
    assert whyword(*words, "--cache", tmp_path / "kept").json == first.json
    assert first.json[0]["texts"] == 5


def test_pairs_and_files_without_labels_are_compared(whyword, model, other, pair_model, tmp_path):
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"text": "a superb film with a fine cast"}\n{"text": "a dull film"}\n')
    assert whyword("diff", model, other, texts, "--json").json[0]["accuracy"] is None
    pairs = whyword("diff", pair_model, pair_model, "planted:pairs,train=20,dev=5,test=6", *STRICT)
    assert pairs.code == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--explainer", "limee"], "lime"),
        (["--most-changed-predictions", "2"], "--most-changed-predictions"),
        (["--most-changed-reasons", "nan"], "--most-changed-reasons"),
        (["--top", "0"], "--top"),
        (["-o", "diff.pdf"], "The output diff.pdf must end in"),
        (["--set", "samples"], "--set"),
    ],
    ids=["explainer", "share", "nan", "top", "ending", "setting"],
)
def test_mistakes_get_one_sentence(refused, model, words, sentence):
    assert sentence in refused("diff", model, model, DATA, *words)


def test_models_of_other_classes_are_refused_by_name(refused, model, tmp_path):
    texts = ["one two three", "four five six"] * 6
    classifier = TextClassifier("attention", "bag", epochs=1, contributions=False)
    classifier.fit(texts, ["odd", "even"] * 6).save(tmp_path / "numbers")
    sentence = refused("diff", model, tmp_path / "numbers", DATA)
    assert str(model) in sentence
    assert str(tmp_path / "numbers") in sentence
    assert "nowhere" in refused("diff", model, "nowhere", DATA)


def test_an_empty_file_is_refused(refused, model, tmp_path):
    (tmp_path / "none.csv").write_text("text,label\n")
    assert "none.csv" in refused("diff", model, model, tmp_path / "none.csv")


def test_reasons_of_texts_too_short_cannot_be_checked(whyword, refused, model, tmp_path):
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"text": "a superb film"}\n')
    assert "--top 5" in refused("diff", model, model, texts, "--most-changed-reasons", 0.5)
    assert whyword("diff", model, model, texts, "--most-changed-reasons", 0.5, "--top", 2).code == 0
