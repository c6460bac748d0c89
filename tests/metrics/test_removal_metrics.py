"""AOPC in its three forms, post-hoc accuracy in its two, and ERASER, against strings rewritten one by one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.spying import CLASSES, additive, explanation
from whyword.checks.samples import sample_classifier
from whyword.data.words import split
from whyword.evaluation.measure import measure
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.random import Random
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError
from whyword.metrics.accuracy_drop import AccuracyDrop
from whyword.metrics.comprehensiveness import Comprehensiveness
from whyword.metrics.mean_probability_drop import MeanProbabilityDrop
from whyword.metrics.posthoc_accuracy import PosthocAccuracy
from whyword.metrics.posthoc_accuracy_gold import PosthocAccuracyGold
from whyword.metrics.probability_drop import ProbabilityDrop
from whyword.metrics.sufficiency import Sufficiency

METRICS = (
    AccuracyDrop(),
    Comprehensiveness(),
    MeanProbabilityDrop(),
    PosthocAccuracy(),
    PosthocAccuracyGold(),
    ProbabilityDrop(),
    Sufficiency(),
)
TEXTS = (
    "a warm and funny film",
    "dull",
    "the plot is thin , the jokes are thinner",
    "we laughed and laughed and laughed",
)
WEIGHTS = {"warm": 1.0, "funny": 2.0, "dull": -2.0, "thin": -1.0, "thinner": -1.5, "laughed": 0.7, "plot": -0.1}


@pytest.fixture(scope="module")
def model():
    return sample_classifier()


@pytest.fixture(scope="module")
def explanations(model):
    labels = ("good", "bad", "fair", "bad")
    return Random().explain(model, [Document(split(t), label) for t, label in zip(TEXTS, labels, strict=True)])


@pytest.fixture(scope="module")
def scores(model, explanations):
    return measure(model, {"random": explanations}, METRICS)


def ask(model, words):
    """Predict one string alone."""
    return model.probabilities([split(" ".join(words))])[0].double().numpy()


def first_words(explanation, k):
    """Positions of the top k words, by a plain sort."""
    return sorted(range(len(explanation.words)), key=lambda i: (-explanation.scores[i], i))[:k]


def without(explanation, k):
    top = first_words(explanation, k)
    return [word for i, word in enumerate(explanation.words) if i not in top]


def only(explanation, k):
    return [explanation.words[i] for i in sorted(first_words(explanation, k))]


def brute_force(model, e, k):
    whole, rest, top = (ask(model, words) for words in (e.words, without(e, k), only(e, k)))
    target, gold = e.target, model.classes.index(e.document.label)
    drops = [whole[target] - ask(model, without(e, i))[target] for i in range(1, k + 1)]
    return {
        "probability-drop": whole[target] - rest[target],
        "mean-probability-drop": sum(drops) / (k + 1),
        "accuracy-drop": float(whole.argmax() == gold) - float(rest.argmax() == gold),
        "posthoc-accuracy": float(top.argmax() == whole.argmax()),
        "posthoc-accuracy-gold": float(top.argmax() == gold),
    }


@pytest.mark.parametrize("k", [1, 2, 5, 10])
def test_values_at_k_are_those_of_shortened_strings(model, explanations, scores, k):
    for row, e in enumerate(explanations):
        for name, value in brute_force(model, e, k).items():
            assert scores[name, "random"].curve[row, k - 1] == pytest.approx(value, abs=1e-5), name


def test_eraser_is_the_mean_over_shares_of_shortened_strings(model, explanations, scores):
    for row, e in enumerate(explanations):
        whole = ask(model, e.words)[e.target]
        counts = [max(1, math.ceil(share * len(e.words))) for share in (0.01, 0.05, 0.1, 0.2, 0.5)]
        removed = [whole - ask(model, without(e, k))[e.target] for k in counts]
        kept = [whole - ask(model, only(e, k))[e.target] for k in counts]
        for name, drops in (("comprehensiveness", removed), ("sufficiency", kept)):
            np.testing.assert_allclose(scores[name, "random"].curve[row], drops, atol=1e-5)
            assert scores[name, "random"].per_text[row] == pytest.approx(np.mean(drops), abs=1e-5)


def test_the_accuracy_drop_is_the_difference_of_two_accuracies(model, explanations, scores):
    gold = [model.classes.index(e.document.label) for e in explanations]
    before, after = (
        np.mean([ask(model, words).argmax() == label for words, label in zip(texts, gold, strict=True)])
        for texts in ([e.words for e in explanations], [without(e, 5) for e in explanations])
    )
    assert scores["accuracy-drop", "random"].value == pytest.approx(before - after)


@settings(max_examples=30)
@given(
    st.lists(st.sampled_from([*WEIGHTS, "film"]), min_size=0, max_size=14),
    st.integers(0, 1),
    st.integers(1, 12),
    st.randoms(use_true_random=False),
)
def test_e_varms_aopc_is_the_sum_of_vmasks_over_k_plus_one_and_half_of_it_at_one(words, target, k, random):
    e = explanation(" ".join(words), [random.random() for _ in words], target)
    plain, mean = (
        score.curve[0] for score in measure(additive(WEIGHTS), {"x": [e]}, [ProbabilityDrop(k), MeanProbabilityDrop(k)])
    )
    assert mean[k - 1] == pytest.approx(plain[:k].sum() / (k + 1))
    assert mean[0] == pytest.approx(plain[0] / 2)


def test_the_headline_is_at_k_and_the_curve_goes_on():
    e = explanation("warm funny film plot", [0.1, 0.9, 0.5, 0.2])
    (score,) = measure(additive(WEIGHTS), {"x": [e]}, [ProbabilityDrop(k=2, longest=4)])
    assert score.points == (1, 2, 3, 4)
    assert score.per_text[0] == score.curve[0, 1]
    assert ProbabilityDrop(k=20).points == tuple(range(1, 21))


def test_ties_go_to_the_earlier_word():
    e = explanation("funny dull", [0.5, 0.5])
    (score,) = measure(additive(WEIGHTS), {"x": [e]}, [ProbabilityDrop(k=1)])
    sigmoid = 1 / (1 + np.exp([0.0, 2.0]))  # of both words, and of dull alone
    assert score.value == pytest.approx(sigmoid[0] - sigmoid[1])


def test_a_text_of_fewer_words_than_k_gives_them_all():
    e = explanation("funny film", [0.5, 0.4], label="good")
    scores = measure(additive(WEIGHTS), {"x": [e]}, METRICS)
    assert scores["probability-drop", "x"].value == pytest.approx(1 / (1 + np.exp(-2.0)) - 0.5)
    assert scores["posthoc-accuracy", "x"].value == 1


def test_a_text_without_words_changes_nothing():
    scores = measure(additive(WEIGHTS), {"x": [explanation("", [], label="bad")]}, METRICS)
    assert scores["probability-drop", "x"].value == 0
    assert scores["comprehensiveness", "x"].value == 0
    assert scores["accuracy-drop", "x"].value == 0


def test_a_share_is_rounded_up_whatever_floats_say():
    e = explanation("film " * 30, np.arange(30.0))
    assert Comprehensiveness((0.01, 0.1, 0.5, 1.0)).counts(e) == [1, 3, 15, 30]


def test_a_separate_judge_is_asked_about_the_explained_class_by_its_name():
    turned = additive({word: -weight for word, weight in WEIGHTS.items()})
    judge = type(turned)(turned.predict_proba, CLASSES[::-1])  # the same model under the other order of classes
    e = explanation("funny film", [1.0, 0.0])
    (ours,) = measure(additive(WEIGHTS), {"x": [e]}, [ProbabilityDrop()])
    (theirs,) = measure(judge, {"x": [e]}, [ProbabilityDrop()])
    assert theirs.value == pytest.approx(ours.value)


@pytest.mark.parametrize(("metric", "whose"), [(ProbabilityDrop(), "speaks for"), (AccuracyDrop(), "a text has")])
def test_a_judge_of_another_task_is_refused(metric, whose):
    judge = type(additive({}))(lambda texts: np.full((len(texts), 2), 0.5), ("sports", "politics"))
    with pytest.raises(OptionError, match=f"sports, politics, but .*{whose} 'good'"):
        measure(judge, {"x": [explanation("film", [1.0], label="good")]}, [metric])


def test_texts_without_a_label_have_no_accuracy():
    scores = measure(additive(WEIGHTS), {"x": [explanation("film", [1.0])]}, [AccuracyDrop(), PosthocAccuracyGold()])
    assert all(np.isnan(score.value) for score in scores)


def test_words_that_truly_decide_beat_random_ones_on_every_metric():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice([*WEIGHTS, "film", "of", "the", "and", "a", "it"], 12)) for _ in range(60)]
    model = additive(WEIGHTS)
    documents = [Document(split(text)) for text in texts]
    truth = model.probabilities([d.words for d in documents]).argmax(1)
    documents = [Document(d.words, CLASSES[label]) for d, label in zip(documents, truth, strict=True)]
    found = measure(
        model, {"exact": Occlusion().explain(model, documents), "random": Random().explain(model, documents)}, METRICS
    )
    for (name, _), difference in found.differences().items():
        better = difference.low > 0 if found[name, "exact"].higher_is_better else difference.high < 0
        assert better, name
        assert difference.p < 0.01


@pytest.mark.parametrize("k", [0, -1])
def test_no_words_are_no_top_words(k):
    with pytest.raises(OptionError, match=f"k = {k}: give 1 word or more"):
        ProbabilityDrop(k)


@pytest.mark.parametrize("shares", [(), (0.0,), (0.5, 1.5)])
def test_what_is_no_share_is_refused(shares):
    with pytest.raises(OptionError, match="above 0 and up to 1"):
        Sufficiency(shares)
