"""The price of deceit, read off curves that are known, and adversaries that are kept."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.grids.source import find_source
from whyword.grids.trial import Trial
from whyword.papers.evaluations.adversarial_models import (
    GRID,
    MEAN,
    AdversarialModels,
    above_floor,
    floor,
    price,
    price_above_floor,
    tvd_cost,
)
from whyword.papers.tutek import SMOKE, run_of


def curve(*points):
    return [{"weight": w, "jsd": j, "tvd": t, "tvd_low": t, "tvd_high": t, "epochs": 3} for w, j, t in points]


def test_between_adversaries_the_price_lies_on_a_straight_line():
    found = price(curve((0.0, 0.0, 0.0), (0.01, 0.6, 0.3)))
    assert found == pytest.approx({"0.1": 0.05, "0.2": 0.1, "0.3": 0.15, "0.4": 0.2, "0.5": 0.25, MEAN: 0.15})


def test_an_adversary_that_is_further_and_cheaper_sets_the_price():
    found = price(curve((0.0, 0.1, 0.2), (0.01, 0.3, 0.4), (0.02, 0.6, 0.1)))
    assert found == pytest.approx(dict.fromkeys([f"{x:g}" for x in GRID] + [MEAN], 0.1))


def test_beyond_the_furthest_adversary_nothing_is_known():
    assert set(price(curve((0.0, 0.05, 0.0), (0.01, 0.35, 0.3)))) == {"0.1", "0.2", "0.3"}
    assert price([]) == {}


@given(st.lists(st.tuples(st.floats(0, 0.69), st.floats(0, 1)), min_size=1, max_size=6, unique_by=lambda p: p[0]))
def test_the_price_is_the_lowest_of_a_finely_drawn_curve(points):
    jsd, tvd = np.array(sorted(points)).T
    found = price(curve(*((0.0, j, t) for j, t in points)))
    for x in GRID:
        if x > jsd[-1]:
            assert f"{x:g}" not in found
            continue
        fine = np.union1d(np.linspace(x, jsd[-1], 500), jsd[jsd >= x])
        assert found[f"{x:g}"] == pytest.approx(np.interp(fine, jsd, tvd).min(), abs=1e-9)


def test_imitation_alone_can_be_taken_off():
    answer = {"curve": curve((0.0, 0.1, 0.05), (0.01, 0.6, 0.3))}
    assert floor(answer) == 0.05
    assert [point["tvd"] for point in above_floor(answer)] == pytest.approx([0.0, 0.25])
    whole, above = tvd_cost(answer), price_above_floor(answer)
    assert whole["λ = 0"] == 0.05
    assert whole["furthest JSD"] == 0.6
    assert above[MEAN] == pytest.approx(whole[MEAN] - 0.05)
    without = {"curve": answer["curve"][1:]}
    assert floor(without) is None
    assert price_above_floor(without) == {}


def test_adversaries_are_kept_beside_the_model_and_not_trained_again(tmp_path, monkeypatch):
    source = find_source("planted:train=40,dev=10,test=10")
    trial = Trial(run_of("base", SMOKE), source, 0, tmp_path)
    dataset = trial.dataset()
    model = trial.model(dataset)
    question = AdversarialModels((0.0, 0.1), epochs=1, stale=1)
    first = question.ask(model, dataset, trial)
    kept = sorted(path.name for path in (tmp_path / f"{trial.name}.adversaries" / "1-1").glob("lambda-*"))
    assert kept == ["lambda-0.1.json", "lambda-0.json"]
    monkeypatch.setattr("whyword.analysis.adversarial_model.train_adversarial_model", None)
    again = question.ask(model, dataset, trial)
    assert json.dumps([point["weight"] for point in again["curve"]]) == "[0.0, 0.1]"
    for one, other in zip(first["curve"], again["curve"], strict=True):
        assert one == pytest.approx(other, abs=1e-5)
