"""Forbidden words move nothing, on any method, encoder and explainer."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.contributions import QUICK
from whyword import TextClassifier
from whyword.checks.samples import EIGHT, maker_of_method, pairs, small_explainer, tokenizer_for, untrained
from whyword.data.forbidden import Forbidden
from whyword.data.planted import SPURIOUS, planted
from whyword.data.tokenizers.forbidding import forbid
from whyword.data.words import split
from whyword.inference.windows import explain_in_windows
from whyword.interfaces.document import Document

WORDS = sorted({word for document in EIGHT for word in document.words.strings})
FORBIDDEN = (WORDS[0], "/zz.*/", "qu qu")


def reading(method, encoder):
    """A classifier of random weights that does not read some words."""
    classifier = untrained(maker_of_method(method, encoder), tokenizer_for(encoder))
    return replace(classifier, tokenizer=forbid(classifier.tokenizer, FORBIDDEN))


def same(classifier, one, other):
    """Two texts are read as the same tokens, and answered alike."""
    (first,), (second,) = (classifier.tokenizer([text]) for text in (one, other))
    np.testing.assert_array_equal(first.ids, second.ids)
    np.testing.assert_array_equal(first.segment, second.segment)
    torch.testing.assert_close(*(classifier.probabilities([text]) for text in (one, other)), atol=1e-6, rtol=0)


@pytest.mark.parametrize(("method", "encoder"), pairs())
def test_forbidden_words_move_no_answer_whatever_the_method_and_the_encoder(method, encoder):
    classifier = reading(method, encoder)
    text = " ".join([*WORDS[1:4], WORDS[0], "zzz", "qu", "qu", *WORDS[4:6]])
    without = " ".join([*WORDS[1:4], *WORDS[4:6]])
    same(classifier, split(text), split(without))
    same(classifier, split(text, text), split(without, without))


@pytest.fixture(scope="module")
def tfidf():
    data = planted("spurious,train=80,dev=20,test=10")
    texts, labels = [d.words.texts[0] for d in data.train], [d.label for d in data.train]
    return TextClassifier(encoder="tfidf", forbid=SPURIOUS).fit(texts, labels).model_.classifier


@pytest.fixture(scope="module")
def classifiers(tfidf):
    return {"lstm": reading("base", "lstm"), "transformer": reading("base", "transformer"), "tfidf": tfidf}


@settings(max_examples=30)
@given(st.data())
def test_a_text_with_forbidden_words_anywhere_is_answered_as_it_is_without(classifiers, data):
    for name, classifier in classifiers.items():
        own = SPURIOUS[:2] if name == "tfidf" else (WORDS[0], "zzz", "QU qu")
        known = ("great", "terrible", "was", "film") if name == "tfidf" else WORDS[1:]
        words = data.draw(st.lists(st.sampled_from([*known, "unheard", "."]), max_size=8))
        inserted = list(words)
        for word in data.draw(st.lists(st.sampled_from(own), max_size=4)):
            inserted.insert(data.draw(st.integers(0, len(inserted))), word)
        same(classifier, split(" ".join(inserted)), split(" ".join(words)))


def test_sub_texts_that_differ_in_forbidden_words_have_the_same_answer(classifiers):
    for name in ("lstm", "transformer"):
        text = split(f"{WORDS[3]} zzz {WORDS[0]} {WORDS[5]}")
        kept = torch.tensor([[True, a, b, c] for a in (True, False) for b in (True, False) for c in (True, False)])
        answers = classifiers[name].probabilities_of_subsets(text, kept)
        for last in (0, 1):
            torch.testing.assert_close(answers[last::2], answers[last].expand(4, -1), atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", ["own", "lime", "shapley", "occlusion", "gradient", "integrated-gradients", "random"])
def test_explanations_are_those_of_the_text_without_and_list_forbidden_words_with_the_score_0(name):
    classifier = reading("attention", "lstm")
    whole = Document(split(f"{WORDS[3]} {WORDS[0]} {WORDS[4]} zzz {WORDS[5]}"))
    without = Document(split(f"{WORDS[3]} {WORDS[4]} {WORDS[5]}"))
    explainer = small_explainer(name)
    (one,), (other,) = (explain_in_windows(explainer, classifier, [document]) for document in (whole, without))
    assert one.words == whole.words.strings
    assert one.forbidden_words.tolist() == [False, True, False, True, False]
    assert other.forbidden_words is None
    np.testing.assert_array_equal(one.scores[[1, 3]], 0)
    np.testing.assert_allclose(one.scores[[0, 2, 4]], other.scores, atol=1e-6)
    np.testing.assert_allclose(one.probabilities, other.probabilities, atol=1e-6)
    assert one.base_value == pytest.approx(other.base_value, abs=1e-6)
    assert one.to_dict()["forbidden_words"] == [False, True, False, True, False]
    assert "forbidden_words" not in other.to_dict()


def test_an_explainer_that_is_called_directly_gives_forbidden_words_no_score_either():
    classifier = reading("attention", "lstm")
    whole = Document(split(f"{WORDS[3]} {WORDS[0]} {WORDS[4]} zzz {WORDS[5]}"))
    for name in ("own", "shapley", "occlusion", "gradient"):
        (one,) = small_explainer(name).explain(classifier, [whole])
        np.testing.assert_allclose(one.scores[[1, 3]], 0, atol=1e-7)


def test_contributions_add_up_without_forbidden_words(tfidf):
    for classifier in (tfidf, _contributing()):
        text = f"The film was great {SPURIOUS[0]} and the plot was terrible."
        (e,) = explain_in_windows(small_explainer("own"), classifier, [Document(split(text))])
        assert e.scores[e.words.index(SPURIOUS[0])] == 0
        assert e.base_value + e.scores.sum() == pytest.approx(e.probability, abs=1e-5)
        direct = classifier.contributions([split(text)])
        assert direct.scores[0][:, e.words.index(SPURIOUS[0])].tolist() == [0, 0]
        np.testing.assert_allclose(direct.base + direct.scores[0].sum(1), direct.probabilities[0], atol=1e-5)


def _contributing():
    data = planted("spurious,train=60,dev=20,test=10")
    texts, labels = [d.words.texts[0] for d in data.train], [d.label for d in data.train]
    return TextClassifier(forbid=SPURIOUS, contributions=QUICK, epochs=1).fit(texts, labels).model_.classifier


def test_a_text_of_forbidden_words_only_is_answered_as_one_of_no_words(tfidf):
    same(tfidf, split(" ".join(SPURIOUS)), split(""))
    (one,) = tfidf.probabilities([split(SPURIOUS[0])])
    torch.testing.assert_close(one.log(), tfidf.method.prior.log_softmax(0).float(), atol=1e-6, rtol=0)


def test_a_long_text_is_explained_in_the_windows_that_it_has_without():
    classifier = reading("base", "transformer")
    long = " ".join(WORDS[1:] * 3)
    (one,), (other,) = (
        explain_in_windows(small_explainer("occlusion"), classifier, [Document(split(text))])
        for text in (long.replace(WORDS[3], f"{WORDS[3]} zzz"), long)
    )
    assert one.windows == other.windows > 1
    assert one.truncated_words >= other.truncated_words > 0
    np.testing.assert_allclose(one.scores[~one.forbidden_words], other.scores, atol=1e-6)


def test_what_is_forbidden_is_part_of_the_fingerprint():
    classifier = reading("base", "lstm")
    others = replace(classifier, tokenizer=forbid(classifier.tokenizer.reader, ("other",)))
    none = replace(classifier, tokenizer=classifier.tokenizer.reader)
    assert len({c.fingerprint() for c in (classifier, others, none)}) == 3
    assert classifier.forbidden == Forbidden(FORBIDDEN)
    assert none.forbidden is None
