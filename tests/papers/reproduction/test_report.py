import json
from dataclasses import replace
from math import nan

import pytest
from matplotlib.figure import Figure

from reference.run_records import run_record
from whyword.maths.stats.intervals import Estimate
from whyword.papers.reproduction.claims import HOLDS, ClaimResult, DatasetEffect
from whyword.papers.reproduction.paper import Claim, Paper, Scale, TableOrFigure
from whyword.papers.reproduction.report import ReproductionReport, signed
from whyword.papers.reproduction.tables import Number, ReproducedTable

SCALE = Scale(datasets=("sst2", "trec"), seeds=3, families=("LSTM",), rows=2_000, sample=100)
PAPER = Paper("paper", "Somebody (2020): something", {"small": SCALE}, lambda scale: ())
CLAIM = Claim("ours is better", "ours", "theirs", "value")
RECORDS = {("sst2", "ours"): [replace(run_record([1], [0]), result={"seed": seed}) for seed in range(2)]}


def number(dataset, row, value, half=nan, published=None, column="value"):
    difference = None if published is None else value - published
    return Number(dataset, row, column, Estimate(value, value - half, value + half), 3, published, difference)


EFFECT = Estimate(5.04, 1.0, 9.08)
RESULT = ClaimResult(CLAIM, {"sst2": DatasetEffect(EFFECT, 3, True)}, EFFECT, 0.01, 0.9, 0.02, HOLDS)
TABLE = ReproducedTable(
    TableOrFigure("table 2", "Accuracy", (), note="Ours on a CPU."),
    (number("sst2", "ours", 85.04, 1.26, 92.37), number("trec", "ours", 90.0), number("sst2", "theirs", 80.0, 2.0)),
    (RESULT,),
    RECORDS,
)


def reproduced(*made, scale=SCALE):
    return ReproductionReport(PAPER, "small", scale, made, "whyword reproduce paper")


def test_ours_stand_with_their_interval_beside_the_published():
    lines = str(reproduced(TABLE)).splitlines()
    assert lines[:2] == [
        "Somebody (2020): something",
        "scale small, 3 seeds, at most 2,000 training texts, at most 100 explained texts.",
    ]
    assert lines[3] == "Table 2. Accuracy"
    assert [line.split() for line in lines[5:8]] == [
        ["sst2", "trec"],
        ["ours", "85.0", "±", "1.3", "(92.37,", "-7.3)", "90.0"],
        ["theirs", "80.0", "±", "2.0", "–"],
    ]
    assert lines[9] == "Ours on a CPU."
    assert lines[12].split()[:9] == ["ours", "is", "better", "+5.04", "+1", "to", "+9.08", "0.02", "holds"]
    assert lines[12].endswith("sst2 +5.04 [+1 to +9.08] (3 seeds and texts)")


def test_markdown_has_the_same_tables_and_the_command():
    written = reproduced(TABLE).markdown()
    assert "# Somebody (2020): something" in written
    assert "```sh\nwhyword reproduce paper\n```" in written
    assert "\n## Table 2. Accuracy\n" in written
    assert "\n| ours | 85.0 ± 1.3 (92.37, -7.3) | 90.0 |\n" in written
    row = "| ours is better | +5.04 | +1 to +9.08 | 0.02 | holds | sst2 +5.04 [+1 to +9.08] (3 seeds and texts) |"
    assert f"\n{row}\n" in written


def test_numbers_of_two_seeds_say_so():
    assert "Two seeds" not in str(reproduced(TABLE))
    two = replace(TABLE, numbers=tuple(replace(each, seeds=2) for each in TABLE.numbers))
    assert str(reproduced(two)).count("Two seeds: the interval is wide") == 1


def test_it_says_how_long_it_took_with_which_versions():
    records = [
        replace(run_record([1], [0]), wall_seconds=3600.0, versions={"whyword": "1", "torch": "2"}),
        replace(run_record([1], [0]), wall_seconds=1800.0, versions={"whyword": "1", "torch": "3"}),
    ]
    made = replace(reproduced(TABLE), records=records)
    assert "\n1.5 hours of one core, with whyword 1, torch 2 and 3.\n" in made.markdown()
    assert (made.to_dict()["hours"], made.to_dict()["versions"]) == (1.5, "whyword 1, torch 2 and 3")


def test_several_columns_make_a_table_for_each_data_set():
    numbers = tuple(number(data, "ours", 1.5, column=column) for data in ("sst2", "trec") for column in ("k 1", "k 5"))
    written = reproduced(replace(TABLE, numbers=numbers)).markdown()
    assert "| sst2 | k 1 | k 5 |\n| --- | --: | --: |\n| ours | 1.50 | 1.50 |\n" in written
    assert "| trec | k 1 | k 5 |" in written


def test_each_column_has_the_digits_that_its_largest_number_needs():
    columns = {"small": (0.12345, 0.5), "middle": (0.12345, 2.0), "large": (0.12345, -20.0)}
    numbers = tuple(number("sst2", str(i), v, column=c) for c, values in columns.items() for i, v in enumerate(values))
    written = reproduced(replace(TABLE, numbers=numbers)).markdown()
    assert "| 0 | 0.123 | 0.12 | 0.1 |\n| 1 | 0.500 | 2.00 | −20.0 |\n" in written


def test_the_numbers_of_a_picture_are_left_to_the_files(tmp_path):
    drawn = []

    def draw(results):
        drawn.append(results)
        return {"planted:a/b": Figure()}

    made = replace(TABLE, table=TableOrFigure("figure 1", "Curves", (), draw=draw))
    whole = reproduced(made)
    assert "85.0" not in str(whole)
    assert "ours is better" in str(whole)
    whole.save(tmp_path)
    assert drawn == [{("sst2", "ours"): [{"seed": 0}, {"seed": 1}]}]
    assert (tmp_path / "figure-1-planted-a-b.png").stat().st_size > 0
    written = (tmp_path / "reproduction.md").read_text()
    assert "85.0" in written
    assert "![figure-1-planted-a-b.png](figure-1-planted-a-b.png)" in written


def test_what_is_no_number_is_shown_as_its_table_says():
    table = TableOrFigure("table 4", "Texts", (), show=lambda results: f"- {len(results['sst2', 'ours'])} seeds")
    whole = reproduced(replace(TABLE, table=table, numbers=(), claims=()))
    assert str(whole).endswith("Table 4. Texts\n\n- 2 seeds")
    assert whole.markdown().endswith("## Table 4. Texts\n\n- 2 seeds\n")


def test_what_is_not_there_is_said(tmp_path):
    empty = ReproducedTable(TableOrFigure("figure 1", "Curves", (), draw=lambda results: 1 / 0), (), (), {})
    reproduced(empty).save(tmp_path)
    assert str(reproduced(empty)).endswith("Nothing is there yet.")
    without = replace(TABLE, numbers=(), claims=())
    assert "The records at hand have no such numbers." in str(reproduced(without))


def test_the_scale_is_told_in_all_that_limits_it():
    scale = replace(SCALE, seeds=1, rows=None, families=("LSTM", "BERT"), training={"batch_size": 8})
    assert reproduced(scale=scale).caps == (
        "scale small, one seed, all training texts, at most 100 explained texts, batch size 8, minilm for BERT-base"
    )
    assert replace(scale, brief=("cola",)).caps[-1] == "only the main rows for cola"
    assert replace(scale, brief=("cola",), brief_seeds=2).caps[-1] == "only the main rows and 2 seeds for cola"


@pytest.mark.parametrize(("number", "words"), [(-4.7e-15, "+0"), (0.01234, "+0.0123"), (-12.34, "-12.3"), (nan, "–")])
def test_the_rest_that_rounding_leaves_is_no_difference(number, words):
    assert signed(number) == words


def test_it_says_how_much_is_still_missing():
    part = replace(reproduced(TABLE), missing=2)
    assert part.caps.endswith(", runs still missing: 2")
    assert part.to_dict()["missing"] == 2
    assert "missing" not in reproduced(TABLE).caps


def test_the_values_are_strict_json(tmp_path):
    reproduced(TABLE).save(tmp_path)

    def refuse(word):
        raise AssertionError(word)

    values = json.loads((tmp_path / "reproduction.json").read_text(), parse_constant=refuse)
    assert values == json.loads(json.dumps(reproduced(TABLE).to_dict(), allow_nan=False))
    assert values["scale"]["name"] == "small"
    (table,) = values["tables"]
    assert table["numbers"][1]["ours"] == {"value": 90.0, "low": None, "high": None}
    assert table["claims"][0]["verdict"] == "holds"
