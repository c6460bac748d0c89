import builtins
import gc
import json
import weakref

import numpy as np
import pytest
import torch
from scipy.stats import kendalltau

from reference.spying import Spy, additive, explanation
from whyword import catalog
from whyword.checks.samples import sample_classifier
from whyword.data.words import split
from whyword.evaluation.aopc import NormalizedAopc
from whyword.evaluation.measure import Scores, gather, measure, rank_agreement, top_agreement
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.random import Random
from whyword.inference.black_box import sub_text
from whyword.interfaces.document import Document
from whyword.interfaces.errors import MissingExtraError, OptionError
from whyword.maths.stats.comparisons import paired_difference
from whyword.maths.stats.intervals import mean_interval
from whyword.metrics.accuracy_drop import AccuracyDrop
from whyword.metrics.mean_probability_drop import MeanProbabilityDrop
from whyword.metrics.normalized_comprehensiveness import NormalizedComprehensiveness
from whyword.metrics.normalized_sufficiency import NormalizedSufficiency
from whyword.metrics.posthoc_accuracy import PosthocAccuracy
from whyword.metrics.probability_drop import ProbabilityDrop
from whyword.metrics.rationale_f1 import RationaleF1
from whyword.metrics.sufficiency import Sufficiency

TEXTS = ("a warm and funny film", "dull", "", "the plot is thin , the jokes are thinner", "is it a film ?")
DOCUMENTS = [Document(split(text), "good") for text in TEXTS]


@pytest.fixture(scope="module")
def model():
    return sample_classifier()


@pytest.fixture(scope="module")
def explanations(model):
    return {name: made.explain(model, DOCUMENTS) for name, made in (("occlusion", Occlusion()), ("random", Random()))}


def every_metric():
    return [catalog.load("metrics", name)() for name in catalog.names("metrics")]


def one_round(metrics):
    return [metric for metric in metrics if not isinstance(metric, NormalizedAopc)]


def test_all_metrics_and_explainers_together_ask_once_about_each_sub_text(model, explanations):
    spy, metrics = Spy(model), one_round(every_metric())
    scores = measure(spy, explanations, metrics)
    assert spy.requests == 1
    needed = [
        {row.tobytes() for found in explanations.values() for metric in metrics for row in metric.subsets(found[i])}
        for i in range(len(TEXTS))
    ]
    assert len(spy.asked) == scores.forward_passes == sum(map(len, needed))
    assert scores.texts == len(TEXTS)
    assert scores.passes_per_text == scores.forward_passes / len(TEXTS)


def test_a_search_in_rounds_is_run_once_for_all_that_need_it_and_asks_about_each_sub_text_once(model, explanations):
    spy = Spy(model)
    scores = measure(spy, explanations, every_metric())
    assert len(spy.asked) == scores.forward_passes < scores.asked
    one, both = (
        measure(Spy(model), explanations, metrics).forward_passes
        for metrics in ([NormalizedComprehensiveness()], [NormalizedComprehensiveness(), NormalizedSufficiency()])
    )
    own = sum(len(NormalizedSufficiency().subsets(e)) for row in explanations.values() for e in row)
    assert both <= one + own


def test_no_round_asks_again_what_another_has_asked():
    spy = Spy(additive({"b": 2.0, "d": -1.0, "e": 0.3}))
    found = {"x": [explanation("a b c d e f", [3, 1, 2, 6, 5, 4])]}
    measure(spy, found, [ProbabilityDrop(), NormalizedComprehensiveness(), NormalizedSufficiency()])
    assert len(spy.asked) > 30  # the search among them
    assert len(set(spy.asked)) == len(spy.asked)


def test_several_explanations_of_a_text_are_averaged():
    model, text = additive({"funny": 2.0, "warm": 1.0}), "a funny warm film"
    draws = [explanation(text, scores) for scores in ([0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0])]
    (mean,) = measure(model, {"x": [draws]}, [ProbabilityDrop(1)])
    each = [measure(model, {"x": [draw]}, [ProbabilityDrop(1)])["probability-drop", "x"].value for draw in draws]
    assert mean.value == pytest.approx(np.mean(each))
    assert mean.texts == 1


def test_metrics_of_the_same_removal_curve_cost_no_more_than_one_of_them(model, explanations):
    alone = measure(model, explanations, [ProbabilityDrop()]).forward_passes
    assert measure(model, explanations, [ProbabilityDrop(), MeanProbabilityDrop()]).forward_passes == alone


def test_metrics_say_the_same_alone_and_together(model, explanations):
    metrics = every_metric()
    together = measure(model, explanations, metrics)
    for metric in metrics:
        for score in measure(model, explanations, [metric]):
            other = together[score.metric, score.explainer]
            np.testing.assert_allclose(score.per_text, other.per_text, atol=1e-6)


def test_scores_come_metric_by_metric_with_their_meaning(model, explanations):
    scores = measure(model, explanations, [ProbabilityDrop(), PosthocAccuracy()])
    assert [(score.metric, score.explainer) for score in scores] == [
        (metric, explainer)
        for metric in ("probability-drop", "posthoc-accuracy")
        for explainer in ("occlusion", "random")
    ]
    assert scores["posthoc-accuracy", "random"].meaning == PosthocAccuracy.meaning


@pytest.mark.parametrize("removal", ["delete", "pad", "unknown"])
def test_removed_words_are_replaced_as_asked_for(model, explanations, removal):
    (score,) = measure(model, {"random": explanations["random"]}, [ProbabilityDrop(k=1)], removal)
    for value, e in zip(score.per_text, explanations["random"], strict=True):
        kept = ProbabilityDrop(k=1, longest=1).subsets(e)
        whole, rest = model.probabilities_of_subsets(e.document.words, torch.from_numpy(kept), removal)[:, e.target]
        assert value == pytest.approx(float(whole - rest), abs=1e-6)


def test_streams_are_read_as_they_come_and_forgotten():
    alive, most = weakref.WeakSet(), 0

    def stream():
        nonlocal most
        for i in range(200):
            e = explanation(f"funny film {i}", [0.3, 0.2, 0.1])
            alive.add(e)
            yield e
            del e
            gc.collect(0)
            most = max(most, len(alive))

    told = []
    scores = measure(additive({"funny": 1.0}), {"x": stream()}, [ProbabilityDrop()], on_event=told.append)
    assert told == list(range(1, 201))
    assert scores.texts == 200
    assert most < 10


def test_sub_texts_are_those_of_the_right_text():
    spy = Spy(additive({}))
    e = explanation("one two three", [0.1, 0.3, 0.2])
    measure(spy, {"x": [e]}, [ProbabilityDrop(k=2, longest=2)])
    assert sorted(spy.asked) == sorted(sub_text(e.document.words, kept) for kept in ((1, 1, 1), (1, 0, 1), (1, 0, 0)))


def test_without_explainers_or_texts_there_is_nothing_to_say(model):
    assert len(measure(model, {}, [ProbabilityDrop()])) == 0
    (score,) = measure(model, {"x": []}, [ProbabilityDrop()])
    assert np.isnan([score.value, *score.interval]).all()


def test_rationale_metrics_alone_ask_nothing(model):
    e = explanation("a film", [0.1, 0.2], marked="film")
    assert measure(model, {"x": [e]}, [RationaleF1(1)]).forward_passes == 0


def test_explanations_of_other_texts_are_refused(model, explanations):
    short = {**explanations, "random": explanations["random"][:2]}
    with pytest.raises(OptionError, match="'random' has only 2 explanations"):
        measure(model, short, [ProbabilityDrop()])
    turned = {**explanations, "random": explanations["random"][::-1]}
    with pytest.raises(OptionError, match="Text 0 of 'random' is not that of 'occlusion'"):
        measure(model, turned, [ProbabilityDrop()])


def test_a_metric_asked_for_twice_is_refused(model, explanations):
    with pytest.raises(OptionError, match="'probability-drop' is asked for twice"):
        measure(model, explanations, [ProbabilityDrop(1), ProbabilityDrop(2)])


SCORED_TEXTS = [f"funny {'film ' * n}warm" for n in range(1, 9)]


@pytest.fixture(scope="module")
def scores() -> Scores:
    rng = np.random.default_rng(0)
    found = {
        name: [explanation(text, make(len(text.split()))) for text in SCORED_TEXTS]
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


COMPARED_TEXTS = ("a warm and funny film", "one", "", "seven words are more than five words")


def explained(seed):
    rng = np.random.default_rng(seed)
    return [explanation(text, rng.integers(0, 4, len(text.split()))) for text in COMPARED_TEXTS]


def test_rank_agreement_is_kendalls_tau_of_each_text():
    one, other = explained(1), explained(2)
    score = rank_agreement(one, other)
    for place in (0, 3):
        expected = kendalltau(one[place].scores, other[place].scores).statistic
        assert score.per_text[place] == pytest.approx(expected)
    assert np.isnan(score.per_text[1:3]).all()
    assert score.explainer == "chosen ~ chosen"


def test_top_agreement_counts_common_words_of_texts_longer_than_k():
    one, other = explained(1), explained(2)
    score = top_agreement(one, other, k=2)
    for place in (0, 3):
        common = set(one[place].ranking[:2]) & set(other[place].ranking[:2])
        assert score.per_text[place] == len(common) / 2
    assert np.isnan(score.per_text[1:3]).all()
    assert top_agreement(one, one, k=2).value == 1
    assert np.isnan(top_agreement(one, other, k=7).value)


def test_an_explainer_agrees_with_itself():
    assert rank_agreement(explained(1), explained(1)).value == pytest.approx(1)
    assert rank_agreement([], []).texts == 0


def test_other_texts_are_refused():
    with pytest.raises(OptionError, match="the same list with both"):
        rank_agreement(explained(1), explained(1)[::-1])
