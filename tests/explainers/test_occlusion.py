import numpy as np
import pytest
import torch

from reference.sub_texts import probabilities_one_by_one
from whyword.data.words import split
from whyword.explainers.occlusion import Occlusion
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document, Words


def shortened(words: Words, left_out: int) -> Words:
    """Write a text anew without one word, and split it again."""
    texts, position = [], 0
    for text, spans in zip(words.texts, words.spans, strict=True):
        kept = [text[start:end] for number, (start, end) in enumerate(spans, position) if number != left_out]
        texts.append(" ".join(kept))
        position += len(spans)
    return split(*texts)


@pytest.mark.parametrize(("kind", "texts"), [("lstm", "documents"), ("plain", "documents"), ("on_pairs", "pairs")])
def test_scores_are_the_fall_of_the_probability_of_shortened_strings(request, kind, texts):
    classifier, documents = request.getfixturevalue(kind), request.getfixturevalue(texts)
    for document, explanation in zip(documents, Occlusion().explain(classifier, documents), strict=True):
        words = document.words
        asked = classifier.probabilities([words, *(shortened(words, i) for i in range(len(words)))]).double().numpy()
        target = asked[0].argmax()
        assert explanation.target == target
        np.testing.assert_allclose(explanation.scores, asked[0, target] - asked[1:, target], atol=1e-6)
        np.testing.assert_allclose(explanation.probabilities, asked[0], atol=1e-6)
        np.testing.assert_allclose(explanation.all_scores, (asked[0] - asked[1:]).T, atol=1e-6)
        assert explanation.scores.tolist() == explanation.all_scores[target].tolist()
        assert explanation.forward_passes == len(words) + 1


def test_scores_of_an_additive_model_are_its_weights():
    weights = {"superb": 0.3, "dull": -0.2, "film": 0.0}

    def ask(texts):
        shares = np.array([0.5 + sum(weights.get(word, 0.0) for word in text.split()) for text in texts])
        return np.stack([1 - shares, shares], axis=1)

    document = Document(split("superb dull film"))
    (explanation,) = Occlusion().explain(BlackBox(ask, ("bad", "good")), [document], [1])
    np.testing.assert_allclose(explanation.scores, [0.3, -0.2, 0.0], atol=1e-12)
    assert explanation.label == "good"
    assert explanation.signed


@pytest.mark.parametrize("removal", ["pad", "unknown", "mask"])
def test_a_word_can_be_replaced_instead_of_deleted(lstm, documents, removal):
    for explanation in Occlusion(removal).explain(lstm, documents[:3]):
        words, target = explanation.document.words, explanation.target
        replacement = getattr(lstm.tokenizer, {"pad": "padding"}.get(removal, removal))
        kept = ~torch.eye(len(words), dtype=torch.bool)
        asked = probabilities_one_by_one(lstm, words, kept, replacement).double().numpy()
        np.testing.assert_allclose(explanation.scores, explanation.probability - asked[:, target], atol=1e-6)


def test_two_classes_have_opposite_scores(lstm, documents):
    one, other = (Occlusion().explain(lstm, documents, [target] * len(documents)) for target in (0, 1))
    for first, second in zip(one, other, strict=True):
        assert (first.target, second.target) == (0, 1)
        np.testing.assert_allclose(first.scores, -second.scores, atol=1e-6)


def test_each_document_has_its_own_target(lstm, documents):
    targets = [number % 2 for number in range(len(documents))]
    assert [e.target for e in Occlusion().explain(lstm, documents, targets)] == targets


def test_empty_texts_and_single_words_are_explained(lstm):
    empty, single = Occlusion().explain(lstm, [Document(split("")), Document(split("superb"))], [0, 0])
    assert len(empty.scores) == 0
    np.testing.assert_allclose(single.scores, [single.probability - empty.probability], atol=1e-6)


def test_a_pair_without_words_is_explained(on_pairs):
    (explanation,) = Occlusion().explain(on_pairs, [Document(split("", "superb"))])
    assert len(explanation.scores) == 1


def test_no_documents_have_no_explanations(lstm):
    assert Occlusion().explain(lstm, []) == []
