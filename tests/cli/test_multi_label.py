"""Several labels a text on the command line: train, predict, explain and audit need no option but the first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from whyword.cli.app import app
from whyword.data.planted import planted


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("several")
    dataset = planted("multilabel,train=200,dev=0,test=0")
    rows = [f"{document.words.texts[0]}\t{';'.join(document.labels or ())}" for document in dataset.train]
    (place / "tickets.tsv").write_text("\n".join(["text\ttags", *rows]), encoding="utf-8")
    result = run("train", place / "tickets.tsv", "-o", place / "model", "--encoder", "tfidf", "--label", "tags",
                 "--label-separator", ";")  # fmt: skip
    assert result.exit_code == 0, result.output
    return place


def run(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


TEXT = "The rest was rude. The visit was really stale."


def test_predict_names_all_labels(folder: Path) -> None:
    row = json.loads(run("predict", folder / "model", TEXT, "--json").stdout)
    assert set(row["labels"]) == {"people", "food"}
    assert run("predict", folder / "model", "We came in May.").stdout.startswith("none\t")


@pytest.mark.parametrize(("target", "views"), [(None, 2), ("predicted", 2), ("all", 5), ("food", 1)])
def test_explain_shows_a_view_per_label(folder: Path, target: str | None, views: int) -> None:
    result = run("explain", folder / "model", TEXT, *([] if target is None else ["--target", target]))
    assert result.exit_code == 0
    assert result.stdout.count("own") == views
    assert result.stdout.count("not predicted") == (3 if target == "all" else 0)
    assert "ᶠᵒ" not in result.stdout  # no letters of classes: every word speaks for the one label, or against it


def test_one_row_of_json_holds_the_scores_of_every_label(folder: Path) -> None:
    row = json.loads(run("explain", folder / "model", TEXT, "--json").stdout)
    assert set(row["labels"]) == {"people", "food"}
    assert set(row["all_scores"]) == {"device", "food", "people", "place", "story"}


def test_audit_reads_the_labels_as_training_did_and_judges_each(folder: Path) -> None:
    result = run(
        "audit", folder / "model", folder / "tickets.tsv", "--explainers", "own", "--sample", 40, "--json", "-q"
    )
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert {label["label"] for label in report["labels"]} == {"device", "food", "people", "place", "story"}
    assert report["label_quality"]["micro_f1"]["value"] > 0.5
    assert report["data"]["has_labels"]


def test_a_label_column_that_is_missing_is_one_sentence_and_exit_2(folder: Path) -> None:
    result = run("train", folder / "tickets.tsv", "-o", folder / "x", "--label", "a,b")
    assert result.exit_code == 2
    assert "no column 'a'" in result.output


def test_a_page_shows_each_label_and_the_table_of_words(folder: Path, tmp_path: Path) -> None:
    assert run("explain", folder / "model", TEXT, "-o", tmp_path / "page.html").exit_code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count('class="whyword"') == 2
    assert page.count("whyword-table") == 1


def test_attention_is_refused_in_a_sentence(folder: Path) -> None:
    result = run("attention", folder / "model", folder / "tickets.tsv")
    assert result.exit_code == 2
    assert "several labels" in result.output


def test_compare_tests_all_labels_of_a_text_and_explains_each_that_is_given(tmp_path: Path) -> None:
    data = "planted:multilabel,easy,train=200,dev=40,test=40"
    result = run("compare", data, "--methods", "base", "--encoders", "tfidf", "--seeds", 1, "--sample", 10,
                 "--json", "-q", "-o", tmp_path / "out")  # fmt: skip
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)["rows"]
    assert row["accuracy"] <= row["micro_f1"] <= 1
    assert row["macro_f1"] > 0.6
    assert row["interpretability"] > 0.1
    assert row["rationale-auprc"] > 0.9
    page = (tmp_path / "out" / "comparison.html").read_text(encoding="utf-8")
    assert "Macro-F1" in page
    assert "may have several labels" in page
