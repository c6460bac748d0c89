from dataclasses import replace
from itertools import count, islice

import numpy as np
import pytest

from whyword.catalog import make_explainer
from whyword.data.tokenizers.word_pieces import WordPieceTokenizer
from whyword.data.words import split
from whyword.encoders.transformer import Transformer
from whyword.explainers.integrated_gradients import IntegratedGradients
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.own import Own
from whyword.explainers.random import Random
from whyword.explaining import stream as explaining
from whyword.explaining.any_model import as_classifier
from whyword.explaining.stream import explain_chunks, explain_documents, only_top
from whyword.explaining.targets import class_number
from whyword.inference.black_box import BlackBox
from whyword.inference.fitted import FittedClassifier
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError
from whyword.interfaces.explanation import Explanation
from whyword.methods.attention import Attention

CLOSED = BlackBox(lambda texts: np.array([[0.25, 0.75]] * len(texts)), (0, 1))


class Drawn:
    """Documents without end, and how many were asked for."""

    def __init__(self, words: int):
        self.text, self.count = " ".join(["word"] * words), 0

    def __iter__(self):
        for self.count in count(1):
            yield Document(split(self.text))


def test_a_stream_without_end_is_explained_as_it_comes():
    drawn = Drawn(words=3)
    explanations = explain_documents(CLOSED, drawn, Random())
    next(explanations)
    assert drawn.count == explaining.FIRST_CHUNK
    list(islice(explanations, 5000))
    assert drawn.count <= 5001 + explaining.LARGEST_CHUNK


@pytest.mark.parametrize("words", [1, 50, 1000, 9000])
def test_a_chunk_takes_a_bounded_number_of_forward_passes(words):
    drawn = Drawn(words)
    explanations = explain_documents(CLOSED, drawn, Passes(words))
    list(islice(explanations, explaining.FIRST_CHUNK + 1))
    chunk = drawn.count - explaining.FIRST_CHUNK
    assert chunk == max(1, min(explaining.CHUNK_PASSES // words, explaining.LARGEST_CHUNK))


class Passes(Random):
    """Says that each text took so many forward passes."""

    def __init__(self, passes):
        object.__setattr__(self, "passes", passes)

    def explain(self, classifier, documents, targets=None):
        return [
            Explanation(document, np.zeros(1), 0, (0, 1), np.ones(2) / 2, "passes", forward_passes=self.passes)
            for document in documents
        ]


def test_chunks_do_not_change_the_answers(monkeypatch):
    documents = [Document(split(f"text number {i}")) for i in range(30)]
    together = [e.scores.tolist() for e in Random().explain(CLOSED, documents)]
    assert [e.scores.tolist() for e in explain_documents(CLOSED, documents, Random())] == together


@pytest.mark.parametrize("stopped", [1, 2, 4])
def test_chunks_go_on_as_those_of_an_earlier_run_would_have(monkeypatch, stopped):
    monkeypatch.setattr(explaining, "CHUNK_PASSES", 20)
    documents = [Document(split("w " * (1 + i // 6))) for i in range(60)]
    whole = list(explain_chunks(CLOSED, documents, Occlusion()))
    assert len({len(chunk) for chunk in whole}) > 2
    done = [explanation for chunk in whole[:stopped] for explanation in chunk]
    passes = sum(explanation.forward_passes for explanation in done)
    rest = list(explain_chunks(CLOSED, documents[len(done) :], Occlusion(), texts=len(done), passes=passes))
    assert [len(chunk) for chunk in rest] == [len(chunk) for chunk in whole[stopped:]]


def test_a_target_is_found_before_a_text_is_read():
    def unreadable():
        raise AssertionError
        yield

    with pytest.raises(OptionError, match="choose from 0, 1"):
        next(explain_documents(CLOSED, unreadable(), Random(), target="2"))


def test_a_class_is_found_by_its_label_or_its_name():
    assert class_number((3, 7), 7) == class_number((3, 7), "7") == 1
    assert class_number(("no", "yes"), "yes") == 1


def test_an_explainer_gets_the_seed_if_it_takes_one():
    assert make_explainer("random", CLOSED, seed=4) == Random(seed=4)
    assert make_explainer("occlusion", CLOSED, seed=4) == Occlusion()
    assert make_explainer(None, CLOSED) == Occlusion()


def test_an_explainer_gets_the_settings_that_words_or_values_name():
    assert make_explainer("integrated-gradients", CLOSED, settings={"steps": "7"}) == IntegratedGradients(steps=7)
    assert make_explainer("random", CLOSED, 4, {"seed": 5}) == Random(seed=5)
    for value in (0, -3):
        with pytest.raises(
            OptionError, match=rf"^explainer integrated-gradients.steps is {value}: give a number above"
        ):
            make_explainer("integrated-gradients", CLOSED, settings={"steps": value})
    with pytest.raises(OptionError, match="No 'smples' in the settings of explainer random: choose from seed"):
        make_explainer("random", CLOSED, settings={"smples": 3})


def test_only_the_top_words_keep_their_scores():
    document = Document(split("a b c d"))
    explanation = Explanation(document, np.array([0.1, 0.4, -0.9, 0.2]), 0, (0, 1), np.ones(2) / 2, "x")
    assert only_top(explanation, 2).scores.tolist() == [0, 0.4, -0.9, 0]
    assert only_top(explanation, None) is explanation
    assert only_top(explanation, 9).scores.tolist() == explanation.scores.tolist()
    assert explanation.scores.tolist() == [0.1, 0.4, -0.9, 0.2]
    table = np.stack([explanation.scores, -explanation.scores])
    full = replace(explanation, all_scores=table, base_value=0.3, base_values=np.array([0.3, 0.7]))
    assert only_top(full, 1).all_scores.tolist() == [[0, 0, -0.9, 0], [0, 0, 0.9, 0]]
    assert (only_top(full, 1).base_value, only_top(full, 1).base_values) == (None, None), "it adds up no longer"


def test_a_classifier_stays_what_it_is():
    assert as_classifier(CLOSED, []) is CLOSED


@pytest.mark.parametrize("explainer", [Own(), Occlusion(), Random()])
def test_every_explainer_says_how_many_words_were_not_read(tiny_bert, explainer):
    encoder = Transformer.from_pretrained(Transformer.Config(model=str(tiny_bert), limit=8))
    tokenizer = WordPieceTokenizer.from_pretrained(str(tiny_bert), encoder.limit)
    classifier = FittedClassifier(Attention(encoder, 2, Attention.Config()), tokenizer, (0, 1))
    documents = [Document(split(text)) for text in ("the plot was not the good plot was good", "good plot")]
    explanations = list(explain_documents(classifier, documents, explainer))
    assert [(e.truncated_words, e.windows) for e in explanations] == [(3, 3), (0, 1)]
