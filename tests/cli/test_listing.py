import json

import pytest

from whyword import catalog


@pytest.mark.parametrize("kind", ["methods", "encoders", "explainers", "metrics"])
def test_everything_in_the_catalog_is_listed_with_a_sentence(whyword, kind):
    rows = json.loads(whyword("list", kind, "--json").out)
    assert {row["name"] for row in rows} >= set(catalog.names(kind))
    assert all(row["about"] for row in rows)
    assert all(row["name"] in whyword("list", kind).out for row in rows)


def test_a_list_says_where_a_plug_in_comes_from_and_which_one_is_left_out(whyword, tmp_path, monkeypatch):
    assert "whyword" not in whyword("list", "metrics").out  # a column of its own only where there are plug-ins
    folder = tmp_path / "lucky_words-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: lucky-words\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(
        "[whyword.metrics]\nlucky = lucky_words:Lucky\nsufficiency = lucky_words:X\n"
    )
    (tmp_path / "lucky_words.py").write_text('class Lucky:\n    """How lucky."""\n1 / 0\n')
    monkeypatch.syspath_prepend(tmp_path)
    catalog.plugins.cache_clear()
    try:
        shown = whyword("list", "metrics")
        assert [line.split() for line in shown.out.splitlines() if "lucky" in line] == [
            ["lucky", "How", "lucky.", "lucky-words", "1.0"]
        ]
        assert shown.err == (
            "The plug-in 'sufficiency' of lucky-words 1.0 is left out, because another one of the metrics has that "
            "name: rename its entry point.\n"
        )
        rows = {row["name"]: row for row in json.loads(whyword("list", "metrics", "--json").out)}
        assert rows["lucky"] == {"name": "lucky", "about": "How lucky.", "from": "lucky-words 1.0"}
        assert rows["sufficiency"]["from"] == "whyword"
    finally:
        catalog.plugins.cache_clear()


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
