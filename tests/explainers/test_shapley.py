import time

import numpy as np
import pytest
import torch
from captum.attr import ShapleyValues, ShapleyValueSampling

from contributing import contributing, keeps
from whyword.attribution.shapley.estimators import PermutationEstimator, Request
from whyword.attribution.shapley.exact import all_subsets, shapley_of_table
from whyword.attribution.surrogate import Surrogate
from whyword.data.words import split
from whyword.explainers.shapley import Shapley
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError


def words(count):
    return Document(split(" ".join(f"w{number}" for number in range(count))))


def additive(count, seed=0):
    weights = np.random.default_rng(seed).normal(size=count) * 0.3 / count
    return box(lambda kept: 0.5 + kept @ weights, count), weights


def bent(count, seed=0, strength=1.0):
    """Give a model with interactions of every order, and what it says of sub-texts."""
    generator = np.random.default_rng(seed)
    into, out = generator.normal(size=(count, 6)), strength * generator.normal(size=6)

    def ask(kept):
        return 1 / (1 + np.exp(-np.tanh(0.6 * (kept @ into - 1)) @ out))

    return box(ask, count), ask


def box(ask, count):
    """Make a model of the words w0, w1, … that counts what it is asked."""

    def predict(texts):
        kept = np.zeros((len(texts), count))
        for row, text in enumerate(texts):
            kept[row, [int(word[1:]) for word in text.split()]] = 1
        asked.extend(texts)
        good = np.asarray(ask(kept))
        return np.stack([1 - good, good], axis=1)

    asked: list[str] = []
    model = BlackBox(predict, ("bad", "good"))
    object.__setattr__(model, "asked", asked)
    return model


@pytest.mark.parametrize(
    ("count", "settings", "share"),
    [(6, {}, 1e-9), (6, {"samples": 3}, 1e-9), (14, {"samples": 1}, 1e-9), (14, {}, 0.01), (14, {"budget": 0.2}, 0.02)],
    ids=str,
)
def test_an_additive_model_has_its_weights(count, settings, share):
    model, weights = additive(count)
    (explanation,) = Shapley(**settings).explain(model, [words(count)], [1])
    np.testing.assert_allclose(explanation.scores, weights, atol=share * np.abs(weights).max())
    assert explanation.label == "good"
    assert explanation.signed


@pytest.mark.parametrize(
    "settings", [{}, {"samples": 1}, {"samples": 7}, {"samples": 20}, {"limit": 40}, {"budget": 0.01}], ids=str
)
@pytest.mark.parametrize("kind", ["lstm", "plain"])
def test_scores_add_up_exactly_to_the_rise_from_the_base_value(request, documents, kind, settings):
    classifier = request.getfixturevalue(kind)
    empty = float(classifier.probabilities([split("")])[0, 1])
    for explanation in Shapley(**settings).explain(classifier, documents[:2], [1, 1]):
        assert explanation.base_value == pytest.approx(empty, abs=1e-6)
        assert explanation.scores.sum() == pytest.approx(explanation.probability - explanation.base_value, abs=1e-12)


@pytest.mark.parametrize("kind", ["lstm", "plain"])
def test_texts_of_few_words_have_the_exact_values_of_captum(request, documents, kind):
    classifier = request.getfixturevalue(kind)
    document = Document(split(" ".join(documents[0].words.strings[:4])))
    (explanation,) = Shapley().explain(classifier, [document], [1])
    theirs = ShapleyValues(captum_model(classifier, document)).attribute(*captum_inputs(document), target=1)
    np.testing.assert_allclose(explanation.scores, theirs[0].numpy(), atol=1e-5)
    assert not explanation.std_error.any()
    assert explanation.converged == 1
    assert explanation.forward_passes == 2**4


def test_permutations_have_the_values_of_captum_on_the_same_permutations(lstm):
    document = Document(split("a warm and superb film with a dull and rather thin plot in it"))
    (explanation,) = Shapley(samples=6, seed=4).explain(lstm, [document], [1])
    estimator = PermutationEstimator(Request(document.words, 1, 5, 0.95, None, seed=4), samples=6)
    estimator.subsets()
    orders = np.argsort(estimator._places, axis=1).tolist()
    assert [order[::-1] for order in orders[::2]] == orders[1::2]
    sampling = ShapleyValueSampling(captum_model(lstm, document))
    sampling.permutation_generator = lambda *_: iter(orders)
    theirs = sampling.attribute(*captum_inputs(document), target=1, n_samples=6)
    np.testing.assert_allclose(explanation.scores, theirs[0].numpy(), atol=1e-5)


def captum_model(classifier, document):
    def ask(kept):
        return classifier.probabilities_of_subsets(document.words, kept.bool()).double()

    return ask


def captum_inputs(document):
    return torch.ones(1, len(document.words)), torch.zeros(1, len(document.words))


@pytest.mark.parametrize(
    ("settings", "share"),
    [({"samples": 40}, 0.01), ({}, 0.05), ({"limit": 150, "confidence": 1 - 1e-9}, 0.02)],
    ids=str,
)
def test_sampled_values_come_near_the_exact_ones(settings, share):
    model, ask = bent(13)
    truth = exact(ask, 13)
    (explanation,) = Shapley(**settings).explain(model, [words(13)], [1])
    assert ((explanation.scores - truth) ** 2).sum() < share * (truth**2).sum()


def exact(ask, count):
    return shapley_of_table(ask(all_subsets(count)), count)


@pytest.mark.parametrize("settings", [{"samples": 30}, {"limit": 90, "confidence": 0.999}], ids=str)
def test_standard_errors_cover_the_exact_values(settings):
    """Of 30 models x 12 words about 95 % lie within two errors; a false alarm below one in a thousand."""
    ratios = []
    for seed in range(30):
        model, ask = bent(12, seed)
        (explanation,) = Shapley(**settings, seed=seed).explain(model, [words(12)], [1])
        ratios.append((explanation.scores - exact(ask, 12)) / explanation.std_error)
    assert (np.abs(ratios) < 2).mean() > 0.88
    assert 0.6 < np.sqrt(np.mean(np.square(ratios))) < 1.3


def test_our_estimate_is_nearer_than_permutations_with_a_third_of_the_passes():
    ours, plain = [], []
    for seed in range(10):
        model, ask = bent(16, seed)
        truth = exact(ask, 16)
        few = Shapley(limit=90, confidence=0.9999, seed=seed).explain(model, [words(16)], [1])[0]
        many = Shapley(samples=18, seed=seed).explain(model, [words(16)], [1])[0]
        assert 3 * few.forward_passes <= many.forward_passes + 30
        ours.append(((few.scores - truth) ** 2).sum() / (truth**2).sum())
        plain.append(((many.scores - truth) ** 2).sum() / (truth**2).sum())
    assert np.mean(ours) < np.mean(plain)


@pytest.mark.parametrize("samples", [1, 2, 3, 10])
def test_the_number_of_samples_is_kept(samples):
    model, _ = bent(15)
    (explanation,) = Shapley(samples=samples).explain(model, [words(15)], [1])
    assert samples * 14 + 2 - 2 * samples <= explanation.forward_passes <= samples * 14 + 2
    assert (explanation.std_error is None) == (samples < 4)
    assert (explanation.converged is None) == (samples < 4)


@pytest.mark.parametrize("settings", [{}, {"samples": 30}, {"samples": 500}, {"budget": 0.05}], ids=str)
@pytest.mark.parametrize("count", [1, 2, 9, 11, 13])
def test_no_sub_text_is_asked_about_twice_and_all_are_counted(count, settings):
    model, _ = bent(count)
    (explanation,) = Shapley(**settings).explain(model, [words(count)])
    assert len(set(model.asked)) == len(model.asked) == explanation.forward_passes


@pytest.mark.parametrize("settings", [{}, {"samples": 10**6}], ids=str)
def test_a_budget_of_seconds_is_kept_and_used(monkeypatch, settings):
    """A sub-text takes a millisecond of a clock that stands still otherwise."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    _, ask = hard(25)

    def slow(kept):
        now[0] += 1e-3 * len(kept)
        return ask(kept)

    for budget in (0.2, 0.8):
        (explanation,) = Shapley(budget=budget, **settings).explain(box(slow, 25), [words(25)], [1])
        assert 0.7 * budget < explanation.seconds <= budget + 1e-9
        assert explanation.seconds == pytest.approx(1e-3 * explanation.forward_passes)


def test_a_budget_that_suffices_for_all_sub_texts_gives_the_exact_values():
    model, ask = hard(8)
    (explanation,) = Shapley(budget=60, top=4, confidence=1 - 1e-12).explain(model, [words(8)], [1])
    assert explanation.forward_passes == 2**8
    np.testing.assert_allclose(explanation.scores, exact(ask, 8), atol=1e-5)


def hard(count):
    """Give a model in which many words are alike, but not the same, and no surrogate fits."""

    def ask(kept):
        return 1 / (1 + np.exp(-np.sin(3 * kept @ np.linspace(1, 2, count))))

    return box(ask, count), ask


def test_easy_texts_stop_earlier_than_hard_ones():
    """One word decides the easy text; in the hard one many words are alike but not the same."""
    easy = box(lambda kept: 0.1 + 0.8 * kept[:, 3] + 0.001 * kept.mean(1), 30)
    first, second = (Shapley(top=1).explain(model, [words(30)], [1])[0] for model in (easy, hard(30)[0]))
    assert first.forward_passes < 150 < second.forward_passes
    assert first.converged >= 0.95
    assert first.ranking[0] == 3


def test_sampling_stops_once_the_top_is_settled_and_the_top_is_right():
    right = []
    for seed in range(12):
        model, ask = bent(13, seed)
        (explanation,) = Shapley(top=3, seed=seed).explain(model, [words(13)], [1])
        assert explanation.converged >= 0.95 or explanation.forward_passes >= 1900
        top = set(np.argsort(-exact(ask, 13))[:3])
        unsure = set(np.flatnonzero(explanation.tied))
        right.append(set(explanation.ranking[:3].tolist()) - unsure <= top)
    assert np.mean(right) > 0.9


def test_words_that_are_alike_are_tied():
    model = box(lambda kept: 0.2 + 0.5 * kept[:, 0] + 0.02 * kept[:, 1:].sum(1), 14)
    (explanation,) = Shapley(top=3).explain(model, [words(14)], [1])
    assert explanation.tied.tolist() == [False] + [True] * 13
    assert explanation.forward_passes < 400


@pytest.mark.parametrize("settings", [{}, {"samples": 5}], ids=str)
def test_a_text_gets_the_same_scores_alone_in_a_list_and_in_any_order(lstm, settings):
    texts = [
        "a superb film with a dull plot and a warm heart in it",
        "dull",
        "what a long and dull and thin film it is",
    ]
    documents = [Document(split(text)) for text in texts]
    together = Shapley(**settings).explain(lstm, documents)
    for document, explanation in zip(documents, together, strict=True):
        (alone,) = Shapley(**settings).explain(lstm, [document])
        assert alone.forward_passes == explanation.forward_passes
        np.testing.assert_allclose(alone.scores, explanation.scores, atol=1e-5)


def test_another_seed_draws_others():
    model, _ = bent(14)
    one, same, other = (Shapley(samples=3, seed=seed).explain(model, [words(14)], [1])[0] for seed in (1, 1, 2))
    assert np.array_equal(one.scores, same.scores)
    assert not np.array_equal(one.scores, other.scores)
    assert (one.seed, other.seed, one.explainer) == (1, 2, "shapley")


def test_two_classes_have_opposite_scores(lstm, documents):
    one, other = (Shapley(samples=4).explain(lstm, documents, [target] * len(documents)) for target in (0, 1))
    for first, second in zip(one, other, strict=True):
        np.testing.assert_allclose(first.scores, -second.scores, atol=1e-5)


def test_removal_reaches_the_model(lstm):
    document = Document(split("a superb film"))
    deleted, replaced = (Shapley(removal=how).explain(lstm, [document])[0] for how in ("delete", "unknown"))
    assert not np.allclose(deleted.scores, replaced.scores, atol=1e-6)


@pytest.mark.parametrize("settings", [{}, {"samples": 5}, {"budget": 0.1}], ids=str)
def test_texts_of_no_word_and_of_one_are_explained(lstm, settings):
    empty, single = Shapley(**settings).explain(lstm, [Document(split("")), Document(split("superb"))], [0, 0])
    assert len(empty.scores) == 0
    assert (empty.forward_passes, single.forward_passes) == (1, 2)
    assert empty.base_value == pytest.approx(empty.probability)
    np.testing.assert_allclose(single.scores, [single.probability - empty.probability], atol=1e-6)


def test_repeated_words_have_a_score_each():
    model = BlackBox(lambda texts: [[1 - 0.1 * len(t.split()), 0.1 * len(t.split())] for t in texts], ("bad", "good"))
    (explanation,) = Shapley().explain(model, [Document(split("good good good film"))], [1])
    np.testing.assert_allclose(explanation.scores, 0.1, atol=1e-9)
    assert explanation.tied is not None


@pytest.mark.parametrize(
    "settings", [{"limit": 100, "groups": None}, {"limit_in_groups": 100}, {"samples": 1}], ids=str
)
def test_a_text_of_5000_words_takes_bounded_passes(settings):
    count = 400 if "samples" in settings else 5000

    def ask(texts):
        good = np.array([min(1.0, len(text.split()) / count) for text in texts])
        return np.stack([1 - good, good], axis=1)

    document = Document(split(" ".join(["word"] * count)))
    (explanation,) = Shapley(**settings).explain(BlackBox(ask, ("bad", "good")), [document], [1])
    assert explanation.forward_passes <= (count + 1 if "samples" in settings else 100)
    np.testing.assert_allclose(explanation.scores, 1 / count, atol=1e-3 / count if "samples" in settings else 1 / count)
    assert explanation.scores.sum() == pytest.approx(1, abs=1e-9)


def test_no_documents_have_no_explanations(lstm):
    assert Shapley().explain(lstm, []) == []


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"samples": 0}, "samples"),
        ({"samples": "many"}, "samples"),
        ({"limit": 3}, "limit"),
        ({"limit": 10**6}, "limit"),
        ({"confidence": 1.0}, "confidence"),
        ({"top": 0}, "top"),
        ({"budget": 0.0}, "budget"),
    ],
    ids=str,
)
def test_settings_out_of_range_are_refused(settings, named):
    with pytest.raises(OptionError, match=f"shapley.{named} is"):
        Shapley(**settings)


def three_classes(count, seed=0):
    generator = np.random.default_rng(seed)
    into, bias = generator.normal(size=(count, 3)), generator.normal(size=3)

    def ask(kept):
        odds = np.exp(kept @ into + bias)
        return odds / odds.sum(1, keepdims=True)

    return BlackBox(lambda texts: ask(keeps(texts, count)), ("a", "b", "c")), ask


@pytest.mark.parametrize(
    ("count", "settings", "off"),
    [(6, {}, 1e-9), (13, {"samples": 30}, 0.05), (13, {"limit": 400, "confidence": 0.9999}, 0.02)],
    ids=str,
)
def test_every_class_is_scored_by_the_answers_to_one(count, settings, off):
    model, ask = three_classes(count)
    (explanation,) = Shapley(**settings).explain(model, [words(count)], [1])
    np.testing.assert_allclose(explanation.all_scores[1], explanation.scores, atol=1e-12)
    reached = explanation.base_values + explanation.all_scores.sum(1)
    np.testing.assert_allclose(reached, explanation.probabilities, atol=1e-12)
    assert explanation.base_value == explanation.base_values[1]
    table = ask(all_subsets(count).astype(float))
    for number in range(3):
        truth = shapley_of_table(table[:, number], count)
        np.testing.assert_allclose(explanation.all_scores[number], truth, atol=off)
    assert explanation.for_class("c", against="a").scores.sum() == pytest.approx(
        np.diff(explanation.probabilities[[0, 2]] - explanation.base_values[[0, 2]])[0], abs=1e-9
    )


@pytest.mark.parametrize("settings", [{}, {"samples": 3}], ids=str)
def test_a_text_without_words_has_base_values_of_every_class(settings):
    model, _ = three_classes(3)
    (explanation,) = Shapley(**settings).explain(model, [Document(split(""))])
    assert explanation.all_scores.shape == (3, 0)
    np.testing.assert_allclose(explanation.base_values, explanation.probabilities)


def logistic(count, seed=0):
    """Give a model that adds up log-odds, and its Shapley values."""
    surrogate = Surrogate(-0.3, np.random.default_rng(seed).normal(size=count))
    return surrogate, surrogate.shapley()


def test_contributions_that_are_right_need_few_pairs():
    ask, truth = logistic(24)
    model = contributing(ask, 24, truth)
    started, anew = (Shapley(start=start).explain(model, [words(24)], [1])[0] for start in ("own", None))
    assert started.forward_passes <= 1 + 2 * (1 + 12) < anew.forward_passes
    np.testing.assert_allclose(started.scores, truth, atol=2e-3)
    assert started.converged >= 0.95


def test_contributions_that_are_wrong_do_not_mislead():
    ask, truth = logistic(24)
    model = contributing(ask, 24, np.random.default_rng(0).permutation(truth))
    (started,) = Shapley().explain(model, [words(24)], [1])
    top = set(np.argsort(-truth)[:5])
    assert set(started.ranking[:5].tolist()) - set(np.flatnonzero(started.tied)) <= top
    assert started.scores.sum() == pytest.approx(started.probability - started.base_value, abs=1e-12)


def test_the_predicted_class_and_both_classes_are_explained_from_contributions():
    ask, truth = logistic(14)
    model = contributing(ask, 14, truth)
    (explanation,) = Shapley().explain(model, [words(14)])
    assert explanation.target == explanation.probabilities.argmax()
    sign = 1 if explanation.target == 1 else -1
    np.testing.assert_allclose(explanation.scores, sign * truth, atol=5e-3)
    np.testing.assert_allclose(explanation.all_scores[0], -explanation.all_scores[1], atol=1e-9)


@pytest.mark.parametrize(("count", "settings"), [(6, {}), (14, {"samples": 2})], ids=str)
def test_contributions_are_not_asked_for_where_they_would_not_help(count, settings):
    ask, truth = logistic(count)
    model = contributing(ask, count, truth)
    started, anew = (Shapley(start=start, **settings).explain(model, [words(count)])[0] for start in ("own", None))
    assert started.forward_passes == anew.forward_passes
    assert np.array_equal(started.scores, anew.scores)


def test_another_start_is_refused():
    with pytest.raises(OptionError, match=r"shapley\.start is 'lime'"):
        Shapley(start="lime")
