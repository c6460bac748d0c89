"""Any function from strings to probabilities, asked like a model of ours."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from whyword.data.words import split
from whyword.inference.black_box import BATCH_TEXTS, BlackBox, sub_text
from whyword.interfaces.classifier import Classifier, OpenClassifier
from whyword.interfaces.errors import ModelError, OptionError


def share_of_good(texts):
    """Call a text good by its share of a's."""
    joined = [text if isinstance(text, str) else "|".join(text) for text in texts]
    good = np.array([text.count("a") / (len(text) + 1) for text in joined])
    return np.stack([1 - good, good], axis=1)


@pytest.mark.parametrize(
    ("text", "kept", "left"),
    [
        ("I don't know", "1111", "I don't know"),
        ("I don't know", "1011", "I n't know"),
        ("I don't know", "1101", "I do know"),
        ("one, two", "111", "one, two"),
        ("one, two", "101", "one two"),
        ("one,two", "101", "one two"),
        ("  one   two ", "11", "one two"),
        ("one two", "00", ""),
        ("", "", ""),
        ("(good)", "010", "good"),
    ],
)
def test_words_that_meet_are_parted_by_a_space_unless_they_always_touched(text, kept, left):
    assert sub_text(split(text), [mark == "1" for mark in kept]) == (left,)


@given(st.text(max_size=30), st.none() | st.text(max_size=20), st.data())
def test_a_sub_text_holds_the_kept_words_in_order(text, pair, data):
    words = split(text, pair)
    kept = data.draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words)))
    strings = sub_text(words, kept)
    assert len(strings) == len(words.texts)
    for number, string in enumerate(strings):
        stay = [w for w, s, k in zip(words.strings, words.segments, kept, strict=True) if k and s == number]
        assert string.replace(" ", "") == "".join(stay).replace(" ", "")


def test_pairs_keep_both_texts():
    words = split("one two", "three four")
    assert sub_text(words, [True, False, False, True]) == ("one", "four")
    asked = []
    closed = BlackBox(lambda texts: (asked.extend(texts), share_of_good(texts))[1], (0, 1))
    closed.probabilities_of_subsets(words, torch.tensor([[True, False, False, True]]))
    closed.probabilities([split("single"), words])
    assert asked == [("one", "four"), "single", ("one two", "three four")]


@pytest.mark.parametrize(
    ("text", "kept", "left"),
    [
        ("I don't know", "1111", "I don't know"),
        ("I don't know", "1011", "I ?n't know"),
        ("one, two", "100", "one? ?"),
        ("  one   two ", "00", "? ?"),
        ("", "", ""),
    ],
)
def test_a_replacement_stands_where_the_word_stood(text, kept, left):
    assert sub_text(split(text), [mark == "1" for mark in kept], "?") == (left,)


@pytest.mark.parametrize(("removal", "word"), [("unknown", "[UNK]"), ("mask", "[MASK]")])
def test_removed_words_are_replaced_in_both_texts_and_each_string_is_asked_about_once(removal, word):
    asked = []
    closed = BlackBox(lambda texts: (asked.extend(texts), share_of_good(texts))[1], (0, 1))
    kept = torch.tensor([[True, False, False, True]] * 3)
    answers = closed.probabilities_of_subsets(split("one two", "three four"), kept, removal)
    assert asked == [(f"one {word}", f"{word} four")]
    assert answers.shape == (3, 2)
    (many,) = closed.probabilities_of_many([(split("one two", "three four"), kept)], removal)
    assert torch.equal(many, answers)


@pytest.mark.parametrize(
    ("removal", "sentence"),
    [
        ("pad", "Removal 'pad' needs a model's own tokens: for a black box choose delete, unknown or mask."),
        (
            "deleted",
            "No 'deleted' in the ways to remove words: choose from delete, mask, pad, unknown. Did you mean 'delete'?",
        ),
    ],
)
def test_what_strings_cannot_do_is_refused_in_one_sentence(removal, sentence):
    with pytest.raises(OptionError) as caught:
        BlackBox(share_of_good, (0, 1)).probabilities_of_subsets(split("a b"), torch.ones(1, 2).bool(), removal)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(("answer", "sentence"), [([[-1.5, 2.5]], "with -1.5"), ([[40.0, 60.0]], "with 40")])
def test_logits_and_percentages_are_no_probabilities(answer, sentence):
    with pytest.raises(OptionError, match=f"predict_proba answered {sentence}: it must return probabilities"):
        BlackBox(lambda _: answer, (0, 1)).probabilities([split("a")])


def test_a_trifle_above_1_is_no_reason_to_refuse():
    answers = BlackBox(lambda _: [[-1e-5, 1.00001]], (0, 1)).probabilities([split("a")])
    assert answers.tolist() == [[-1e-5, 1.00001]]


def test_a_function_that_fails_is_one_sentence_and_its_own_error_the_cause():
    with pytest.raises(ModelError, match=r"^The model failed on 1 texts .KeyError: 'x'.: it must take") as caught:
        BlackBox(lambda _: {}["x"], (0, 1)).probabilities([split("a b")])
    assert isinstance(caught.value.__cause__, KeyError)


def test_it_is_a_closed_classifier():
    closed = BlackBox(share_of_good, ("bad", "good"))
    assert isinstance(closed, Classifier)
    assert not isinstance(closed, OpenClassifier)


def test_answers_are_the_functions_own():
    closed = BlackBox(share_of_good, ("bad", "good"))
    texts = [split("a banana"), split(""), split("a banana"), split("kiwi")]
    expected = torch.from_numpy(share_of_good([text.texts[0] for text in texts]))
    assert torch.equal(closed.probabilities(texts), expected)
    kept = torch.tensor([[True, False], [False, True], [False, False], [True, True]])
    expected = torch.from_numpy(share_of_good(["a", "banana", "", "a banana"]))
    assert torch.equal(closed.probabilities_of_subsets(texts[0], kept), expected)
    many = list(closed.probabilities_of_many([(texts[0], kept), (texts[3], kept[:1, :1])]))
    assert torch.equal(many[0], expected)
    assert many[1].shape == (1, 2)


def test_each_distinct_sub_text_is_asked_about_once():
    asked = []
    closed = BlackBox(lambda texts: (asked.extend(texts), share_of_good(texts))[1], (0, 1))
    kept = torch.zeros(100, 3, dtype=torch.bool)
    kept[50:, 1] = True
    kept[:10, 0] = True
    closed.probabilities_of_subsets(split("same same other"), kept)  # keeping the one "same" or the other is the same
    assert sorted(asked) == ["", "same"]


def test_strings_are_handed_over_in_bounded_portions():
    sizes = []
    closed = BlackBox(lambda texts: (sizes.append(len(texts)), share_of_good(texts))[1], (0, 1))
    closed.probabilities([split(f"a{number}") for number in range(2 * BATCH_TEXTS + 1)])
    assert sizes == [BATCH_TEXTS, BATCH_TEXTS, 1]


def test_lists_and_narrow_floats_are_fine():
    closed = BlackBox(lambda texts: [[0.25, 0.75]] * len(texts), (0, 1))
    assert closed.probabilities([split("x")]).tolist() == [[0.25, 0.75]]


def test_nothing_asked_nothing_answered():
    closed = BlackBox(share_of_good, (0, 1))
    assert closed.probabilities([]).shape == (0, 2)
    assert closed.probabilities_of_subsets(split("a b"), torch.zeros(0, 2, dtype=torch.bool)).shape == (0, 2)


@pytest.mark.parametrize(
    "answer",
    [
        lambda texts: np.ones(len(texts)),
        lambda texts: np.ones((len(texts), 3)),
        lambda texts: np.ones((len(texts) + 1, 2)),
    ],
)
def test_answers_of_the_wrong_shape_are_refused_with_both_shapes(answer):
    with pytest.raises(OptionError, match=r"answered 2 texts with an array of shape .* each of the 2 classes"):
        BlackBox(answer, (0, 1)).probabilities([split("a"), split("b")])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_answers_that_are_no_numbers_are_refused(value):
    with pytest.raises(OptionError, match="NaN or infinity"):
        BlackBox(lambda texts: np.full((len(texts), 2), value), (0, 1)).probabilities([split("a")])
