from collections import Counter
from dataclasses import replace

import pytest

from reference.papers import check_plan, make_smoke, plan_without_data
from whyword.papers.evarm import ACCURACY, AOPC, LAYERS, METHODS, PAPER, SEARCH
from whyword.papers.reproduction.paper import load_paper
from whyword.papers.reproduction.tables import plan


@pytest.mark.parametrize("scale", PAPER.scales)
def test_every_scale_can_be_planned(scale, tmp_path, monkeypatch):
    assert load_paper("evarm") is PAPER
    check_plan(PAPER, scale, plan_without_data(PAPER, scale, tmp_path, monkeypatch))


@pytest.mark.parametrize(
    ("numbers", "dataset", "row", "column", "value"),
    [
        (ACCURACY, "qnli", "BERT-base", "value", 87.07),
        (ACCURACY, "cola", "BERT-AGN", "value", 81.20),
        (ACCURACY, "yelp", "BERT-SCL", "value", 96.40),
        (ACCURACY, "rt", "BERT-VMASK", "value", 87.82),
        (ACCURACY, "sst2", "BERT-E-VarM", "value", 92.37),
        (ACCURACY, "subj", "BERT-MASK", "value", 96.90),
        (ACCURACY, "sst1", "BERT-ETE", "value", 46.87),
        (ACCURACY, "imdb", "BERT-PPL", "value", 92.76),
        (LAYERS, "qqp", "BERT-bottom", "value", 89.31),
        (LAYERS, "ag_news", "BERT-middle", "value", 91.18),
        (LAYERS, "sst2", "BERT-top", "value", 90.87),
        (LAYERS, "sst2", "BERT-all", "value", 92.37),
        (AOPC, "qnli", "BERT-VMASK", "1", 3.44),
        (AOPC, "rt", "BERT-E-VarM", "5", 28.58),
        (AOPC, "cola", "BERT-E-VarM", "9", 22.50),
        (AOPC, "imdb", "BERT-VMASK", "9", 19.89),
        (AOPC, "sst1", "BERT-VMASK", "5", 17.73),
        (AOPC, "ag_news", "BERT-E-VarM", "9", 19.63),
        (AOPC, "subj", "BERT-E-VarM", "1", 1.94),
        (AOPC, "yelp", "BERT-E-VarM", "9", 12.61),
    ],
)
def test_the_published_numbers_are_those_of_the_paper(numbers, dataset, row, column, value):
    assert numbers[dataset, row, column] == value


def test_the_small_scale_says_where_it_does_less():
    told = ", ".join(PAPER.scales["small"].caps)
    assert "one seed for AGN, ETE, ETE-ours, PPL, PPL-ours" in told
    assert "one seed for bands of layers" in told
    assert "for cola, qnli, qqp" in told


def test_no_published_number_is_missing():
    assert (len(ACCURACY), len(LAYERS), len(AOPC)) == (8 * 10, 4 * 10, 2 * 3 * 10)


def test_small_has_all_rows_for_three_data_sets_and_the_main_ones_for_the_others(tmp_path, monkeypatch):
    todo = plan_without_data(PAPER, "small", tmp_path, monkeypatch)
    rows = {data: [r for e, d, r, s in todo.jobs if (e, d, s) == ("table 2", data, 0)] for data in ("sst2", "qqp")}
    assert len(rows["sst2"]) == 2 + 12
    assert rows["qqp"] == ["majority", "TF-IDF", "BERT-base", "BERT-VMASK", "BERT-E-VarM", "BERT-E-VarM-ours"]
    assert {d for e, d, *_ in todo.jobs if e == "figure 3"} == {"sst2", "subj", "trec"}
    assert {d for e, d, *_ in todo.jobs if e == "table 3"} == set(PAPER.scales["small"].datasets)


def test_small_has_fewer_seeds_of_side_rows_and_compares_layers_on_three_data_sets(tmp_path, monkeypatch):
    todo = plan_without_data(PAPER, "small", tmp_path, monkeypatch)
    seeds = Counter(row for table, data, row, _ in todo.jobs if (table, data) == ("table 2", "sst2"))
    assert {row: seeds[f"BERT-{row}"] for row in ("SCL", "MASK", "AGN", "ETE", "PPL")} == {
        **dict.fromkeys(("SCL", "MASK"), 3),
        **dict.fromkeys(("AGN", "ETE", "PPL"), 1),
    }
    told = {name: {(d, s) for e, d, _, s in todo.jobs if e == name} for name in ("table 3", "table 5")}
    assert told["table 5"] == {("sst2", 0), ("subj", 0), ("trec", 0)}
    assert {seed for data, seed in told["table 3"] if data == "trec"} == {0, 1, 2}
    assert {seed for data, seed in told["table 3"] if data == "qqp"} == {0}


def test_layers_are_compared_on_data_of_ones_own(tmp_path):
    scale = replace(PAPER.scales["small"], datasets=("planted",))
    todo = plan(PAPER.tables(scale), scale, tmp_path)
    assert any(table == "table 5" for table, *_ in todo.jobs)


def test_each_variant_and_each_band_of_layers_is_another_run(tmp_path, monkeypatch):
    todo = plan_without_data(PAPER, "small", tmp_path, monkeypatch)
    configs = {r: job.trained.config for (_, d, r, s), job in todo.jobs.items() if (d, s) == ("sst2", 0)}
    variants = {row: configs[f"BERT-{row}"].method_settings.variant for row in ("E-VarM", "MASK", "ETE", "PPL")}
    assert variants == {"E-VarM": "full", "MASK": "mask", "ETE": "ete", "PPL": "ppl"}
    bands = [configs[f"BERT-{band}"].method_settings.gate_layers for band in ("bottom", "middle", "top", "all")]
    assert bands == ["bottom", "middle", "top", "all"]
    gates = {row: configs[f"BERT-{row}"].method_settings for row in ("E-VarM", "E-VarM-ours", "PPL", "PPL-ours")}
    assert {row: (given.gates, given.inference) for row, given in gates.items()} == {
        **dict.fromkeys(("E-VarM", "PPL"), ("soft", "choice")),  # Eq. 4 and 3
        **dict.fromkeys(("E-VarM-ours", "PPL-ours"), ("hard", "probability")),
    }
    training = configs["BERT-E-VarM"].training
    assert (training.epochs, training.batch_size, training.schedule, training.warmup) == (2, 16, "linear", 0.1)
    assert configs["BERT-E-VarM"].encoder == "minilm"


def test_everything_is_made_at_the_smallest_scale(tmp_path):
    made = make_smoke(PAPER, tmp_path)
    assert set(made) == {
        *(f"table {number}" for number in range(1, 6)),
        *("table 3 normalized", "figure 2 normalized", "words of the gates", "matthews", "convergence"),
        *("figure 2", "figure 3"),
    }
    assert {row for _, row in made["figure 3"].records} == {
        f"LSTM-{name}" for name in ("VMASK", "MASK", "MASK-ours", "E-VarM", "E-VarM-ours")
    }
    assert {number.column for number in made["table 3"].numbers} == {"1", "5", "9"}
    assert {int(number.column) for number in made["figure 2"].numbers} == set(range(1, 10))


def test_every_method_is_searched_with_as_many_runs(tmp_path, monkeypatch):
    searched = {name: [len(values) for _, values in search] for name, search in SEARCH.items()}
    assert set(searched) == set(METHODS)
    assert set(map(tuple, searched.values())) == {(3, 3)}
    todo = plan_without_data(PAPER, "converged", tmp_path, monkeypatch)
    rows = {row: job for (table, _, row, _), job in todo.jobs.items() if table == "table 2"}
    assert {row for row in rows if row.startswith("BERT")} == {
        f"BERT-{name}" for name in ("base", "VMASK", "E-VarM", "E-VarM-ours", "PPL", "PPL-ours")
    }
    assert len({job.trained.config.training for row, job in rows.items() if row.startswith("BERT")}) == 1
