import re
from dataclasses import replace

import numpy as np
import pytest

from audits.audit_data import explanation as named_explanation
from whyword.audits.data import Cut
from whyword.audits.gallery import (
    LONGEST,
    MOST_LETTERS,
    MOST_PAINTED,
    choose,
    cut,
    gallery,
    legend,
    paint,
    strongest_part,
)
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation
from whyword.views.highlight import GRAY, class_color

TEXT = "A gorgeous, witty, seductive movie that never once forgets its audience."


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
    assert item.cut is None
    assert (item.why, item.gold, item.predicted, item.probability) == ("wrong and sure", "bad", "good", 0.8)
    assert item.explanations["x"].scores.tolist() == [1, 2]
    values = item.to_dict()
    assert "cut" not in values
    assert (values["explanations"]["x"]["scores"], values["explanations"]["x"]["signed"]) == ([1, 2], True)


def test_a_long_text_is_cut_around_its_strongest_words():
    scores = np.zeros(1000)
    scores[[700, 720]] = 5.0
    (item,) = gallery({"x": [explanation("word " * 1000, "good", 0.8, scores)]})
    assert item.cut == Cut(LONGEST, 1000)
    assert item.to_dict()["cut"] == {"words_shown": LONGEST, "words": 1000}
    shown = item.to_dict()["explanations"]["x"]
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


def plain(html):
    return re.sub("<[^>]*>", "", html)


def test_the_text_is_kept_letter_by_letter():
    assert TEXT in plain(paint(named_explanation(TEXT, "lime", "positive", 0.9)))


def test_strong_words_are_painted_and_named():
    html = paint(named_explanation(TEXT, "lime", "positive", 0.9))
    assert re.search(r"<span[^>]*>gorgeous</span>", html)
    assert not re.search(r"<span[^>]*>movie</span>", html)
    assert "+0.318" in html


def test_no_more_words_than_a_limit_are_painted_even_if_all_score_alike():
    text = "word " * 250
    one = replace(named_explanation(text, "lime", "positive", 0.9), scores=np.ones(250))
    assert paint(one).count("<span") == MOST_PAINTED
    gates = replace(named_explanation(text, "own", "positive", 0.9), scores=np.arange(250) / 250)
    assert paint(gates).count("<span") <= MOST_PAINTED


def test_a_long_text_is_painted_only_up_to_a_limit():
    html = paint(named_explanation("word " * 10_000, "lime", "positive", 0.9))
    assert len(plain(html)) < MOST_LETTERS + 200
    assert "…" in html


def test_both_texts_of_a_pair_are_shown():
    html = plain(paint(explanation(("love it", "drags on"), None, 0.9, [0.1, 0.2, 0.3, 0.4])))
    assert "First text" in html
    assert "Second text" in html
    assert "drags on" in html


def test_scores_that_are_missing_and_texts_of_no_words_do_no_harm():
    assert "No word stands out." in paint(named_explanation("", "lime", "x", 0.5))
    one = named_explanation(TEXT, "lime", "x", 0.5)
    assert TEXT in plain(paint(replace(one, scores=np.nan * one.scores)))
    assert TEXT in plain(paint(replace(one, scores=np.full(len(one.scores), np.inf))))


def test_the_legend_says_what_the_paint_means():
    signed, weights = (named_explanation(TEXT, name, "positive", 0.9) for name in ("lime", "own"))
    meanings = legend([weights, signed, signed])
    assert [plain(meaning) for meaning in meanings] == [
        "speaks for another class",
        "speaks for positive",
        "weight, not a reason for a class",
    ]
    colors = ["rgba({},{},{}".format(*color) for color in (class_color(0), class_color(1), GRAY)]
    assert all(color in meaning for color, meaning in zip(colors, meanings, strict=True))


def three_classes(text="bad good odd rest", **settings):
    table = np.array([[0.3, -0.2, 0.02, 0.0], [-0.1, 0.3, -0.22, 0.0], [-0.2, -0.1, 0.2, 0.0]])
    document, probabilities = Document(split(text)), np.array([0.2, 0.5, 0.3])
    return Explanation(document, table[1], 1, ("<b>", "good", "odd"), probabilities, "x", all_scores=table, **settings)


def test_every_word_has_the_color_and_a_mark_of_the_class_it_speaks_for():
    html = paint(three_classes())
    for number, (word, tag) in enumerate(zip(("bad", "good", "odd"), "123", strict=True)):
        color = "rgba({},{},{}".format(*class_color(number))
        line = "solid" if word == "good" else "dashed"
        assert re.search(
            rf'<span style="background-color:{re.escape(color)}[^"]*px {line}"[^>]*>{word}<sup[^>]*>{tag}<', html
        ), word
    assert "<b>" not in html
    assert "odd -0.22 (for odd)" in plain(html)
    assert plain(html).startswith("bad1 good2 odd3 rest")


def test_a_part_of_a_text_has_the_scores_of_its_words_for_all_classes_and_no_longer_adds_up():
    whole = three_classes(base_value=0.5, base_values=np.array([0.1, 0.5, 0.4]))
    part = cut(whole, np.array([1, 2]))
    assert part.all_scores.tolist() == whole.all_scores[:, 1:3].tolist()
    assert part.speaks_for == (1, 2)
    assert part.base_value is None
    assert part.base_values is None
