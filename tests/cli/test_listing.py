import json

import pytest

from whyword import catalog


@pytest.mark.parametrize("kind", ["methods", "encoders", "explainers", "metrics"])
def test_everything_in_the_catalog_is_listed_with_a_sentence(whyword, kind):
    rows = json.loads(whyword("list", kind, "--json").out)
    assert {row["name"] for row in rows} >= set(catalog.names(kind))
    assert all(row["about"] for row in rows)
    assert all(row["name"] in whyword("list", kind).out for row in rows)


def test_the_settings_of_one_item_are_listed_with_kind_and_default(whyword):
    rows = json.loads(whyword("list", "methods", "attention", "--json").out)
    assert {"setting": "kind", "kind": "additive | dot", "default": "additive", "about": ""} in rows
    assert "additive | dot" in whyword("list", "methods", "attention").out


def test_the_settings_of_an_explainer_are_listed_with_what_they_mean(whyword):
    (row,) = json.loads(whyword("list", "explainers", "integrated-gradients", "--json").out)
    assert (row["setting"], row["default"]) == ("steps", "50")
    assert row["about"].startswith("points of the Gauss-Legendre rule")
    assert "Gauss-Legendre" in whyword("list", "explainers", "integrated-gradients").out
    rows = json.loads(whyword("list", "explainers", "lime", "--json").out)
    assert {row["setting"]: (row["kind"], row["default"]) for row in rows}["samples"] == ("int | auto", "auto")


def test_an_item_without_settings_says_so(whyword):
    assert whyword("list", "explainers", "own").out == "own has no settings.\n"


def test_a_pretrained_encoder_has_the_settings_of_all_transformers(whyword):
    assert whyword("list", "encoders", "minilm").out == whyword("list", "encoders", "transformer").out


def test_data_sets_are_planted_and_what_the_data_folder_holds(whyword, tmp_path):
    (tmp_path / "tickets.csv").write_text("text,label\na,b\n", encoding="utf-8")
    rows = json.loads(whyword("list", "datasets", "--data-dir", tmp_path, "--json").out)
    assert [row["name"] for row in rows] == ["planted", "tickets"]
    assert whyword("list", "datasets", "tickets", "--data-dir", tmp_path).out == "tickets has no settings.\n"


def test_papers_are_listed_and_the_tables_and_figures_of_one(whyword):
    papers = json.loads(whyword("list", "papers", "--json").out)
    assert {"evarm", "vat", "vmask"} <= {row["name"] for row in papers}
    assert {"name": "table 2", "about": "Test accuracy"} in json.loads(whyword("list", "papers", "vat", "--json").out)


def test_the_options_of_planted_are_listed(whyword):
    assert "sun-lu-1" in whyword("list", "datasets", "planted").out


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["method"], "Did you mean 'methods'?"),
        (["methods", "atention"], "Did you mean 'attention'?"),
        (["encoders", "lstmm"], "Did you mean 'lstm'?"),
        (["explainers", "oclusion"], "Did you mean 'occlusion'?"),
        (["datasets", "plantd"], "Did you mean 'planted'?"),
        (["papers", "vmsk"], "Did you mean 'vmask'?"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_one(refused, words, hint):
    assert hint in refused("list", *words)


@pytest.mark.parametrize("width", ["30", "200"])
def test_a_list_fits_the_terminal(whyword, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    assert max(map(len, whyword("list", "encoders").out.splitlines())) <= int(width)
