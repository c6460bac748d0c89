import numpy as np
import pytest

from reference.spying import Spy, additive, explanation
from whyword import TextClassifier, explain
from whyword.data.planted import planted
from whyword.evaluation.measure import measure
from whyword.explainers.random import Random
from whyword.explaining.measure import measure_explanations, rotations
from whyword.inference.fitted import FittedClassifier
from whyword.interfaces.errors import OptionError
from whyword.metrics.direction import Direction
from whyword.metrics.posthoc_accuracy import PosthocAccuracy
from whyword.metrics.probability_drop import ProbabilityDrop

FREE = {"probability-drop", "mean-probability-drop", "posthoc-accuracy", "comprehensiveness", "sufficiency"} | {
    "direction", "normalized-comprehensiveness", "normalized-sufficiency",
}  # fmt: skip
WITH_LABELS = FREE | {"accuracy-drop", "posthoc-accuracy-gold"}


@pytest.fixture(scope="module")
def data():
    documents = planted("easy,train=40,dev=0,test=0").train
    return [d.words.texts[0] for d in documents], [d.label for d in documents]


@pytest.fixture(scope="module")
def clf(data):
    return TextClassifier(
        "attention", "lstm", epochs=1, encoder_settings={"dim": 8, "hidden": 8}, contributions=False
    ).fit(*data)


def test_a_few_lines_from_texts_to_a_table(clf, data):
    texts, labels = data
    explanations = {name: clf.explain(texts[:6], name) for name in ("own", "occlusion")}
    scores = measure_explanations(clf, explanations, labels=labels[:6])
    assert set(scores.metrics) == WITH_LABELS
    assert scores.explainers == ("own", "occlusion", "random")
    assert "accuracy-drop ↑" in str(scores)


def test_our_own_models_answer_from_token_ids(clf, data, monkeypatch):
    explanations = {"own": clf.explain(data[0][:2])}
    monkeypatch.setattr(TextClassifier, "predict_proba", None)
    scores = measure_explanations(clf, explanations, ["probability-drop"])
    direct = measure_explanations(clf.model_.classifier, explanations, [ProbabilityDrop()])
    assert isinstance(clf.model_.classifier, FittedClassifier)
    np.testing.assert_array_equal(
        scores["probability-drop", "own"].per_text, direct["probability-drop", "own"].per_text
    )


def test_only_metrics_that_have_what_they_need_are_measured_by_default():
    model = additive({"funny": 1.0})
    plain, labeled, marked = (
        measure_explanations(model, {"x": [explanation("funny film", [1, 0], **known)]}).metrics
        for known in ({}, {"label": "good"}, {"marked": "funny"})
    )
    assert set(plain) == FREE
    assert set(labeled) == WITH_LABELS
    assert {name for name in marked if name.startswith("rationale")} == set(marked) - FREE
    assert len(marked) == len(FREE) + 5


def test_random_words_are_added_for_the_same_classes_unless_they_are_there():
    model, e = additive({"funny": 1.0}), explanation("funny film and more", [3, 2, 1, 0], target=0)
    added = measure_explanations(model, {"x": [e]}, ["probability-drop"])
    curves = [added["probability-drop", name].curve[0].tolist() for name in ("random", "x")]
    assert curves[0] != curves[1]
    assert curves[0][-1] == curves[1][-1] < 0  # without any word, bad is likelier than before
    again = measure_explanations(model, {"x": [e]}, ["probability-drop"])
    assert again["probability-drop", "random"].value == added["probability-drop", "random"].value
    given = measure_explanations(model, {"random": [e]}, ["probability-drop"])
    assert given.explainers == ("random",)
    assert given["probability-drop", "random"].value == added["probability-drop", "x"].value


@pytest.mark.parametrize(("draws", "expected"), [(1, 1), (3, 3), (5, 5), (20, 5)])
def test_draws_begin_a_random_order_at_places_of_which_none_comes_twice(draws, expected):
    e = explanation("one two three four five", [3, 1, 5, 2, 4])
    drawn = rotations(e, draws)
    orders = [list(draw.ranking) for draw in drawn]
    assert orders[0] == list(e.ranking)
    assert len({order[0] for order in orders}) == len(orders) == expected
    turned = [[*orders[0][start:], *orders[0][:start]] for start in range(5)]
    assert all(order in turned for order in orders)


def test_the_floor_is_the_mean_over_draws():
    model, e = (
        additive({"funny": 2.0, "warm": 1.0, "dull": -1.0}),
        explanation("a funny warm dull film", [1, 2, 3, 4, 5]),
    )
    scores = measure_explanations(model, {"x": [e]}, [ProbabilityDrop(2), Direction()], draws=3, seed=4)
    (first,) = Random(4).explain(model, [e.document], [e.target])
    for metric in (ProbabilityDrop(2), Direction()):
        each = [measure(model, {"r": [draw]}, [metric])[metric.name, "r"] for draw in rotations(first, 3)]
        np.testing.assert_allclose(scores[metric.name, "random"].curve, np.mean([one.curve for one in each], axis=0))
        assert scores[metric.name, "random"].value == pytest.approx(np.mean([one.value for one in each]))


def test_with_as_many_draws_as_words_the_floor_of_the_top_word_has_no_luck():
    model = additive({"funny": 2.0, "dull": -1.0, "awful": -3.0})
    for seed in range(3):
        e = explanation("a funny dull awful film", [0] * 5)
        floor = measure_explanations(model, {"x": [e]}, [Direction()], seed=seed)["direction", "random"]
        assert floor.per_text[0] == pytest.approx(2 / 5)  # of five words two oppose the answer


def test_rotations_ask_less_than_orders_of_their_own():
    model, text = additive({"funny": 2.0}), " ".join(f"w{i}" for i in range(12))
    e = explanation(text, np.arange(12))
    asked = measure_explanations(model, {"x": [e]}, ["probability-drop", "posthoc-accuracy"], draws=12).forward_passes
    orders = [[explanation(text, np.random.default_rng(seed).random(12)) for seed in range(12)]]
    apart = measure(model, {"x": [e], "random": orders}, [ProbabilityDrop(), PosthocAccuracy()]).forward_passes
    assert asked < 0.8 * apart


def test_a_separate_judge_answers_instead_of_the_model():
    model, judge = Spy(additive({"funny": 1.0})), Spy(additive({"film": 1.0}))
    e = explanation("funny film", [1.0, 0.0])
    scores = measure_explanations(model, {"x": [e]}, [ProbabilityDrop(1)], judge=judge)
    assert not model.asked
    assert len(judge.asked) == scores.forward_passes
    assert scores["probability-drop", "x"].value == 0


def test_any_function_can_be_measured():
    def ask(texts):
        good = np.array(["funny" in text for text in texts]) * 0.8 + 0.1
        return np.stack([1 - good, good], axis=1)

    texts = ["a funny film", "a film"]
    scores = measure_explanations(ask, {"occlusion": explain(ask, texts, "occlusion")}, ["probability-drop"])
    np.testing.assert_allclose(scores["probability-drop", "occlusion"].curve[0, 0], 0.8)


def test_labels_may_be_written_as_words():
    def ask(texts):
        return np.tile([0.2, 0.8], (len(texts), 1))

    scores = measure_explanations(
        ask, {"x": explain(ask, ["a", "b"], "occlusion")}, ["accuracy-drop"], labels=["1", "0"]
    )
    assert scores["accuracy-drop", "x"].value == 0


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"explanations": {}}, "no explanations to measure"),
        ({"explanations": {"x": []}}, "no explanations to measure"),
        ({"draws": 0}, "drawn 0 times: give 1 or more"),
        ({"metrics": ["aopc"]}, "No 'aopc' in metrics"),
        ({"metrics": ["accuracy-drop"]}, "compares with gold labels"),
        ({"metrics": ["rationale-f1"]}, "compares with marked words"),
        ({"labels": ["good", "bad"]}, "1 texts and 2 labels"),
        ({"labels": ["god"]}, "Did you mean 'good'"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(given, sentence):
    asked = {"explanations": {"x": [explanation("film", [1.0])]}, **given}
    with pytest.raises(OptionError, match=sentence):
        measure_explanations(additive({}), **asked)
