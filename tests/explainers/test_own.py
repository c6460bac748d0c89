import numpy as np
import pytest
import torch

from whyword.data.words import split
from whyword.explainers.own import Own
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError


def test_attention_weights_add_up_to_one_over_the_words(lstm, documents):
    for explanation in Own().explain(lstm, documents):
        assert explanation.scores.shape == (len(explanation.words),)
        assert explanation.scores.sum() == pytest.approx(1, abs=1e-5)
        assert not explanation.signed


@pytest.mark.parametrize("kind", ["lstm", "gated"])
def test_scores_are_the_token_weights_of_the_method(request, documents, kind):
    classifier = request.getfixturevalue(kind)
    explanations = Own().explain(classifier, documents)
    for document, explanation in zip(documents, explanations, strict=True):
        ((_, batch),) = classifier.batches([document.words])
        with torch.inference_mode():
            prediction = classifier.method(batch)
        np.testing.assert_allclose(explanation.scores, prediction.token_weights[0], atol=1e-6)
        np.testing.assert_allclose(explanation.probabilities, prediction.logits[0].softmax(-1), atol=1e-6)


def test_gates_lie_between_0_and_1(gated, documents):
    scores = np.concatenate([explanation.scores for explanation in Own().explain(gated, documents)])
    assert ((scores >= 0) & (scores <= 1)).all()


def test_a_target_changes_the_class_but_not_the_scores(lstm, documents):
    for one, other in zip(
        Own().explain(lstm, documents, [0] * len(documents)),
        Own().explain(lstm, documents, [1] * len(documents)),
        strict=True,
    ):
        assert (one.label, other.label) == lstm.classes
        assert one.probability + other.probability == pytest.approx(1)
        assert np.array_equal(one.scores, other.scores)


def test_without_a_target_the_predicted_class_is_explained(lstm, documents):
    predicted = lstm.probabilities([document.words for document in documents]).argmax(1)
    assert [explanation.target for explanation in Own().explain(lstm, documents)] == predicted.tolist()


def test_words_of_both_texts_of_a_pair_are_scored(on_pairs, pairs):
    for document, explanation in zip(pairs, Own().explain(on_pairs, pairs), strict=True):
        assert explanation.words == document.words.strings
        assert len(explanation.scores) == len(document.words)
        assert explanation.scores.sum() <= 1 + 1e-5


@pytest.mark.parametrize("kind", ["lstm", "gated"])
@pytest.mark.parametrize("texts", [[""], ["superb"], ["", "superb", "", "a superb film"]])
def test_empty_texts_and_single_words_are_explained(request, kind, texts):
    explanations = Own().explain(request.getfixturevalue(kind), [Document(split(text)) for text in texts])
    assert [len(explanation.scores) for explanation in explanations] == [len(text.split()) for text in texts]
    if kind == "lstm":
        assert all(e.scores.sum() == pytest.approx(1, abs=1e-5) for e in explanations if e.words)


def test_the_only_word_has_all_the_attention(lstm):
    (explanation,) = Own().explain(lstm, [Document(split("superb"))])
    assert explanation.scores.tolist() == [1.0]


def test_no_documents_have_no_explanations(lstm):
    assert Own().explain(lstm, []) == []


def test_a_model_without_own_scores_is_refused_with_another_explainer(plain, documents):
    with pytest.raises(OptionError, match="occlusion"):
        Own().explain(plain, documents)


def test_a_black_box_is_refused_with_another_explainer(documents):
    with pytest.raises(OptionError, match="occlusion"):
        Own().explain(BlackBox(lambda texts: np.full((len(texts), 2), 0.5), (0, 1)), documents)


@pytest.mark.parametrize("kind", ["contributing", "gated_and_contributing"])
def test_contributions_come_first_where_a_model_carries_them(request, documents, kind):
    classifier = request.getfixturevalue(kind)
    found = classifier.contributions([document.words for document in documents])
    predicted = found.probabilities.argmax(1).tolist()
    for i, explanation in enumerate(Own().explain(classifier, documents)):
        assert explanation.signed
        assert explanation.target == predicted[i]
        assert (explanation.forward_passes, explanation.explainer) == (1, "own")
        np.testing.assert_array_equal(explanation.all_scores, found.scores[i])
        np.testing.assert_array_equal(explanation.scores, found.scores[i][predicted[i]])
        assert explanation.base_value == found.base[predicted[i]]
        sums = explanation.base_values + explanation.all_scores.sum(1)
        np.testing.assert_allclose(sums, explanation.probabilities, atol=1e-5)


def test_contributions_speak_for_the_target(contributing, documents):
    one, other = (Own().explain(contributing, documents, [target] * len(documents)) for target in (0, 1))
    for first, second in zip(one, other, strict=True):
        assert (first.label, second.label) == contributing.classes
        np.testing.assert_allclose(first.scores, -second.scores, atol=1e-6)
        assert first.base_value + second.base_value == pytest.approx(1)


def test_contributions_of_pairs_are_of_the_words_of_both_texts(contributing_on_pairs, pairs):
    for document, explanation in zip(pairs, Own().explain(contributing_on_pairs, pairs), strict=True):
        assert explanation.all_scores.shape == (2, len(document.words))
        sums = explanation.base_values + explanation.all_scores.sum(1)
        np.testing.assert_allclose(sums, explanation.probabilities, atol=1e-5)


@pytest.mark.parametrize("texts", [[""], ["superb"], ["", "superb", "", "a superb film"]])
def test_contributions_of_empty_texts_and_single_words_add_up(contributing, texts):
    for text, explanation in zip(
        texts, Own().explain(contributing, [Document(split(text)) for text in texts]), strict=True
    ):
        assert explanation.all_scores.shape == (2, len(text.split()))
        sums = explanation.base_values + explanation.all_scores.sum(1)
        np.testing.assert_allclose(sums, explanation.probabilities, atol=1e-5)


def test_no_documents_have_no_contributions(contributing):
    assert Own().explain(contributing, []) == []


def test_contributions_take_one_pass_over_each_text(contributing, documents, monkeypatch):
    read = []
    encode = contributing.method.encoder.encode
    monkeypatch.setattr(
        contributing.method.encoder,
        "encode",
        lambda embedded, batch: (read.append(len(batch)), encode(embedded, batch))[1],
    )
    Own().explain(contributing, documents)
    assert sum(read) == len(documents)
