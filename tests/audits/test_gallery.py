import numpy as np
import pytest

from whyword.audits.gallery import LONGEST, choose, cut, gallery, strongest_part
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation


def explanation(text, gold, good, scores=None, truncated_words=0):
    words = split(*text) if isinstance(text, tuple) else split(text)
    scores = np.zeros(len(words)) if scores is None else np.asarray(scores, dtype=float)
    probabilities = np.array([1 - good, good])
    target = int(probabilities.argmax())
    return Explanation(
        Document(words, gold), scores, target, ("bad", "good"), probabilities, "x", std_error=scores / 10,
        tied=scores > 1, truncated_words=truncated_words,
    )  # fmt: skip


def test_the_surest_and_the_least_sure_of_right_and_wrong_are_chosen():
    gold = [("good", p) for p in (0.99, 0.6, 0.8)] + [("bad", p) for p in (0.95, 0.55, 0.7)]
    found = choose([explanation("a b", label, p) for label, p in gold], each=1)
    assert found == [
        ("right and sure", 0), ("right and unsure", 1), ("wrong and sure", 3), ("wrong and unsure", 4),
    ]  # fmt: skip


def test_no_text_is_shown_twice_and_none_without_words():
    some = [explanation("", "good", 0.9), explanation("a", "good", 0.9), explanation("b", "good", 0.6)]
    assert choose(some, each=3) == [("right and sure", 1), ("right and sure", 2)]


def test_texts_of_the_same_sureness_up_to_rounding_come_in_their_order():
    some = [explanation("a", "good", p) for p in (1 - 2e-7, 0.6, 1 - 1e-7, 1.0, 0.6 + 1e-7)]
    assert [number for _, number in choose(some, each=5)] == [0, 2, 3, 1, 4]


def test_without_labels_texts_are_sure_or_unsure():
    found = choose([explanation("a", None, 0.9), explanation("a", None, 0.6)], each=1)
    assert found == [("sure", 0), ("unsure", 1)]


def test_a_few_unlabelled_texts_among_labelled_ones_are_left_out():
    assert choose([explanation("a", None, 0.9), explanation("a", "bad", 0.1)]) == [("right and sure", 1)]


def test_a_short_text_is_shown_whole():
    (item,) = gallery({"x": [explanation("a b", "bad", 0.8, [1, 2])]})
    assert "cut" not in item
    assert (item["why"], item["gold"], item["predicted"], item["probability"]) == ("wrong and sure", "bad", "good", 0.8)
    assert item["explanations"]["x"]["scores"] == [1, 2]
    assert item["explanations"]["x"]["signed"] is True


def test_a_long_text_is_cut_around_its_strongest_words():
    scores = np.zeros(1000)
    scores[[700, 720]] = 5.0
    (item,) = gallery({"x": [explanation("word " * 1000, "good", 0.8, scores)]})
    assert item["cut"] == {"words_shown": LONGEST, "words": 1000}
    shown = item["explanations"]["x"]
    assert sorted(shown["scores"])[-2:] == [5.0, 5.0]
    assert len(shown["words"]) == len(shown["scores"]) == len(shown["std_error"]) == len(shown["tied"]) == LONGEST
    assert [shown["text"][start:end] for start, end in shown["spans"]] == shown["words"]


def test_every_explainer_has_the_same_say_in_what_is_shown():
    loud, soft = np.zeros(10), np.zeros(10)
    loud[:2], soft[8:] = [100, 90], 0.1
    both = [explanation("w " * 10, None, 0.9, scores) for scores in (loud, soft)]
    assert strongest_part(both[:1], 2).tolist() == [0, 1]
    assert strongest_part(both[1:], 2).tolist() == [8, 9]
    assert strongest_part(both, 2).tolist() == [0, 1]
    assert len(strongest_part([explanation("w " * 10, None, 0.9)], 4)) == 4  # no score at all


@pytest.mark.parametrize(
    ("shown", "truncated_words"), [((0, 4), 0), ((5, 9), 2), ((7, 10), 3)], ids=["begin", "middle", "end"]
)
def test_only_the_unread_words_that_are_shown_count(shown, truncated_words):
    whole = explanation("w " * 10, None, 0.9, np.arange(10), truncated_words=3)
    assert cut(whole, np.arange(*shown)).truncated_words == truncated_words


def test_a_pair_may_be_cut_across_its_texts():
    whole = explanation(("a b c", "d e f"), None, 0.9, np.arange(6))
    part = cut(whole, np.arange(2, 5))
    assert part.words == ("c", "d", "e")
    assert part.document.words.segments == (0, 1, 1)
