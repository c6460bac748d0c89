import builtins
import json

import numpy as np
import pytest

from reference.spying import additive, explanation
from whyword.evaluation.measure import measure
from whyword.evaluation.scores import Scores, gather
from whyword.interfaces.errors import MissingExtraError, OptionError
from whyword.maths.stats.comparisons import paired_difference
from whyword.maths.stats.intervals import mean_interval
from whyword.metrics.accuracy_drop import AccuracyDrop
from whyword.metrics.probability_drop import ProbabilityDrop
from whyword.metrics.sufficiency import Sufficiency

TEXTS = [f"funny {'film ' * n}warm" for n in range(1, 9)]


@pytest.fixture(scope="module")
def scores() -> Scores:
    rng = np.random.default_rng(0)
    found = {
        name: [explanation(text, make(len(text.split()))) for text in TEXTS]
        for name, make in (("first", lambda n: -np.arange(n)), ("random", rng.random))
    }
    metrics = [ProbabilityDrop(k=2), Sufficiency(), AccuracyDrop()]
    return measure(additive({"funny": 2.0, "warm": 1.0}), found, metrics)


def test_a_score_has_its_interval_and_the_band_of_its_curve(scores):
    score = scores["probability-drop", "random"]
    assert score.interval == pytest.approx(mean_interval(score.per_text))
    for place in range(len(score.points)):
        assert tuple(score.band[place]) == pytest.approx(mean_interval(score.curve[:, place]))
    np.testing.assert_allclose(score.mean_curve, score.curve.mean(0))


def test_differences_are_paired_and_leave_the_baseline_out(scores):
    found = scores.differences()
    assert set(found) == {(metric, "first") for metric in scores.metrics}
    one, other = (scores["probability-drop", name].per_text for name in ("first", "random"))
    assert found["probability-drop", "first"].value == pytest.approx(paired_difference(one, other).value)
    assert found["probability-drop", "first"].p == pytest.approx(paired_difference(one, other).p)


def test_rows_are_plain_values_with_the_difference_from_random(scores):
    rows = scores.rows()
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    first, second = rows[:2]
    assert (first["metric"], first["explainer"]) == ("probability-drop", "first")
    assert first["over_random_value"] == pytest.approx(first["value"] - second["value"])
    assert second["over_random_p"] is None
    assert rows[-1]["value"] is None  # no labels, no accuracy
    assert scores.rows("last")[0]["over_last_value"] is None


def test_a_frame_has_a_row_per_score(scores, monkeypatch):
    assert list(scores.to_frame()["explainer"]) == ["first", "random"] * 3
    real = builtins.__import__
    monkeypatch.setattr(
        builtins, "__import__", lambda name, *a, **k: real("no such module" if name == "pandas" else name, *a, **k)
    )
    with pytest.raises(MissingExtraError, match=r"whyword\[frames\]"):
        scores.to_frame()


def test_the_table_has_a_line_per_metric_and_says_which_way_is_better(scores):
    lines = str(scores).splitlines()
    assert lines[0].split() == ["first", "random"]
    assert lines[1].startswith("probability-drop ↑  0.")
    assert lines[2].startswith("sufficiency ↓")
    assert lines[3].split() == ["accuracy-drop", "↑", "-", "-"]
    assert f"8 texts, {scores.forward_passes} forward passes" in lines[4]


@pytest.mark.parametrize(
    ("names", "hint"),
    [(("sufficency", "first"), "Did you mean 'sufficiency'"), (("sufficiency", "frist"), "Did you mean 'first'")],
)
def test_an_unknown_name_is_answered_with_the_nearest_one(scores, names, hint):
    with pytest.raises(OptionError, match=hint):
        scores[names]


def test_one_explainer_has_nothing_to_be_compared_with(scores):
    alone = Scores(tuple(score for score in scores if score.explainer == "random"), 8, 1)
    assert alone.differences() == {}


def test_no_texts_give_an_empty_score():
    score = gather(ProbabilityDrop(), "x", np.empty((0, 10)))
    assert score.texts == 0
    assert score.curve.shape == (0, 10)
