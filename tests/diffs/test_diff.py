import json
import math
import re
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import kendalltau

from whyword import TextClassifier
from whyword.data.planted import planted
from whyword.data.words import split
from whyword.diffs.diff import diff, diff_models, shared_explainer
from whyword.explainers.occlusion import Occlusion
from whyword.explaining.cache import ExplanationCache
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError, ModelError, OptionError
from whyword.interfaces.explanation import Explainer
from whyword.maths.stats.intervals import share_interval

OLD = {"superb": 2.0, "good": 1.0, "dull": -2.0, "bad": -1.0, "film": 0.1, "plot": -0.1, "cast": 0.05}
NEW = {**OLD, "superb": -2.0, "cast": 1.5}
TEXTS = [
    "a superb film with a good plot",
    "a dull film with a bad plot",
    "the cast was good but the film was bad",
    "Superb superb cast in the film today",
    "good film",
    "",
]
GOLD = ["pos", "neg", "pos", "pos", "pos", "neg"]
DOCUMENTS = [Document(split(text), label) for text, label in zip(TEXTS, GOLD, strict=True)]


def by_weights(weights, classes=("neg", "pos")):
    """A model whose answer is the sigmoid of the sum of its words' weights."""

    def predict(texts):
        sums = np.array([sum(weights.get(word.lower(), 0.0) for word in split(text).strings) for text in texts])
        positive = 1 / (1 + np.exp(-sums))
        table = {"neg": 1 - positive, "pos": positive}
        return np.stack([table[name] for name in classes], axis=1)

    return BlackBox(predict, classes)


@pytest.fixture(scope="module")
def trained():
    documents = planted("easy,train=120,dev=0,test=40")
    texts, labels = zip(*((document.words.texts[0], document.label) for document in documents.train), strict=True)

    def fit(method, seed):
        settings = {"epochs": 4, "learning_rate": 0.05, "random_state": seed, "contributions": False}
        classifier = TextClassifier(method, "bag", **settings)
        return classifier.fit(list(texts), list(labels))

    return {
        "attention": fit("attention", 0),
        "again": fit("attention", 0),
        "other seed": fit("attention", 1),
        "vmask": fit("vmask", 0),
        "base": fit("base", 0),
    }, documents.test


def test_a_model_and_itself_differ_in_nothing(trained):
    models, documents = trained
    for explainer in ("own", "occlusion", "integrated-gradients"):
        found = diff_models(models["attention"], models["again"], documents, explainer)
        assert found.predictions_changed.value == 0
        assert found.reasons_changed.value == 0
        assert found.accuracy.change.value == 0
        assert all((text.shared, text.overlap, text.tau) == (1, 1, 1) for text in found.texts)
        assert all(text.shift == 0 and not text.moved() for text in found.texts)
        assert all(word.change == 0 for word in found.words)


@pytest.mark.parametrize("bias", [0.0, 8.0, -8.0])
def test_the_last_digits_of_a_model_are_no_difference(bias):
    """Answers that are near 1 leave scores of few digits, and those of other calls have other last digits."""
    weights = {**OLD, **{f"w{i}": 0.02 * (i % 7) for i in range(20)}}
    documents = [*DOCUMENTS, *(Document(split(" ".join(f"w{(i * k) % 20}" for i in range(12)))) for k in (1, 3, 7))]
    calls = np.random.default_rng(0)

    def predict(texts):
        sums = np.array([bias + sum(weights.get(word.lower(), 0.0) for word in split(text).strings) for text in texts])
        positive = (1 / (1 + np.exp(-sums))).astype(np.float32)
        wobble = calls.integers(-1, 2, len(texts)) * np.float32(2**-24)
        return np.stack([1 - positive - wobble, positive + wobble], axis=1)

    model = BlackBox(predict, ("neg", "pos"))
    for explainer in ("occlusion", "lime", "shapley"):
        found = diff_models(model, model, documents, explainer)
        assert found.predictions_changed.value == found.reasons_changed.value == 0
        assert all(text.distance == text.shift == 0 for text in found.texts)
        assert all(text.shared == text.overlap == 1 for text in found.texts if text.reason_changed is not None)
        assert all(text.tau == 1 or math.isnan(text.tau) for text in found.texts)


def test_every_number_of_a_text_is_that_of_a_literal_computation():
    found = diff_models(by_weights(OLD), by_weights(NEW), DOCUMENTS, "occlusion", top=2)
    for document, text in zip(DOCUMENTS, found.texts, strict=True):
        words = document.words.strings
        sigmoids = []
        for weights in (OLD, NEW):
            total = sum(weights.get(word.lower(), 0) for word in words)
            sigmoids.append(1 / (1 + math.exp(-total)))
        assert text.old_label == ("pos" if sigmoids[0] > 0.5 else "neg")
        assert text.new_label == ("pos" if sigmoids[1] > 0.5 else "neg")
        assert text.new_probability == pytest.approx(max(sigmoids[1], 1 - sigmoids[1]))
        assert text.distance == pytest.approx(abs(sigmoids[0] - sigmoids[1]))
        shares = []
        for weights in (OLD, NEW):
            scores = []
            for left_out in range(len(words)):
                rest = [word for i, word in enumerate(words) if i != left_out]
                answers = [
                    1 / (1 + math.exp(-sum(weights.get(w.lower(), 0) for w in some))) for some in (list(words), rest)
                ]
                scores.append((answers[0] - answers[1]) * (1 if text.old_label == "pos" else -1))
            total = sum(map(abs, scores)) or 1
            shares.append([score / total for score in scores])
        assert text.old_scores == pytest.approx(shares[0], abs=1e-5)
        assert text.new_scores == pytest.approx(shares[1], abs=1e-5)
        assert text.shift == pytest.approx(sum(abs(a - b) for a, b in zip(*shares, strict=True)) / 2, abs=1e-5)
        if len(words) <= 2:
            assert text.reason_changed is None
            assert math.isnan(text.shared)
            continue
        tops = [sorted(range(len(words)), key=lambda i, s=s: -round(s[i], 6))[:2] for s in shares]
        assert text.overlap == len({*tops[0]} & {*tops[1]}) / 2
        kept = [{i: s[i] for i in top if s[i] > 1e-9} for s, top in zip(shares, tops, strict=True)]
        sums = [sum(scores.values()) for scores in kept]
        shared = sum(min(kept[0][i] / sums[0], kept[1][i] / sums[1]) for i in kept[0].keys() & kept[1].keys())
        assert text.shared == pytest.approx(shared, abs=1e-5)
        assert text.reason_changed == (shared < 0.5)
        assert text.tau == pytest.approx(kendalltau(*(np.round(s, 6) for s in shares)).statistic, abs=1e-9)


def test_shares_and_accuracies_are_counted_with_their_intervals():
    found = diff_models(by_weights(OLD), by_weights(NEW), DOCUMENTS, "occlusion", top=2)
    changed = sum(text.old_label != text.new_label for text in found.texts)
    assert changed
    share = found.predictions_changed
    assert (share.value, share.low, share.high) == (changed / 6, *share_interval(changed, 6))
    known = [text.reason_changed for text in found.texts if text.reason_changed is not None]
    assert len(known) == 4  # the others have no more words than the top
    assert found.reasons_changed.value == sum(known) / 4
    right = [[getattr(t, f"{m}_label") == g for t, g in zip(found.texts, GOLD, strict=True)] for m in ("old", "new")]
    assert found.accuracy.old.value == np.mean(right[0])
    assert found.accuracy.new.value == np.mean(right[1])
    assert found.accuracy.change.value == pytest.approx(np.mean(right[1]) - np.mean(right[0]))


def test_weak_words_at_the_end_of_the_top_do_not_make_another_reason():
    strong = {"superb": 3.0}
    old, new = {**strong, "film": 0.02, "plot": 0.01}, {**strong, "with": 0.02, "good": 0.01}
    found = diff_models(by_weights(old), by_weights(new), DOCUMENTS[:1], "occlusion", top=3)
    assert found.texts[0].overlap == pytest.approx(1 / 3)
    assert found.texts[0].shared > 0.95
    assert found.texts[0].reason_changed is False


def test_a_model_in_which_no_word_speaks_for_the_old_class_shares_nothing():
    found = diff_models(by_weights({"superb": 2.0}), by_weights({"superb": -2.0}), DOCUMENTS[:1], "occlusion")
    assert found.texts[0].prediction_changed
    assert found.texts[0].shared == 0
    silent = by_weights({"superb": 0.0})
    assert diff_models(silent, silent, DOCUMENTS[:1], "occlusion").texts[0].shared == 1


def test_words_are_averaged_over_all_their_places_for_a_class_and_case_is_ignored():
    found = diff_models(by_weights(OLD), by_weights(NEW), DOCUMENTS, "occlusion")
    sums: dict[str, list[tuple[float, float]]] = {}
    for text in found.texts:
        sign = 1 if text.old_label == "pos" else -1  # what speaks for one class speaks as much against the other
        for word, old, new in zip(text.document.words.strings, text.old_scores, text.new_scores, strict=True):
            sums.setdefault(word.lower(), []).append((sign * old, sign * new))
    assert {word.word for word in found.words} == sums.keys()
    for word in found.words:
        assert word.count == len(sums[word.word])
        for_pos = np.mean(sums[word.word], axis=0)
        assert (word.old, word.new) == pytest.approx(tuple(for_pos if word.label == "pos" else -for_pos), abs=1e-5)
    sizes = [abs(word.change) for word in found.words]
    assert sizes == pytest.approx(sorted(sizes, reverse=True), abs=1e-6)
    assert all(word.count >= 3 for word in found.most_moved(3, min_count=3))


THREE = ("bad", "good", "new")


def adding(weights):
    """A model of three classes in which every word adds what is known to their probabilities."""

    def predict(texts):
        added = [[weights.get(word.lower(), (0, 0, 0)) for word in split(text).strings] for text in texts]
        return np.array([np.sum([(0.3, 0.3, 0.4), *words], axis=0) for words in added])

    return BlackBox(predict, THREE)


BEFORE = {"awful": (0.2, -0.1, -0.1), "cheap": (-0.05, 0.1, -0.05), "odd": (0.02, -0.01, -0.01), "fine": (-0.1, 0.1, 0)}
AFTER = {**BEFORE, "cheap": (0.08, -0.04, -0.04), "odd": (-0.01, 0.02, -0.01), "fine": (-0.1, 0.02, 0.08)}
MEALS = [Document(split(text)) for text in ("awful cheap odd fine", "cheap fine", "Awful cheap the", "odd fine awful")]


def test_a_word_that_speaks_for_another_class_now_is_found_with_the_shares_of_an_additive_model():
    """Occlusion of an additive model finds its weights, so all shares are known."""
    found = diff_models(adding(BEFORE), adding(AFTER), MEALS, "occlusion")
    words = {change.word: change for change in found.words}
    targets = [THREE.index(text.old_label) for text in found.texts]
    for word, change in words.items():
        shares = []
        for weights in (BEFORE, AFTER):
            rows = []
            for document, target in zip(MEALS, targets, strict=True):
                strings = [string.lower() for string in document.words.strings]
                size = sum(abs(weights.get(string, (0, 0, 0))[target]) for string in strings) or 1
                rows += [np.array(weights.get(string, (0, 0, 0))) / size for string in strings if string == word]
            shares.append(np.mean(rows, axis=0))
        number = 0 if change.label is None else THREE.index(change.label)
        assert (change.old, change.new) == pytest.approx((shares[0][number], shares[1][number]), abs=1e-4)
        moves = abs(shares[1] - shares[0])[np.maximum(*shares) > 0]  # for the classes it speaks for in either model
        assert abs(change.change) == pytest.approx(moves.max(initial=0), abs=1e-3)
    assert [(change.word, change.old_class, change.new_class) for change in found.turned(1)] == [
        ("cheap", "good", "bad"),
        ("fine", "good", "new"),
    ]
    assert not words["awful"].turned
    assert words["odd"].old_class is None  # too weak to speak of
    assert found.turned(4) == []
    assert found.to_dict()["words"][0].keys() >= {"class", "old_class", "new_class", "turned"}


def test_every_word_of_a_text_has_the_class_it_speaks_for_in_each_model():
    found = diff_models(adding(BEFORE), adding(AFTER), MEALS, "occlusion")
    text = found.texts[1].to_dict()
    assert text["words"] == ["cheap", "fine"]
    assert text["old_label"] == "good"
    assert (text["old_classes"], text["new_classes"]) == (["good", "good"], ["bad", "good"])
    assert found.classes == THREE
    assert "words turned         0 of those that occur 5 times or more" in str(found)
    again = diff_models(adding(BEFORE), adding(AFTER), MEALS * 2, "occlusion")
    assert "words turned         2 of those that occur 5 times or more: " in str(again)
    assert "cheap (good → bad)" in str(again)


def test_weights_speak_for_no_class(trained):
    models, documents = trained
    found = diff_models(models["attention"], models["other seed"], documents, "own")
    assert not found.signed
    assert {label for text in found.texts for label in (*text.old_classes, *text.new_classes)} == {None}
    assert {(word.label, word.old_class, word.new_class) for word in found.words} == {(None, None, None)}
    assert found.turned(1) == []
    assert "words turned" not in str(found)


@dataclass(frozen=True)
class SignedForSome(Explainer):
    """Own scores as they are where some models have contributions and others have weights."""

    needs_open = True
    contributing: tuple[object, ...] = ()
    name: str = "own"

    def explain(self, classifier, documents, targets=None):
        explanations = Occlusion().explain(classifier, documents, targets)
        signed = any(classifier is model for model in self.contributing)
        return [replace(explanation, signed=signed) for explanation in explanations]


def test_weights_are_never_compared_with_scores_for_classes(trained):
    models, documents = trained
    old, new = (models[name].model_.classifier for name in ("attention", "vmask"))
    for contributing, sentence in (
        ((old,), "words of one speak for classes, while those of two have weights"),
        ((new,), "words of two speak for classes, while those of one have weights"),
    ):
        with pytest.raises(OptionError, match=sentence):
            diff_models(old, new, documents[:2], SignedForSome(contributing), names=("one", "two"))
    assert diff_models(old, new, documents[:2], SignedForSome((old, new))).signed
    assert not diff_models(old, new, documents[:2], SignedForSome()).signed


def test_a_word_whose_vector_is_wiped_out_moves_most(trained, tmp_path):
    models, documents = trained
    old = models["attention"].model_
    counts = diff_models(old, old, documents, "occlusion").words
    word = max((w for w in counts if w.count >= 2), key=lambda w: w.old).word
    models["attention"].save(tmp_path / "model")
    new = TextClassifier.load(tmp_path / "model")
    number = new.model_.classifier.tokenizer.token_strings().index(word)
    with torch.no_grad():
        table = next(p for name, p in new.model_.classifier.method.named_parameters() if "embedding" in name)
        table[number] = 0
    found = diff_models(old, new, documents, "occlusion")
    assert found.most_moved(1, min_count=2)[0].word == word
    assert any(word in [name.lower() for name, _, _ in text.moved(2)] for text in found.most_changed(3))


def test_classes_may_come_in_another_order():
    same = diff_models(by_weights(OLD), by_weights(OLD, ("pos", "neg")), DOCUMENTS, "occlusion")
    assert same.predictions_changed.value == 0
    assert all(text.distance == pytest.approx(0, abs=1e-7) for text in same.texts)
    assert all(text.shift == pytest.approx(0, abs=1e-5) for text in same.texts)


def test_other_classes_are_refused_by_the_names_of_both_models():
    three = BlackBox(lambda texts: np.full((len(texts), 3), 1 / 3), ("neg", "pos", "mixed"))
    for models in ((by_weights(OLD), three), (three, by_weights(OLD))):
        with pytest.raises(ModelError, match="the class mixed") as error:
            diff_models(*models, DOCUMENTS, names=("first/model", "second/model"))
        assert "first/model" in str(error.value)
        assert "second/model" in str(error.value)


def test_three_classes_are_compared_for_the_class_that_the_old_model_predicts():
    generator = np.random.default_rng(0)
    tables = generator.random((2, 40, 3))

    def model(table):
        def predict(texts):
            sums = np.array([sum(table[len(word) % 40] for word in split(text).strings) for text in texts])
            powers = np.exp(sums.reshape(len(texts), -1) if sums.any() else np.zeros((len(texts), 3)))
            return powers / powers.sum(1, keepdims=True)

        return BlackBox(predict, ("a", "b", "c"))

    documents = [
        Document(split("one three five seventeen twelve ninety")),
        Document(split("a bb ccc dddd eeeee ffffff")),
    ]
    old, new = model(tables[0]), model(tables[1])
    found = diff_models(old, new, documents)
    targets = [int(row.argmax()) for row in old.probabilities([d.words for d in documents])]
    literal = Occlusion().explain(new, documents, targets)
    for text, explanation in zip(found.texts, literal, strict=True):
        assert text.new_scores == pytest.approx(explanation.scores / abs(explanation.scores).sum(), abs=1e-5)
    assert found.accuracy is None


def test_the_explainer_is_own_only_where_own_scores_are_of_one_kind(trained):
    models, _ = trained
    kinds = {name: model.model_.classifier for name, model in models.items()}
    assert shared_explainer(kinds["attention"], kinds["other seed"]) == "own"
    assert shared_explainer(kinds["attention"], kinds["vmask"]) == "occlusion"
    assert shared_explainer(kinds["attention"], kinds["base"]) == "occlusion"
    assert shared_explainer(kinds["base"], kinds["base"]) == "occlusion"
    assert shared_explainer(by_weights(OLD), kinds["vmask"]) == "occlusion"
    contributing = {}
    for name, classifier in kinds.items():
        method = copy(classifier.method)
        method.contributions = object()
        contributing[name] = replace(classifier, method=method)
    assert shared_explainer(contributing["base"], contributing["vmask"]) == "own"
    assert shared_explainer(contributing["attention"], kinds["attention"]) == "occlusion"  # one has weights


def test_each_model_explains_each_text_once_and_a_cache_spares_it_that(trained, tmp_path):
    models, documents = trained
    asked = []

    def follow(explanations, name):
        for explanation in explanations:
            asked.append(name)
            yield explanation

    caches = tuple(ExplanationCache(tmp_path, name) for name in ("one", "two"))
    pair = models["attention"], models["other seed"]
    first = diff_models(*pair, documents, "occlusion", follow=follow, caches=caches)
    assert asked == ["old"] * 40 + ["new"] * 40
    forbidden = replace(models["other seed"].model_.classifier, method=None)
    again = diff_models(pair[0], forbidden, documents, "occlusion", caches=caches)
    assert again.to_dict() == first.to_dict()


def test_changed_predictions_come_first_then_changed_reasons(trained):
    models, documents = trained
    found = diff_models(models["vmask"], models["other seed"], documents)
    order = [(not text.prediction_changed, not text.reason_changed) for text in found.most_changed()]
    assert [one for one, _ in order] == sorted(one for one, _ in order)
    kept = [reason for prediction, reason in order if prediction]
    assert kept == sorted(kept)
    assert found.most_changed(3) == found.most_changed()[:3]


def test_the_values_are_ready_for_json_and_frames():
    found = diff_models(by_weights(OLD), by_weights(NEW), DOCUMENTS, "occlusion", names=("a", "b"), data="six texts")
    values = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (values["old"], values["new"], values["texts"]) == ("a", "b", 6)
    assert len(values["changes"]) == 6
    assert values["changes"][0]["words"] == TEXTS[0].split()
    assert values["changes"][4]["reason_changed"] is None
    assert len(found.to_dict(2)["changes"]) == 2
    frame = found.to_frame()
    assert len(frame) == 6
    assert "superb" in frame["moved"][0]
    assert not any(isinstance(value, list) for value in frame.iloc[0])


def test_the_summary_says_what_changed_in_a_few_lines():
    lines = str(diff_models(by_weights(OLD), by_weights(NEW), DOCUMENTS, "occlusion", top=2, names=("a", "b")))
    assert lines.splitlines()[0] == "a → b, 6 texts of these texts"
    assert "predictions changed" in lines
    assert "of 4," in lines
    assert "accuracy" in lines
    short = diff_models(by_weights(OLD), by_weights(NEW), DOCUMENTS[4:5], "occlusion")
    assert "no text has more than 5 words" in str(short)
    assert short.reasons_changed is None
    assert short.to_dict()["accuracy"]["change"]["low"] is None  # one text has no interval


def test_pairs_are_compared_as_well():
    def predict(pairs):
        positive = np.array([0.9 if "superb" in answer else 0.2 for _, answer in pairs])
        return np.stack([1 - positive, positive], axis=1)

    model = BlackBox(predict, ("neg", "pos"))
    found = diff_models(model, model, [Document(split("is it good to see", "a superb film of the year"))])
    assert found.texts[0].to_dict()["text_pair"] == "a superb film of the year"
    assert found.texts[0].moved() == []


@pytest.mark.parametrize(
    ("documents", "settings", "error"),
    [([], {}, DataError), (DOCUMENTS, {"top": 0}, OptionError), (DOCUMENTS, {"least_shared": 1.5}, OptionError)],
    ids=["no texts", "top", "share"],
)
def test_mistakes_are_refused(documents, settings, error):
    with pytest.raises(error):
        diff_models(by_weights(OLD), by_weights(NEW), documents, **settings)


def test_a_label_that_no_model_knows_is_refused():
    with pytest.raises(OptionError, match="mixed"):
        diff_models(by_weights(OLD), by_weights(NEW), [Document(split("a good film"), "mixed")])


def test_words_that_speak_against_the_class_are_never_part_of_its_reason():
    old, new = {"superb": 4.0, "dull": -1.0, "bad": -2.0}, {"superb": 4.0, "dull": -2.0, "bad": -1.0}
    text = diff_models(
        by_weights(old), by_weights(new), [Document(split("superb dull bad"))], "occlusion", top=2
    ).texts[0]
    assert text.old_top.tolist() == text.new_top.tolist() == [True, False, False]
    assert text.shared == 1
    assert text.overlap == 0.5


def test_texts_may_be_strings_or_documents_and_labels_are_optional():
    models = by_weights(OLD), by_weights(NEW)
    known = diff_models(*models, DOCUMENTS).to_dict()
    assert diff(*models, TEXTS, GOLD).to_dict() == known
    assert diff(*models, DOCUMENTS).to_dict() == known
    assert diff(*models, iter(TEXTS), GOLD).to_dict() == known
    unlabelled = diff(*models, TEXTS)
    assert unlabelled.accuracy is None
    assert unlabelled.predictions_changed.texts == known["predictions_changed"]["texts"]


def test_functions_from_strings_to_probabilities_can_be_compared_and_named():
    def confident(texts):
        return np.tile([0.1, 0.9], (len(texts), 1))

    found = diff(confident, confident, ["a b", "c"], names=("v1", "v2"), data_name="two texts")
    assert str(found).startswith("v1 → v2, 2 texts of two texts")
    assert found.predictions_changed.value == 0


def test_a_sample_is_drawn_unless_all_texts_are_wanted():
    models = by_weights(OLD), by_weights(NEW)
    assert len(diff(*models, TEXTS, sample=2).texts) == 2
    assert len(diff(*models, TEXTS, sample=None).texts) == len(TEXTS)


@pytest.mark.parametrize(
    ("texts", "labels", "words"),
    [([], None, "no texts"), ("one text", None, "list of texts"), (["a", "b"], ["pos"], "one label per text")],
    ids=["none", "string", "labels"],
)
def test_mistakes_in_texts_and_labels_get_one_sentence(texts, labels, words):
    with pytest.raises(DataError, match=words):
        diff(by_weights(OLD), by_weights(NEW), texts, labels)


def test_a_model_of_several_labels_is_not_compared_with_one_of_a_single_label():
    several = replace(by_weights(OLD), multi_label=True)
    for models, said in (
        ((several, by_weights(NEW)), "old gives a text any number of labels, new gives it one: give two"),
        ((by_weights(NEW), several), "new gives a text any number of labels, old gives it one: give two"),
    ):
        with pytest.raises(ModelError, match=said):
            diff(*models, TEXTS)


def test_the_python_of_the_documentation_runs(trained, tmp_path, monkeypatch):
    models, documents = trained
    monkeypatch.chdir(tmp_path)
    models["attention"].save("old")
    models["base"].save("new")
    page = (Path(__file__).parents[2] / "docs" / "diff.md").read_text(encoding="utf-8")
    names = {"texts": [d.words.texts[0] for d in documents], "labels": [d.label for d in documents]}
    for code in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(code, names)
    assert names["difference"].explainer == "occlusion"
    assert (tmp_path / "diff.html").exists()
