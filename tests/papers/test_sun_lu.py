"""Sun & Lu's tables and figures, reproduced."""

from dataclasses import replace

import pytest

from whyword.papers.reproduction.claims import FAILS, HOLDS, Measured, correct, measure_claims
from whyword.papers.reproduction.paper import load_paper
from whyword.papers.reproduction.report import ReproductionReport
from whyword.papers.reproduction.tables import collect, plan, run
from whyword.papers.sun_lu import ACCURACY, EIGHT, FULL, GROUPS, MODELS, SMALL, SMOKE, SYNTHETIC, tables, variant_of

PAPER = load_paper("sun-lu")
PICTURED = {"polarity": [[1.0], [-1.0], [0.0]], "attention": [1.0, 1.0, 0.0], "groups": [0, 1, 2]}
DATA = "planted:train=120,dev=60,test=20"


def table(name, scale=SMALL):
    return next(each for each in tables(scale) if each.name == name)


@pytest.mark.parametrize(
    ("data", "row", "value"),
    [
        ("sst2", "DP/λ=10", 82.2),
        ("sst2", "AD/λ=0.001", 62.8),
        ("imdb", "DP-L/λ=10000", 88.4),
        ("imdb", "DP/λ=1", 79.5),
        ("20ng_sports", "DP-A/λ=20", 93.5),
        ("20ng_three", "DP/λ=0.001", 31.8),
        ("20ng_three", "AD/λ=50", 93.8),
    ],
)
def test_published_accuracies_are_those_of_table_2(data, row, value):
    assert ACCURACY[data, row, "value"] == value


def test_all_28_accuracies_of_four_data_sets_are_there_and_each_has_a_row():
    assert len(ACCURACY) == 4 * 7 * 4
    rows = {row.name for row in table("table 2", FULL).rows} - {"majority", "TF-IDF"}
    assert {(data, row) for data, row, _ in ACCURACY} == {(data, row) for data in FULL.datasets for row in rows}


def test_dp_l_has_fewer_seeds_only_where_nothing_is_claimed_of_it():
    seeds = {row.name: row.seeds for row in table("table 2").rows}
    assert {name for name, count in seeds.items() if count == 1} - {"majority", "TF-IDF"} == {
        f"DP-L/λ={size}" for size in (0.001, 1, 20, 50, 100)
    }
    assert {row.seeds for row in table("figure 2").rows} == {None}
    assert SMALL.caps[-1] == "one seed for DP-L at λ other than 10 and 10000"


def test_published_groups_are_those_of_table_1():
    assert [GROUPS["sst2", "words", name] for name in ("positive", "negative", "neutral")] == [412, 265, 1384]
    assert GROUPS["imdb", "words", "neutral"] == 5968
    assert GROUPS["20ng_sports", "words", "rec.sport.hockey"] == 957
    assert GROUPS["20ng_three", "words", "sci.med"] == 268


def test_runs_are_trained_as_the_authors_do():
    plain, synthetic = variant_of("DP", SMALL, 10.0), variant_of("DP", SYNTHETIC, 10.0, 1e-3)
    assert plain.settings["training"]["optimizer"] == "adagrad"
    assert plain.settings["method"]["start"] == "linear"
    assert synthetic.settings["training"]["optimizer"] == "sgd"
    assert synthetic.settings["method"] == plain.settings["method"] | {"start": "wide", "penalty": 1e-3}
    assert {model: variant_of(model, SMALL, 10.0).longest for model in MODELS} == {
        "DP": None,
        "DP-L": 256,
        "DP-A": None,
        "AD": None,
    }


def test_the_ratio_of_two_classes_is_not_asked_of_three():
    assert set(table("appendix skew", FULL).datasets) == {"planted", "sst2", "20ng_sports", "imdb"}
    own = replace(SMALL, datasets=("folder/mine.csv", "hub:me/reviews", "folder/20ng_three"))
    assert set(table("appendix skew", own).datasets) == {"planted", "mine", "me/reviews"}


def judged(name, values, sentence):
    claim = next(claim for claim in table(name).claims if claim.sentence == sentence)
    return correct(measure_claims((claim,), Measured(values)))[0]


def test_a_small_scale_must_cost_dp_more_than_two_points():
    def values(losses):
        return {
            ("sst2", "DP/λ=10", "value"): dict.fromkeys(range(3), 80.0),
            ("sst2", "DP/λ=1", "value"): {seed: 80.0 - loss for seed, loss in enumerate(losses)},
        }

    sentence = "2. DP is more than 2 points better at λ = 10 than at λ = 1"
    found = judged("table 2", values((6.0, 7.0, 8.0)), sentence)
    assert (found.effect.value, found.verdict) == (pytest.approx(7.0), HOLDS)
    assert judged("table 2", values((0.8, 1.0, 1.2)), sentence).verdict == FAILS


def test_a_penalty_is_compared_with_none_on_the_same_seeds():
    free, held = {0: 2.0, 1: 3.0, 2: 4.0}, {0: 1.0, 1: 2.1, 2: 2.9, 3: 100.0}
    values = {("sst2", "DP/λ=10", "size of V·W"): free, ("sst2", "DP/λ=10/penalty", "size of V·W"): held}
    found = judged("appendix penalty", values, "3. DP, λ = 10: a penalty makes V·W smaller")
    assert found.effect.value == pytest.approx(sum(free[seed] - held[seed] for seed in free) / 3)
    assert (found.by_dataset["sst2"].seeds, found.verdict) == (3, HOLDS)


def test_unequal_classes_are_compared_with_equal_ones():
    values = {("sst2", "1:1", "size of V·W"): {0: 1.0, 1: 2.0}, ("sst2", "1:5", "size of V·W"): {0: 1.5, 1: 2.51}}
    found = judged("appendix skew", values, "4. V·W is larger with classes of 1:5 than of 1:1")
    assert found.effect.value == pytest.approx(0.505)
    assert found.verdict == HOLDS


def test_it_is_reproduced_end_to_end(tmp_path):
    few = {"seeds": 1, "families": ("DP",), "lambdas": (10.0,), "training": {"epochs": 1}}
    scale = replace(SMOKE, datasets=(DATA,), **few)
    names = ["table 1", "appendix words", "table 2", "figure 2", "figure 3", "figure 5"]  # figure 4 is of AD
    names += [f"appendix {name}" for name in ("dots", "training", "updates", "scores", "penalty", "skew")]
    names.append("convergence")
    todo = plan(PAPER.tables(scale), scale, tmp_path)
    records = {record.name: record for record in run(todo, tmp_path)}
    assert not [record.failed for record in records.values() if record.failed]
    made = collect(todo, records)
    assert [one.table.name for one in made] == names
    assert {number.column for number in made[0].numbers} >= {"train", "dev", "test", "classes"}
    assert {number.column for number in made[1].numbers} == {"negative", "positive", "neutral"}
    assert [number.row for number in made[2].numbers] == ["majority", "TF-IDF", "DP/λ=10"]
    assert {result.claim.sentence[0] for one in made for result in one.claims} == set("12345")  # 2 is not run
    ReproductionReport(PAPER, "smoke", scale, made).save(tmp_path)
    place = DATA.replace(":", "-").replace(",", "-")
    pictures = (
        ("figure-2", "DP=10-scores"),
        ("figure-3", "DP=10-scores"),
        ("figure-5", "DP=10-weights"),
        ("appendix-dots", "DP=10-polarity"),
        ("appendix-dots", "DP=10-weights"),
        ("appendix-training", "DP=10-training"),
        ("appendix-updates", "DP=10-updates"),
    )
    names = [f"{figure}-{place}-{shown}" for figure, shown in pictures] + [f"convergence-{place}"]
    assert sorted(path.stem for path in tmp_path.glob("*.png")) == sorted(names)


def test_figure_3_is_of_lambda_100_on_sst_and_of_three_newsgroups():
    def drawn(figure, data, row):
        found = {"groups": [{"group": name, "words": 1} for name in ("good", "bad", "neutral")], "pictured": PICTURED}
        return table(figure).draw({(data, row): [found]})

    assert drawn("figure 3", "sst2", "DP/λ=100")
    assert not drawn("figure 3", "sst2", "DP/λ=10")
    assert drawn("figure 3", "20ng_three", "DP/λ=10")
    assert not drawn("figure 3", "20ng_three", "DP/λ=100")
    assert drawn("figure 4", "20ng_sports", "AD/λ=10")
    assert table("figure 3").datasets == ("sst2", "20ng_three")


def test_the_weight_of_l2_is_searched_for_additive_attention_alone():
    assert not any(variant_of(model, SMALL, 10.0).search for model in MODELS)  # its records are from before
    searched = {model: variant_of(model, EIGHT, 10.0).search for model in MODELS}
    assert searched == {**dict.fromkeys(MODELS, ()), "AD": (("method.l2", (1e-4, 1e-3, 1e-2, 1e-1)),)}
