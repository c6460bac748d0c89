"""Global word importance: gates, averages over occurrences, sums of explanations, and whether they follow frequency."""

import re
from collections import Counter, defaultdict
from copy import copy
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from whyword.catalog import make_explainer
from whyword.data.dataset import load_dataset
from whyword.data.words import split
from whyword.estimator import TextClassifier
from whyword.explainers.occlusion import Occlusion
from whyword.explaining import words
from whyword.explaining.inputs import draw
from whyword.explaining.stream import explain_documents
from whyword.explaining.words import (
    STRONGEST,
    FrequencyLink,
    frequency_link,
    importance_in,
    pick_texts,
    text_weights,
    word_importance,
)
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError, OptionError
from whyword.interfaces.explanation import Explainer, Explanation, WordImportance
from whyword.maths.stats.intervals import Estimate
from whyword.models.config import make_config
from whyword.models.train import train_model

DATA = load_dataset("planted:train=60,dev=10,test=10")


def train(method, encoder="bag", data=DATA, epochs=1, learning_rate=None, **vocabulary):
    settings = {"dim": 6} if encoder in ("bag", "lstm") else {}
    values = {"method": {"name": method}, "encoder": {"name": str(encoder), **settings}, "vocabulary": vocabulary}
    return train_model(
        make_config({**values, "training": {"epochs": epochs, "learning_rate": learning_rate}}), data
    ).classifier


@pytest.fixture(scope="module")
def gated():
    return train("vmask")


@pytest.fixture(scope="module")
def attending():
    return train("attention", "lstm")


@pytest.fixture(scope="module")
def plain():
    return train("base")


def documents(*texts):
    return [Document(split(text)) for text in texts]


def by_word(importance):
    return {row["word"]: (row["score"], row["frequency"]) for row in importance.rows()}


@pytest.mark.parametrize("method", ["vmask", "iba"])
def test_a_gate_scores_every_training_word_as_it_does_in_a_text(method):
    classifier = train(method)
    importance = word_importance(classifier)
    counts = Counter(word.lower() for document in DATA.train for word in document.words.strings)
    assert dict(zip(importance.words, importance.frequencies.tolist(), strict=True)) == counts
    alone, _, _ = classifier.own_scores([split(word) for word in importance.words])
    assert importance.scores == pytest.approx([float(scores[0]) for scores in alone], abs=1e-6)
    assert importance.source == f"the gate of {method}"


def test_l2x_scores_words_too_in_the_order_of_its_own_scores():
    classifier = train("l2x")
    importance = word_importance(classifier)
    text = split(" ".join(importance.words[:30]))
    own = classifier.own_scores([text])[0][0].numpy()
    assert np.argsort(-own, kind="stable").tolist() == np.argsort(-importance.scores[:30], kind="stable").tolist()


def test_special_tokens_are_no_words(gated):
    assert not {"[PAD]", "[UNK]", "[SEP]", "[MASK]"} & set(word_importance(gated).words)


def test_with_a_corpus_a_gate_tells_only_its_known_words_and_their_frequency_in_it(gated):
    whole = by_word(word_importance(gated))
    known = [word for word in whole if word.isalpha()][:2]
    corpus = documents(f"{known[0]} {known[1]} unseenword", f"{known[0].upper()}")
    assert by_word(word_importance(gated, corpus)) == {
        known[0]: (whole[known[0]][0], 2),
        known[1]: (whole[known[1]][0], 1),
    }
    with pytest.raises(DataError, match="no word that the model knows"):
        word_importance(gated, documents("unseenword"))


def test_case_is_kept_where_the_vocabulary_keeps_it():
    classifier = train("vmask", lowercase=False)
    whole = word_importance(classifier)
    capital = next(word for word in whole.words if word[0].isupper() and word.lower() in whole.words)
    found = word_importance(classifier, documents(f"{capital} {capital.lower()} {capital}"))
    assert {word: n for word, (_, n) in by_word(found).items()} == {capital: 2, capital.lower(): 1}


def collect(classifier, corpus, explainer):
    """Scores of the occurrences of each word: for each class that was scored, or for None."""
    found = defaultdict(lambda: defaultdict(list))
    for explanation in explain_documents(classifier, corpus, make_explainer(explainer, classifier)):
        rows = {explanation.label if explanation.signed else None: explanation.scores}
        if explanation.all_scores is not None:
            rows = dict(zip(explanation.classes, explanation.all_scores, strict=True))
        for label, scores in rows.items():
            for word, score in zip(explanation.words, scores, strict=True):
                found[label][word.lower()].append(score)
    return found


def test_scores_that_depend_on_the_text_are_averaged_over_all_occurrences(attending):
    importance = word_importance(attending, iter(DATA.test))
    expected = collect(attending, DATA.test, "own")[None]
    assert by_word(importance) == {word: (pytest.approx(np.mean(s)), len(s)) for word, s in expected.items()}
    assert importance.source == "the mean of the own scores of attention"
    assert importance.frequencies.tolist() == sorted(importance.frequencies, reverse=True)
    assert {row["class"] for row in importance.rows()} == {None}


@pytest.mark.parametrize(("reduce", "by"), [(None, np.mean), ("sum", np.sum), ("mean", np.mean)])
def test_the_signed_scores_of_any_explainer_are_summed_or_averaged_class_by_class(plain, reduce, by):
    importance = word_importance(plain, DATA.test, make_explainer("occlusion", plain), reduce)
    expected = collect(plain, DATA.test, "occlusion")
    table = dict(zip(importance.words, importance.all_scores.T, strict=True))
    for number, label in enumerate(plain.classes):
        for word, scores in expected[label].items():
            assert table[word][number] == pytest.approx(by(scores), abs=1e-12)
    counts = Counter(word.lower() for document in DATA.test for word in document.words.strings)
    assert dict(zip(importance.words, importance.frequencies.tolist(), strict=True)) == counts
    assert importance.source == f"the {reduce or 'mean'} of occlusion scores"
    assert importance.classes == plain.classes


def test_the_root_of_sp_lime_is_taken_over_the_strongest_words_of_each_text(plain):
    explainer = make_explainer("occlusion", plain)
    explanations = [replace(e, all_scores=None) for e in explain_documents(plain, DATA.test, explainer)]
    importance = importance_in(explanations, plain, "root", per_class=False)
    expected = defaultdict(float)
    for explanation in explanations:
        weights = defaultdict(float)
        for word, score in zip(explanation.words, explanation.scores, strict=True):
            weights[word.lower()] = max(weights[word.lower()], score, key=abs)
        for word in sorted(weights, key=lambda word: abs(weights[word]), reverse=True)[:10]:
            expected[word] += abs(weights[word])
    assert importance.source == "the root of the sum of absolute values of occlusion scores"
    counts = Counter(word.lower() for document in DATA.test for word in document.words.strings)
    wanted = {word: (pytest.approx(np.sqrt(expected[word])), counts[word]) for word in counts}
    assert by_word(importance) == wanted


CUISINE = ("bad", "good", "new")
WEIGHTS = {  # what each word adds to the probability of the three classes
    "worst": (0.2, -0.15, -0.05),
    "delicious": (-0.1, 0.2, -0.1),
    "hyped": (0.05, -0.15, 0.1),
    "the": (0.0, 0.0, 0.0),
}
BASE = (0.3, 0.4, 0.3)


def additive(texts):
    """The probabilities of a model in which words only add up, so that what each word does is known."""
    words = [text.lower().split() for text in texts]
    return np.array([np.sum([BASE, *(WEIGHTS[word] for word in found)], axis=0) for found in words])


@dataclass(frozen=True)
class Contributions(Explainer):
    """The scores of that model, for all classes at once or for the target only."""

    all_classes: bool = True
    name: str = "contributions"

    def explain(self, classifier, documents, targets=None):
        answers = classifier.probabilities([document.words for document in documents]).double().numpy()
        made = []
        for number, (document, answer) in enumerate(zip(documents, answers, strict=True)):
            target = int(answer.argmax()) if targets is None else targets[number]
            table = np.array([WEIGHTS[word.lower()] for word in document.words.strings]).T.reshape(3, -1)
            scores = table if self.all_classes else None
            one = Explanation(document, table[target], target, CUISINE, answer, self.name, all_scores=scores)
            made.append(one)
        return made


MEALS = ("The worst", "worst delicious the", "delicious the delicious", "Delicious hyped")


@pytest.fixture(scope="module")
def restaurant():
    return BlackBox(additive, CUISINE)


@pytest.mark.parametrize("reduce", ["sum", "mean", "root"])
def test_each_class_lists_the_words_that_speak_for_it_with_known_scores(restaurant, reduce):
    """Every occurrence of a word of an additive model has the same score; SP-LIME counts the texts it is in."""
    explanations = explain_documents(restaurant, documents(*MEALS), Contributions())
    importance = importance_in(explanations, restaurant, reduce)
    counts, texts = {"worst": 2, "delicious": 4, "hyped": 1, "the": 3}, {"worst": 2, "delicious": 3, "hyped": 1}
    expected = {}
    for word, weights in WEIGHTS.items():
        for label, weight in zip(CUISINE, weights, strict=True):
            if weight > 0:
                score = {"mean": weight, "root": np.sqrt(texts[word] * weight)}.get(reduce, counts[word] * weight)
                expected[label, word] = pytest.approx(score), counts[word]
    assert {(row["class"], row["word"]): (row["score"], row["frequency"]) for row in importance.rows()} == expected
    lists = {label: part.words for label, part in importance.by_class().items()}
    assert {label: set(words) for label, words in lists.items()} == {
        "bad": {"worst", "hyped"},
        "good": {"delicious"},
        "new": {"hyped"},
    }
    assert dict(zip(importance.words, importance.labels, strict=True)) == {
        "worst": "bad",
        "delicious": "good",
        "hyped": "new",
        "the": None,
    }


def test_occlusion_of_an_additive_model_finds_its_weights_class_by_class(restaurant):
    importance = importance_in(explain_documents(restaurant, documents(*MEALS), Occlusion()), restaurant, "mean")
    for row in importance.rows():
        assert row["score"] == pytest.approx(WEIGHTS[row["word"]][CUISINE.index(row["class"])], abs=1e-6)


def test_an_explainer_of_one_class_tells_of_a_class_by_the_texts_explained_for_it(restaurant):
    """The first text is taken for bad, the others for good: 'hyped' is never explained for new."""
    explanations = list(explain_documents(restaurant, documents(*MEALS), Contributions(all_classes=False)))
    assert [explanation.label for explanation in explanations] == ["bad", "good", "good", "good"]
    rows = list(importance_in(explanations, restaurant, "mean").rows())
    assert [(row["class"], row["word"], pytest.approx(row["score"])) for row in rows] == [
        ("bad", "worst", 0.2),
        ("good", "delicious", 0.2),
    ]


def test_one_list_holds_the_scores_for_the_predicted_classes_as_in_the_paper(restaurant):
    explanations = list(explain_documents(restaurant, documents(*MEALS), Contributions()))
    importance = importance_in(explanations, restaurant, "sum", per_class=False)
    assert by_word(importance) == {
        "delicious": (pytest.approx(4 * 0.2), 4),
        "worst": (pytest.approx(0.2 - 0.15), 2),
        "the": (0.0, 3),
        "hyped": (pytest.approx(-0.15), 1),
    }
    assert importance.classes == ()


def test_a_transformer_is_averaged_over_a_corpus_and_words_beyond_its_limit_count_too(tiny_bert):
    classifier = train("vmask", tiny_bert, load_dataset("planted:train=8,dev=4,test=4"))
    with pytest.raises(OptionError, match="give one"):
        word_importance(classifier)
    long = documents("ab " * 60 + "cd", "cd AB")
    assert classifier.truncated_words([long[0].words]) > [1]
    found = by_word(word_importance(classifier, long))
    assert {word: frequency for word, (_, frequency) in found.items()} == {"ab": 61, "cd": 2}
    expected = collect(classifier, long, "own")[None]
    assert min(expected["ab"] + expected["cd"]) > 0.01  # a gate is never 0, so each of them was read
    assert found["ab"][0] == pytest.approx(np.mean(expected["ab"]))


def test_the_planted_words_rank_above_the_others_after_some_training():
    """A random ranking of 15 among 180 words has an area under the curve of 0.5 with a deviation of 0.08."""
    data = load_dataset("planted:easy,train=400,dev=100,test=10")
    importance = word_importance(train("vmask", data=data, epochs=30, learning_rate=0.01)).at_least(10)
    marked = Counter()
    for document in data.train:
        marked.update(w.lower() for w, m in zip(document.words.strings, document.rationale_words, strict=True) if m)
    planted = [marked[w] > n / 2 for w, n in zip(importance.words, importance.frequencies, strict=True)]
    assert roc_auc_score(planted, importance.scores) > 0.95


def with_contributions(classifier):
    method = copy(classifier.method)
    method.contributions = object()
    return replace(classifier, method=method)


def test_contributions_come_before_gates_where_there_are_texts(gated, plain, monkeypatch):
    monkeypatch.setattr(words, "Own", lambda: Occlusion(name="own"))  # stands for contributions: signed, every class
    contributing = with_contributions(gated)
    assert word_importance(contributing).source == "the gate of vmask"
    found = word_importance(contributing, DATA.test)
    assert found.source == "the mean of the contributions of vmask"
    assert found.classes == gated.classes
    assert word_importance(contributing, DATA.test, reduce="sum").source == "the sum of the contributions of vmask"
    assert word_importance(with_contributions(plain), DATA.test).source == "the mean of the contributions of base"
    with pytest.raises(OptionError, match=r"this 'base' model depend on the text a word stands in.*give one"):
        word_importance(with_contributions(plain))


def test_what_cannot_be_answered_is_refused_with_a_way_out(gated, attending, plain):
    with pytest.raises(OptionError, match="'base' has no word scores of its own: train with the method vmask, or sum"):
        word_importance(plain)
    with pytest.raises(OptionError, match=r"depend on the text a word stands in.*give one"):
        word_importance(attending)
    with pytest.raises(OptionError, match="'occlusion' needs texts to explain"):
        word_importance(plain, None, make_explainer("occlusion", plain))
    with pytest.raises(OptionError, match="nothing to mean: leave --reduce out"):
        word_importance(gated, None, None, "mean")
    with pytest.raises(OptionError, match="No 'max'"):
        word_importance(gated, None, None, "max")
    with pytest.raises(DataError, match="holds no words"):
        word_importance(attending, documents("", " "))


@pytest.mark.parametrize(("texts", "size"), [(20, 6), (2, 1)])
def test_a_draw_keeps_the_order_and_every_document_is_as_likely(texts, size):
    """False alarms: a count may lie five standard deviations off; 22 counts, 1 in 80,000."""
    corpus = documents(*"abcdefghijklmnopqrst"[:texts])
    drawn = [[d.words.texts[0] for d in draw(iter(corpus), size, seed)] for seed in range(1000)]
    assert all(names == sorted(set(names)) and len(names) == size for names in drawn)
    counts = Counter(name for names in drawn for name in names)
    share = size / texts
    assert len(counts) == texts
    assert max(abs(count - 1000 * share) for count in counts.values()) < 5 * np.sqrt(1000 * share * (1 - share))


def test_the_same_seed_draws_the_same_and_no_more_than_there_is():
    corpus = documents(*"abcdefghij")
    assert draw(corpus, 6, 3) == draw(corpus, 6, 3) != draw(corpus, 6, 4)
    assert draw(corpus, 50, 0) == corpus


def test_the_estimator_gives_the_same_answer(gated):
    classifier = TextClassifier(method="vmask", encoder="bag")
    classifier.model_ = type("Model", (), {"classifier": gated})()
    assert by_word(classifier.word_importance()) == by_word(word_importance(gated))
    texts = [document.words.texts[0] for document in DATA.test]
    assert by_word(classifier.word_importance(texts)) == by_word(word_importance(gated, DATA.test))
    summed = classifier.word_importance(texts, explainer="occlusion", reduce="mean")
    assert summed.source == "the mean of occlusion scores"


def test_the_python_of_the_documentation_runs(plain):
    page = (Path(__file__).parents[2] / "docs" / "words.md").read_text(encoding="utf-8")
    clf = TextClassifier(encoder="bag")
    clf.model_ = type("Model", (), {"classifier": plain})()
    names = {"clf": clf, "texts": [document.words.texts[0] for document in DATA.test]}
    for code in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(code, names)
    assert names["importance"].classes == plain.classes


def importance(scores, frequencies):
    return WordImportance(tuple(map(str, range(len(scores)))), np.array(scores), np.array(frequencies), "a test")


@pytest.mark.parametrize(
    ("pearson", "spearman", "meaning"),
    [
        ((0.02, -0.01, 0.05), (0.01, -0.02, 0.04), "no sign that importance follows frequency"),
        ((-0.05, -0.07, -0.03), (0.01, -0.02, 0.04), "importance does not simply follow frequency"),
        ((0.05, 0.03, 0.07), (0.2, 0.18, 0.22), "leans a little towards frequent words"),
        ((-0.4, -0.45, -0.35), (0.2, 0.18, 0.22), "leans clearly towards rare words"),
    ],
)
def test_the_stronger_correlation_decides_what_the_sentence_says(pearson, spearman, meaning):
    sentence = str(FrequencyLink(Estimate(*pearson), Estimate(*spearman)))
    assert meaning in sentence
    assert f"r = {pearson[0]:.3f} [{pearson[1]:.3f}, {pearson[2]:.3f}]" in sentence


def test_equal_scores_cannot_be_correlated():
    link = frequency_link(importance([0.5, 0.5], [1, 2]))
    assert link.to_dict() == {"pearson": None, "spearman": None, "meaning": str(link)}
    assert "cannot be correlated" in str(link)


def test_importance_that_is_frequency_is_seen_as_such():
    link = frequency_link(importance([1.0, 2.0, 3.0, 4.0, 5.0], [10, 20, 30, 40, 50]))
    assert (link.pearson.value, link.spearman.value) == pytest.approx((1.0, 1.0))
    assert "leans clearly towards frequent words" in str(link)


def explained(*pairs):
    """Make an explanation of a text of (word, score) pairs."""
    document = Document(split(" ".join(word for word, _ in pairs)))
    scores = np.array([score for _, score in pairs], dtype=float)
    return Explanation(document, scores, 0, ("a", "b"), np.array([0.5, 0.5]), "lime")


SCORES = st.floats(-1, 1).map(lambda score: round(score, 3))
TEXTS = st.lists(
    st.lists(st.tuples(st.sampled_from("abcdefghij"), SCORES), max_size=5).map(lambda pairs: explained(*pairs)),
    min_size=1,
    max_size=7,
)


def table(explanations):
    """W, as a literal reading has it."""
    names = sorted({word.lower() for explanation in explanations for word in explanation.words})
    rows = np.zeros((len(explanations), len(names)))
    for i, explanation in enumerate(explanations):
        for word, score in zip(explanation.words, explanation.scores, strict=True):
            place = i, names.index(word.lower())
            rows[place] = score if abs(score) > abs(rows[place]) else rows[place]
    return rows


def coverage(weights, picked):
    importance = np.sqrt(abs(weights).sum(0))
    return float(sum(importance[j] for j in range(weights.shape[1]) if any(weights[i, j] != 0 for i in picked)))


@given(TEXTS, st.integers(1, 8))
def test_each_pick_adds_most_to_the_coverage(explanations, count):
    weights = table(explanations)
    picked = pick_texts(explanations, count)
    assert len(picked) == len(set(picked)) == min(count, len(explanations))
    for number, chosen in enumerate(picked):
        before = picked[:number]
        gains = {i: coverage(weights, [*before, i]) for i in range(len(explanations)) if i not in before}
        assert gains[chosen] == pytest.approx(max(gains.values()), rel=1e-5)  # nearer ones tie


@given(TEXTS, st.integers(1, 4))
def test_a_pick_covers_at_least_1_minus_1_over_e_of_the_best_one(explanations, count):
    weights = table(explanations)
    count = min(count, len(explanations))
    best = max(coverage(weights, chosen) for chosen in combinations(range(len(explanations)), count))
    assert coverage(weights, pick_texts(explanations, count)) >= (1 - 1 / np.e) * best - 1e-9


def test_greed_is_not_always_best_but_near_it():
    """The first text covers most, but the second and third cover all together."""
    explanations = [
        explained(("b", 1), ("c", 1), ("d", 1), ("e", 1)),
        explained(("a", 1), ("b", 1), ("c", 1)),
        explained(("d", 1), ("e", 1), ("f", 1)),
    ]
    assert pick_texts(explanations, 2) == [0, 1]


def test_the_same_texts_as_the_package_of_the_authors():
    submodular_pick = pytest.importorskip("lime.submodular_pick")
    generator = np.random.default_rng(0)
    words = [f"w{letter}{other}" for letter in "abcdef" for other in "ghijk"]
    explanations = []
    for _ in range(40):
        chosen = generator.choice(words, generator.integers(1, 9), replace=False)
        explanations.append(explained(*((word, generator.normal()) for word in chosen)))
    theirs = [
        SimpleNamespace(
            mode="classification",
            available_labels=lambda: [0],
            as_list=lambda label, e=explanation: e.top(STRONGEST),
        )
        for explanation in explanations
    ]
    explainer = SimpleNamespace(explain_instance=lambda row, *_, **__: theirs[row])
    picked = submodular_pick.SubmodularPick(explainer, np.arange(40), None, method="full", num_exps_desired=6)
    assert pick_texts(explanations, 6) == picked.V


def test_a_repeated_word_counts_once_for_a_text_with_its_strongest_score():
    assert text_weights(explained(("Good", 0.25), ("good", -0.5), ("bad", -0.75))) == {"good": -0.5, "bad": -0.75}
    assert text_weights(explained(("Good", 0.25), ("good", 0.5)), lowercase=False) == {"good": 0.5, "Good": 0.25}
    assert text_weights(explained(("good", 0.0), ("good", 0.0))) == {}


def test_texts_that_add_the_same_up_to_rounding_are_picked_in_their_order():
    for scale in (1.0, 1e-9):
        some = [
            explained(("a", scale)),
            explained(("b", scale * (1 + 1e-7))),
            explained(("c", scale), ("d", scale)),
        ]
        assert pick_texts(some, 3) == [2, 0, 1]


def test_only_the_strongest_words_of_a_text_count():
    weights = text_weights(explained(*((letter, -number) for number, letter in enumerate("abcdefghijkl"))))
    assert "".join(weights) == "lkjihgfedc"


@pytest.mark.parametrize("texts", [[], [explained()], [explained(("a", 0)), explained()]])
def test_texts_that_show_nothing_are_picked_in_their_order(texts):
    assert pick_texts(texts, 5) == list(range(len(texts)))
