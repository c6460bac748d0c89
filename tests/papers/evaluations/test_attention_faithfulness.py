import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.analysis.attention_tests import TESTS, run_attention_tests
from whyword.analysis.probing import word_information
from whyword.analysis.replaced_attention import Search
from whyword.explaining.inputs import draw
from whyword.grids.variant import TrainedVariant, find_source
from whyword.papers.evaluations.attention_faithfulness import (
    GRID,
    MEAN,
    AdversarialModels,
    AttentionTests,
    Probing,
    above_floor,
    attention_test_values,
    floor,
    knowledge,
    price,
    price_above_floor,
    tvd_cost,
)
from whyword.papers.tutek import SMOKE, variant_of


def test_they_are_those_of_the_same_texts(tmp_path):
    trained = TrainedVariant(variant_of("base", SMOKE), find_source("planted:train=60,dev=10,test=30"), 3, tmp_path)
    dataset = trained.dataset()
    model = trained.model(dataset)
    result = AttentionTests(sample=5, steps=3).evaluate(model, dataset, trained)
    expected = run_attention_tests(model.classifier, draw(dataset.test, 5, 0), trained.seed, Search(steps=3))
    assert result["texts"] == 5
    assert attention_test_values(result) == {name: expected[name].value for name in TESTS}


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
    result = {"curve": curve((0.0, 0.1, 0.05), (0.01, 0.6, 0.3))}
    assert floor(result) == 0.05
    assert [point["tvd"] for point in above_floor(result)] == pytest.approx([0.0, 0.25])
    whole, above = tvd_cost(result), price_above_floor(result)
    assert whole["λ = 0"] == 0.05
    assert whole["furthest JSD"] == 0.6
    assert above[MEAN] == pytest.approx(whole[MEAN] - 0.05)
    without = {"curve": result["curve"][1:]}
    assert floor(without) is None
    assert price_above_floor(without) == {}


def test_adversaries_are_kept_beside_the_model_and_not_trained_again(tmp_path, monkeypatch):
    source = find_source("planted:train=40,dev=10,test=10")
    trained = TrainedVariant(variant_of("base", SMOKE), source, 0, tmp_path)
    dataset = trained.dataset()
    model = trained.model(dataset)
    evaluation = AdversarialModels((0.0, 0.1), epochs=1, stale=1)
    first = evaluation.evaluate(model, dataset, trained)
    kept = sorted(path.name for path in (tmp_path / f"{trained.name}.adversaries" / "1-1").glob("lambda-*"))
    assert kept == ["lambda-0.1.json", "lambda-0.json"]
    monkeypatch.setattr("whyword.analysis.adversarial_model.train_adversarial_model", None)
    again = evaluation.evaluate(model, dataset, trained)
    assert json.dumps([point["weight"] for point in again["curve"]]) == "[0.0, 0.1]"
    for one, other in zip(first["curve"], again["curve"], strict=True):
        assert one == pytest.approx(other, abs=1e-5)


@pytest.fixture(scope="module")
def trained_on_few(tmp_path_factory):
    source = find_source("planted:train=60,dev=10,test=30")
    trained = TrainedVariant(variant_of("tying", SMOKE), source, 3, tmp_path_factory.mktemp("models"))
    dataset = trained.dataset()
    return trained.model(dataset), dataset, trained


def test_knowledge_is_that_of_the_test_texts(trained_on_few):
    model, dataset, _ = trained_on_few
    found = knowledge(Probing(texts=20).evaluate(*trained_on_few))
    information = word_information(model.classifier, draw(dataset.test, 20, 0))
    assert found["MI (nats)"] == information.information
    assert found["MI share"] == information.share
    assert found["probe"] == 100 * information.probe_accuracy
    assert found["accuracy"] == 100 * model.metrics["test_accuracy"]
    assert 0 <= found["conicity"] <= 1


def test_a_model_without_conicity_has_the_rest():
    result = {
        "test_accuracy": 0.5,
        "conicity": None,
        "information": {"information": 1.0, "share": 0.5, "probe_accuracy": 0.1},
    }
    assert knowledge(result) == {"accuracy": 50.0, "MI (nats)": 1.0, "MI share": 0.5, "probe": 10.0}
