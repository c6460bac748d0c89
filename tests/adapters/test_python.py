"""Functions and models named by their module."""

import pytest

from whyword.data.words import split
from whyword.explaining.any_model import open_model
from whyword.interfaces.adapter import Access
from whyword.interfaces.errors import OptionError

MODULE = """
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

def even(texts):
    return [[0.25, 0.75] for _ in texts]

def named(texts):
    return even(texts)

named.classes = ("no", "yes")

class Store:
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(["good", "bad"], ["up", "down"])

def broken(texts):
    raise KeyError("weights")

number = 3

def scalar(texts):
    return 0.5
"""


@pytest.fixture(autouse=True)
def _module(tmp_path, monkeypatch):
    (tmp_path / "someones_models.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "someones_bug.py").write_text("import nothing_like_it", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.parametrize(
    ("path", "classes"), [("even", (0, 1)), ("named", ("no", "yes")), ("Store.model", ("down", "up"))]
)
def test_an_object_is_found_by_its_path(path, classes):
    opened = open_model(f"python:someones_models:{path}")
    assert (opened.kind, opened.name, opened.classifier.classes) == ("python", path, classes)
    assert opened.classifier.probabilities([split("good")]).shape == (1, 2)
    assert opened.identity is None  # nobody sees when it changes


def test_a_user_names_the_classes():
    opened = open_model("python:someones_models:even", Access(classes=("a", "b")), fingerprint="v1")
    assert opened.classifier.classes == ("a", "b")
    assert opened.identity is not None


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("python:", "names no object"),
        ("python:someones_models", "names no object"),
        ("python:someones_models:nothing", "has no nothing"),
        ("python:not_there:x", "cannot be imported"),
        ("python:someones_bug:x", "nothing_like_it"),
        ("python:someones_models:broken", "failed on the text 'a' .KeyError"),
        ("python:someones_models:number", "int is no model"),
        ("python:someones_models:scalar", "returned no table"),
    ],
)
def test_what_cannot_work_is_refused_in_a_sentence(place, sentence):
    with pytest.raises(OptionError, match=sentence):
        open_model(place)
