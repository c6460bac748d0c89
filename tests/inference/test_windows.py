"""Texts longer than an encoder's limit: every word gets a score, and the explanation says how."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from reference.tokenizers import letter_pieces
from whyword import catalog
from whyword.blocks.rationales import RationaleReader, add_reader
from whyword.checks.samples import sample_classifier, small_explainer
from whyword.data.tokenizers.word_pieces import WordPieceTokenizer
from whyword.data.words import split
from whyword.encoders.bag import Bag
from whyword.encoders.lstm import Lstm
from whyword.explainers.occlusion import Occlusion
from whyword.explaining.stream import explain_documents
from whyword.inference.black_box import BlackBox
from whyword.inference.fitted import FittedClassifier
from whyword.inference.windows import explain_in_windows, part, stitch
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation, Interaction
from whyword.methods.attention import Attention
from whyword.methods.vmask import Vmask

LIMIT = 16  # two of them special, two left free: windows of 12 tokens, each 9 further than the last
SENTENCE = "the plot good "  # one piece per word, so that every window holds four sentences


def classifier(encoder=Bag, limit=LIMIT, method_class=Attention):
    """A small model of random weights that reads word pieces."""
    backend = letter_pieces()
    backend.enable_padding(pad_id=0, pad_token="[PAD]")
    backend.enable_truncation(limit)
    tokenizer = WordPieceTokenizer(backend)
    method = method_class(encoder(encoder.Config(dim=6), tokenizer.size, 0), 3, method_class.Config())
    for parameter in method.parameters():
        torch.nn.init.normal_(parameter)
    return FittedClassifier(method.eval(), tokenizer, ("a", "b", "c"))


def document(text, pair=None):
    return Document(split(text, pair))


@pytest.mark.parametrize("name", ["own", "occlusion", "gradient", "integrated-gradients"])
def test_every_repetition_of_a_sentence_has_the_scores_it_has_in_one_window(name):
    model, explainer = classifier(), small_explainer(name)
    four, ten = document(SENTENCE * 4), document(SENTENCE * 10)
    target = int(model.probabilities([ten.words])[0].argmax())
    (short,) = explainer.explain(model, [four], [target])
    (long,) = explain_in_windows(explainer, model, [ten])
    assert (long.windows, long.truncated_words, long.target) == (3, 16, target)
    np.testing.assert_allclose(long.scores, np.tile(short.scores[:3], 10), atol=1e-6)
    assert np.ptp(long.scores) > 1e-3


def test_the_prediction_is_that_of_the_beginning_as_predict_gives_it():
    model = classifier(Lstm)
    text = document("the plot was good " + "not " * 40)
    (long,) = explain_in_windows(Occlusion(), model, [text])
    np.testing.assert_allclose(long.probabilities, model.probabilities([text.words])[0].numpy(), atol=1e-6)
    assert long.target == long.probabilities.argmax()
    (other,) = explain_in_windows(Occlusion(), model, [text], target=(long.target + 1) % 3)
    assert other.target == (long.target + 1) % 3
    assert not np.allclose(other.scores, long.scores)


def test_each_word_has_the_mean_over_the_windows_that_hold_it_explained_on_their_own():
    model, explainer = classifier(Lstm), Occlusion()
    text = document("It's (really) not good... I don't  like the well-made plot, was it? 🙂 no, not good at all!")
    (cuts,) = model.windows([text.words])
    (long,) = explain_in_windows(explainer, model, [text])
    found = [[] for _ in text.words.strings]
    passes = 1
    for window in cuts:
        (alone,) = explainer.explain(model, [Document(part(text.words, window))], [long.target])
        passes += alone.forward_passes
        assert alone.words == tuple(text.words.strings[i] for i in window)
        for word, score in zip(window, alone.scores, strict=True):
            found[word].append(score)
    assert max(map(len, found)) > 1
    np.testing.assert_allclose(long.scores, [np.mean(scores) for scores in found], atol=1e-6)
    assert (long.forward_passes, long.windows) == (passes, len(cuts))
    assert long.document is text


@pytest.mark.parametrize("name", catalog.names("explainers"))
def test_long_and_short_texts_and_pairs_of_any_explainer_come_in_order_with_a_score_per_word(name):
    model = classifier(Lstm, method_class=Vmask if name == "gate" else Attention)
    if name == "rationale":
        add_reader(model.method, RationaleReader.Config())
    documents = [
        document("good plot"),
        document(SENTENCE * 10),
        document(""),
        document("x" * 90 + " was a " + "unreproachably" * 3),  # no window holds such a word
        document("good plot", "the plot was not good " * 8),
        document("the plot was not good " * 8, "good"),
        document("the plot was not good " * 4, "was the plot good " * 4),
    ]
    explanations = list(explain_documents(model, documents, small_explainer(name)))
    for text, explanation in zip(documents, explanations, strict=True):
        assert explanation.document is text
        assert explanation.scores.shape == (len(text.words),)
        assert np.isfinite(explanation.scores).all()
    assert [e.windows > 1 for e in explanations] == [False, True, False, True, True, True, True]
    cuts = model.windows([text.words for text in documents])
    assert [e.windows for e in explanations] == [max(1, len(windows)) for windows in cuts]
    for text, windows in zip(documents[4:], cuts[4:], strict=True):
        assert model.truncated_words([part(text.words, window) for window in windows]) == [0] * len(windows)


def test_all_windows_of_all_texts_share_their_batches():
    model, rows = classifier(), []
    forward = model.method.forward
    model.method.forward = lambda batch: (rows.append(len(batch)), forward(batch))[1]
    documents = [document(SENTENCE * 10)] * 5
    explanations = explain_in_windows(Occlusion(), model, documents)
    assert len(rows) == 2  # the predictions, then all windows
    assert sum(e.forward_passes for e in explanations) == sum(rows) == 5 * (1 + 3 * 13)


def test_a_word_level_encoder_reads_texts_whole():
    (explanation,) = explain_in_windows(Occlusion(), sample_classifier(), [document("film " * 500)])
    assert (explanation.windows, explanation.truncated_words, explanation.forward_passes) == (1, 0, 501)


def test_a_black_box_is_asked_about_whole_texts():
    box = BlackBox(lambda texts: np.full((len(texts), 2), 0.5), (0, 1))
    (explanation,) = explain_in_windows(Occlusion(), box, [document("film " * 500)], 1)
    assert (explanation.windows, explanation.target, len(explanation.scores)) == (1, 1, 500)


@given(st.text(max_size=40), st.none() | st.text(max_size=40), st.data())
def test_a_part_is_a_substring_with_the_chosen_words_at_their_places(text, pair, data):
    words = split(text, pair)
    chosen, first = [], 0
    for spans in words.spans:
        begin = data.draw(st.integers(0, len(spans)))
        chosen.extend(range(first + begin, first + data.draw(st.integers(begin, len(spans)))))
        first += len(spans)
    found = part(words, np.array(chosen, dtype=int))
    assert found.strings == tuple(words.strings[i] for i in chosen)
    assert all(string in whole for string, whole in zip(found.texts, words.texts, strict=True))
    assert part(words, np.arange(len(words))).spans == words.spans


def test_the_blanks_before_a_part_stay_because_some_tokenizers_read_them():
    words = split("one,  two", "three four five")
    assert part(words, np.array([2, 4, 5])).texts == ("  two", " four five")
    assert part(words, np.array([0, 3])).texts == ("one", "three")


def test_standard_errors_are_those_of_means_and_what_speaks_of_one_window_is_dropped():
    text = document("one two three")
    first = Explanation(
        document=document("one two"),
        scores=np.array([1.0, 2.0]),
        target=1,
        classes=(0, 1),
        probabilities=np.array([0.5, 0.5]),
        explainer="some",
        std_error=np.array([0.1, 0.3]),
        base_value=0.2,
        convergence_error=0.01,
        seed=3,
        forward_passes=10,
        seconds=1.0,
        converged=0.9,
        tied=np.array([True, False]),
        all_scores=np.array([[-1.0, -2.0], [1.0, 2.0]]),
        base_values=np.array([0.8, 0.2]),
        error=0.1,
        interactions=(Interaction(0, 1, 0.1),),
    )
    second = replace(
        first,
        scores=np.array([4.0, 3.0]),
        std_error=np.array([0.4, 0.2]),
        convergence_error=0.02,
        all_scores=np.array([[-4.0, -3.0], [4.0, 3.0]]),
        interactions=(Interaction(0, 1, -0.5),),
    )
    whole = stitch(text, [np.array([0, 1]), np.array([1, 2])], [first, second])
    assert whole.scores.tolist() == [1.0, 3.0, 3.0]
    np.testing.assert_allclose(whole.std_error, [0.1, 0.25, 0.2])  # half of √(0.3² + 0.4²)
    assert whole.all_scores.tolist() == [[-1.0, -3.0, -3.0], [1.0, 3.0, 3.0]]
    assert whole.interactions == (Interaction(1, 2, -0.5), Interaction(0, 1, 0.1))
    assert (whole.base_value, whole.converged, whole.tied, whole.base_values, whole.error) == (None,) * 5
    assert (whole.convergence_error, whole.seed, whole.target) == (0.02, 3, 1)
    assert (whole.forward_passes, whole.seconds, whole.windows) == (21, 2.0, 2)


def test_the_reader_is_told():
    (explanation,) = explain_in_windows(Occlusion(), classifier(), [document(SENTENCE * 10)])
    sentence = "The scores come from 3 overlapping windows; the prediction did not read the last 16 words."
    for shown in (explanation.to_html(), explanation.to_svg(), explanation.__rich__()):
        assert sentence in shown
    assert (explanation.to_dict()["windows"], explanation.to_dict()["truncated_words"]) == (3, 16)
