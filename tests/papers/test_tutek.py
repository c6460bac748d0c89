"""Tutek & Šnajder's comparison, reproduced."""

from dataclasses import replace

import pytest

from whyword.papers.evaluations.attention_faithfulness import Probing, knowledge, price_above_floor, tvd_cost
from whyword.papers.reproduction.claims import FAILS, HOLDS, NOT_TESTED, Measured, correct, measure_claims
from whyword.papers.reproduction.paper import load_paper
from whyword.papers.reproduction.report import ReproductionReport
from whyword.papers.reproduction.tables import collect, plan, run
from whyword.papers.tutek import SMALL, SMOKE, VARIANTS, tables, variant_of

PAPER = load_paper("tutek")


def judged(number, name, read, mine, its):
    """Judge a claim of a table on made-up results, one for each seed."""
    values = {}
    for row, results in (("tying", mine), ("base", its)):
        for seed, result in enumerate(results):
            for column, value in read(result).items():
                values.setdefault(("sst2", row, column), {})[seed] = value
    made = next(found for found in tables(SMALL) if found.name == name)
    claim = [claim for claim in made.claims if claim.row == "tying"][number]
    return correct(measure_claims((claim,), Measured(values)))[0]


def known(accuracy, share):
    information = {"information": 2.0, "share": share, "probe_accuracy": 0.5}
    return {"test_accuracy": accuracy, "conicity": 0.5, "information": information}


def curve(*points):
    return {
        "curve": [{"weight": w, "jsd": j, "tvd": t, "tvd_low": t, "tvd_high": t, "epochs": 2} for w, j, t in points]
    }


def test_accuracy_may_differ_by_two_points():
    base = [known(0.80, 0.5), known(0.81, 0.5), known(0.82, 0.5)]
    near = [known(0.79, 0.5), known(0.805, 0.5), known(0.82, 0.5)]
    far = [known(0.70, 0.5), known(0.71, 0.5), known(0.725, 0.5)]
    found = judged(0, "table 1", knowledge, near, base)
    assert found.effect.value == pytest.approx(-0.5)
    assert found.verdict == HOLDS
    assert judged(0, "table 1", knowledge, far, base).verdict == FAILS


def test_information_must_be_above_that_of_base():
    base, more = [known(0.8, 0.4), known(0.8, 0.5)], [known(0.8, 0.6), known(0.8, 0.701)]
    assert judged(1, "table 1", knowledge, more, base).verdict == HOLDS
    assert judged(1, "table 1", knowledge, base, more).verdict == FAILS


def test_adversaries_are_compared_at_the_same_jsd():
    base = [curve((0.0, 0.0, 0.01), (0.01, 0.6, 0.01)), curve((0.0, 0.0, 0.02), (0.01, 0.6, 0.02))]
    mine = [curve((0.0, 0.0, 0.0), (0.01, 0.6, 0.6)), curve((0.0, 0.0, 0.01), (0.01, 0.6, 0.62))]
    found = judged(0, "figure 1", tvd_cost, mine, base)
    assert found.effect.value == pytest.approx((0.3 - 0.01 + 0.01 + 0.61 * 0.5 - 0.02) / 2)
    assert found.verdict == HOLDS
    above = judged(0, "figure 2", price_above_floor, mine, base)
    assert above.effect.value == pytest.approx((0.3 + 0.61 * 0.5) / 2)


def test_a_seed_whose_adversaries_stayed_near_is_not_compared():
    base = [curve((0.0, 0.0, 0.01), (0.01, 0.3, 0.01)), curve((0.0, 0.0, 0.02), (0.01, 0.6, 0.02))]
    found = judged(0, "figure 1", tvd_cost, base[::-1], base[1:] * 2)
    assert (found.by_dataset["sst2"].seeds, found.verdict) == (1, NOT_TESTED)


def test_states_are_as_wide_as_the_vectors_they_are_tied_to():
    for variant in VARIANTS:
        encoder = variant_of(variant, SMALL).settings["encoder"]
        assert 2 * encoder["hidden"] == encoder["dim"] == 100


def test_it_is_reproduced_end_to_end(tmp_path):
    scale = replace(SMOKE, datasets=("planted:train=60,dev=20,test=20",), seeds=1, epochs=1)
    todo = plan(PAPER.tables(scale), scale, tmp_path)
    records = {record.name: record for record in run(todo, tmp_path)}
    assert not [record.failed for record in records.values() if record.failed]
    made = collect(todo, records)
    ReproductionReport(PAPER, "smoke", scale, made).save(tmp_path)
    assert {number.row for number in made[0].numbers} == set(VARIANTS)
    assert len(made[0].claims) == 6
    names = ["table 1", "table 2", "rationales", "convergence", "figure 1", "figure 2"]
    assert [one.table.name for one in made if one.records] == names
    assert {number.row for number in made[2].numbers} == {*VARIANTS, "random"}
    assert len(list(tmp_path.glob("figure-*.png"))) == 2
    assert len(list((tmp_path / "models").glob("*.adversaries/*/lambda-*.json"))) == 2 * len(VARIANTS)


def test_records_of_states_with_word_vectors_beside_them_are_not_read_for_concat():
    waiting = {name: Probing().earlier(variant_of(name, SMALL)) for name in VARIANTS}
    assert {name for name, earlier in waiting.items() if not earlier} == {"concat"}
