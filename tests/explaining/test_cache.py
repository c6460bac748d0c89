import hashlib
import multiprocessing
import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest

from whyword import TextClassifier, explain
from whyword.data.planted import planted
from whyword.data.words import split
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.random import Random
from whyword.explaining import cache as explanation_cache
from whyword.explaining.cache import FILE, ExplanationCache
from whyword.explaining.stream import explain_documents
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError, ModelError, OptionError
from whyword.interfaces.explanation import Explanation, Interaction
from whyword.models.fingerprint import describe_explainer, fingerprint, text_fingerprint


class Counting:
    """A black box that counts the texts it is asked about."""

    def __init__(self):
        self.asked = 0
        self.box = BlackBox(self.predict, ("no", "yes"))

    def predict(self, texts):
        self.asked += len(texts)
        share = np.array([len(text) % 7 / 10 for text in texts])
        return np.stack([1 - share, share], 1)


DOCUMENTS = [Document(split(f"text number {i} of many")) for i in range(30)]


def equal(one: Explanation, other: Explanation) -> bool:
    return all(np.array_equal(getattr(one, f.name), getattr(other, f.name)) for f in fields(Explanation)[1:]) and (
        one.document == other.document
    )


def ask(model, cache, documents=DOCUMENTS, explainer=None, target=None):
    return list(explain_documents(model.box, documents, explainer or Occlusion(), target, cache))


def test_a_repeated_run_asks_the_model_nothing_and_answers_the_same(tmp_path):
    model, cache = Counting(), ExplanationCache(tmp_path / "deep" / "cache", "model")
    first = ask(model, cache)
    asked = model.asked
    assert asked > 0
    again = ask(model, ExplanationCache(tmp_path / "deep" / "cache", "model"))
    assert model.asked == asked
    assert all(map(equal, first, again))
    assert [e.seconds for e in again] == [e.seconds for e in first]


def test_the_answers_are_those_without_a_cache(tmp_path):
    plain = ask(Counting(), None)
    cached = ask(Counting(), ExplanationCache(tmp_path, "model"))
    assert all(
        equal(replace(one, seconds=0), replace(other, seconds=0)) for one, other in zip(plain, cached, strict=True)
    )


def test_only_what_is_new_is_explained_and_together(tmp_path):
    model, cache = Counting(), ExplanationCache(tmp_path, "model")
    ask(model, cache, DOCUMENTS[::2])

    @dataclass(frozen=True)
    class Watched(Occlusion):
        def explain(self, classifier, documents, targets=None):
            asked.append([document.words.texts[0] for document in documents])
            return super().explain(classifier, documents, targets)

    asked: list[list[str]] = []
    watched = Watched()
    cache.explain(watched, model.box, DOCUMENTS[::2])
    cache.explain(watched, model.box, DOCUMENTS)
    assert asked == [[d.words.texts[0] for d in DOCUMENTS[::2]], [d.words.texts[0] for d in DOCUMENTS[1::2]]]


def test_a_text_that_comes_twice_is_explained_once_and_keeps_its_label(tmp_path):
    model, cache = Counting(), ExplanationCache(tmp_path, "model")
    twice = [Document(split("good bad"), "yes"), Document(split("good bad"), "no")]
    one, other = cache.explain(Occlusion(), model.box, twice)
    assert model.asked == 3  # the whole and each word left out
    assert (one.document.label, other.document.label) == ("yes", "no")
    assert one.scores.tolist() == other.scores.tolist()


@pytest.mark.parametrize(
    "change",
    [
        {"model": "another"},
        {"explainer": Random(0)},
        {"explainer": Random(1)},
        {"target": "yes"},
        {"target": "no"},
        {"text": "Good bad"},
    ],
    ids=["model", "explainer", "seed", "target", "other-target", "text"],
)
def test_anything_that_changes_the_answer_is_asked_anew(tmp_path, change):
    model = Counting()

    def run(model_name="model", explainer=None, target=None, text="good bad"):
        before = model.asked
        ask(model, ExplanationCache(tmp_path, model_name), [Document(split(text))], explainer, target)
        return model.asked - before

    assert run() > 0
    changes = {"model_name" if name == "model" else name: value for name, value in change.items()}
    assert run(**changes) > 0
    assert run(**changes) == run() == 0


def test_every_field_comes_back_as_it_was(tmp_path):
    @dataclass(frozen=True)
    class Full(Random):
        def explain(self, classifier, documents, targets=None):
            return [
                Explanation(
                    document,
                    np.array([0.1, -1e-300, 1 / 3]),
                    1,
                    classifier.classes,
                    np.array([0.25, 0.75]),
                    "full",
                    signed=False,
                    std_error=np.array([np.nan, 0.0, 2.0]),
                    base_value=0.1 + 0.2,
                    convergence_error=1e-17,
                    seed=3,
                    forward_passes=np.int64(7),
                    seconds=0.3,
                    truncated_words=2,
                    windows=4,
                    converged=0.95,
                    tied=np.array([True, False, True]),
                    all_scores=np.array([[0.1, -1e-300, 1 / 3], [np.nan, 0.0, -1 / 3]]),
                    base_values=np.array([0.1 + 0.2, 0.7]),
                    against=0,
                    error=1 / 7,
                    interactions=(Interaction(0, 2, 0.1), Interaction(1, 2, -1 / 3)),
                )
                for document in documents
            ]

    cache = ExplanationCache(tmp_path, "model")
    made = Full().explain(Counting().box, [Document(split("a b c"))])[0]
    for _ in range(2):
        (back,) = cache.explain(Full(), Counting().box, [Document(split("a b c"))])
        for field in fields(Explanation):
            before, after = getattr(made, field.name), getattr(back, field.name)
            if field.name == "interactions":
                assert before == after
                continue
            np.testing.assert_array_equal(before, after, err_msg=field.name)
            if isinstance(before, np.ndarray):
                assert before.dtype == after.dtype


def test_entries_with_older_names_of_the_fields_are_not_read(tmp_path):
    model, cache, document = Counting(), ExplanationCache(tmp_path, "model"), DOCUMENTS[0]
    (wanted,) = ask(model, cache, [document])
    older = {"truncated_words": "unread", "converged": "settled"}
    names = [older.get(field.name, field.name) for field in fields(Explanation)]
    start = fingerprint(["model", describe_explainer(Occlusion()), None, names])
    key = hashlib.sha256(start.encode() + text_fingerprint(document.words)).digest()
    with closing(sqlite3.connect(tmp_path / FILE)) as table, table:
        (entry,) = table.execute("SELECT answer FROM explanations").fetchone()
        for new, old in older.items():
            entry = entry.replace(f'"{new}"', f'"{old}"')
        table.execute("DELETE FROM explanations")
        table.execute("INSERT INTO explanations VALUES (?, ?)", (key, entry))
    (again,) = ask(model, cache, [document])
    assert equal(replace(again, seconds=0), replace(wanted, seconds=0))


def test_no_text_and_no_label_is_stored(tmp_path):
    secret = Document(split("a secret diagnosis"), "confidential")
    box = BlackBox(lambda texts: np.array([[0.25, 0.75]] * len(texts)), ("healthy", "fatal"))
    ExplanationCache(tmp_path, "model").explain(Occlusion(), box, [secret])
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(word in content for word in (b"secret", b"diagnosis", b"confidential", b"healthy", b"fatal"))


@pytest.mark.parametrize("damage", ["garbage", "torn", "json", "folder"])
def test_a_damaged_cache_is_refused_in_one_sentence(tmp_path, damage):
    model, cache = Counting(), ExplanationCache(tmp_path, "model")
    ask(model, cache)
    file = tmp_path / FILE
    if damage == "garbage":
        file.write_bytes(b"not a data base at all" * 100)
    elif damage == "torn":
        file.write_bytes(file.read_bytes()[:5000])
    elif damage == "folder":
        file.unlink()
        file.mkdir()
    else:
        with sqlite3.connect(file) as table:
            table.execute("UPDATE explanations SET answer = 'half of {'")
        table.close()
    with pytest.raises(DataError, match=r"^The cache .*explanations.sqlite cannot be used \(.*\): delete the file, or"):
        ask(model, ExplanationCache(tmp_path, "model"))


def test_a_failing_model_is_not_called_a_damaged_cache(tmp_path):
    def fail(texts):
        raise OSError("the network is down")

    with pytest.raises(ModelError, match=r"OSError: the network is down"):
        ExplanationCache(tmp_path, "model").explain(Occlusion(), BlackBox(fail, (0, 1)), DOCUMENTS[:1])


def fill(folder, number):
    model = Counting()
    for start in range(0, 30, 5):
        ExplanationCache(folder, "model").explain(Random(number % 2), model.box, DOCUMENTS[start : start + 5])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the children only count and write
def test_several_processes_may_use_it_at_once(tmp_path):
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=fill, args=(tmp_path, number)) for number in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    model = Counting()
    fill(tmp_path, 0)
    assert len(ask(model, ExplanationCache(tmp_path, "model"), explainer=Random(0))) == 30
    assert model.asked == 0


def test_more_keys_than_a_query_takes_are_looked_up(tmp_path, monkeypatch):
    monkeypatch.setattr(explanation_cache, "TOGETHER", 4)
    model, cache = Counting(), ExplanationCache(tmp_path, "model")
    cache.explain(Occlusion(), model.box, DOCUMENTS)
    asked = model.asked
    cache.explain(Occlusion(), model.box, DOCUMENTS)
    assert model.asked == asked


def test_the_python_functions_take_a_cache(tmp_path, monkeypatch):
    documents = planted("easy,train=40,dev=0,test=0").train
    texts = [document.words.texts[0] for document in documents]
    unfitted = TextClassifier("attention", "bag", epochs=1, contributions=False)
    classifier = unfitted.fit(texts, [document.label for document in documents])
    first = classifier.explain(texts, explainer="occlusion", cache=tmp_path)
    importance = classifier.word_importance(texts, explainer="occlusion")
    monkeypatch.setattr(type(classifier.model_.classifier), "probabilities_of_many", None)
    assert all(map(equal, first, classifier.explain(texts, explainer="occlusion", cache=str(tmp_path))))
    assert all(map(equal, first, explain(classifier, texts, explainer="occlusion", cache=tmp_path)))
    again = classifier.word_importance(texts, explainer="occlusion", cache=tmp_path)
    assert again.scores.tolist() == importance.scores.tolist()


def test_a_foreign_model_needs_a_name_of_its_own(tmp_path):
    model = Counting()
    with pytest.raises(OptionError, match="give fingerprint, a name for this very model"):
        explain(model.predict, ["good bad"], cache=tmp_path)
    one = explain(model.predict, ["good bad"], classes=("no", "yes"), cache=tmp_path, fingerprint="v1")
    asked = model.asked
    other = explain(model.predict, ["good bad"], classes=("no", "yes"), cache=tmp_path, fingerprint="v1")
    assert model.asked == asked
    assert one[0].scores.tolist() == other[0].scores.tolist()
    explain(model.predict, ["good bad"], classes=("no", "yes"), cache=tmp_path, fingerprint="v2")
    assert model.asked > asked
