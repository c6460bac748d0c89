import io
import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rich.console import Console

from whyword.interfaces.document import Document, Words
from whyword.interfaces.errors import MissingExtraError, OptionError, WhywordError
from whyword.interfaces.explanation import Explanation, Interaction, WordImportance

SINGLE = Explanation(
    document=Document(Words(("Thin plot, a delight",), (((0, 4), (5, 9), (11, 12), (13, 20)),))),
    scores=np.array([-0.3, 0.1, 0.1, 0.5]),
    target=1,
    classes=("negative", "positive"),
    probabilities=np.array([0.1, 0.9]),
    explainer="lime",
    base_value=0.5,
    seed=7,
    forward_passes=100,
    seconds=0.25,
)
PAIR = replace(
    SINGLE,
    document=Document(Words(("A man sleeps", "He wakes"), (((2, 5), (6, 12)), ((0, 2), (3, 8))))),
    std_error=np.array([0.01, 0.02, 0.03, 0.04]),
)


def test_label_and_probability_are_those_of_the_target() -> None:
    assert (SINGLE.label, SINGLE.probability) == ("positive", 0.9)
    assert replace(SINGLE, target=0, classes=(0, 1)).label == 0


def test_the_top_words_come_by_size_and_ties_by_position() -> None:
    assert SINGLE.top(3) == [("delight", 0.5), ("Thin", -0.3), ("plot", 0.1)]
    assert len(SINGLE.top()) == 4
    assert SINGLE.strongest.tolist() == [3, 0, 1, 2]
    assert SINGLE.ranking.tolist() == [3, 1, 2, 0], "the ranking is by what speaks for the target"


TABLE = np.array([[0.1, 0.2, -0.3, 0.0], [-0.3, 0.1, 0.1, 0.5], [0.2, -0.3, 0.2, -0.5]])  # (class, word)
BASES = np.array([0.2, 0.3, 0.5])
THREE = replace(
    SINGLE,
    classes=("bad", "fair", "good"),
    all_scores=TABLE,
    base_values=BASES,
    base_value=0.3,
    probabilities=BASES + TABLE.sum(1),
    interactions=(Interaction(0, 3, -0.25),),
    error=0.01,
)


def test_the_same_explanation_can_be_had_for_every_class_and_adds_up_for_each() -> None:
    assert THREE.for_class("fair") is THREE
    for number, label in enumerate(THREE.classes):
        other = THREE.for_class(label)
        assert (other.target, other.label, other.against) == (number, label, None)
        assert other.scores.tolist() == TABLE[number].tolist()
        assert other.base_value == BASES[number]
        assert other.base_value + other.scores.sum() == pytest.approx(other.probability)
    assert THREE.for_class("bad").interactions == (), "they were looked for, for another class"


def test_a_contrast_is_the_difference_of_two_classes_and_adds_up_to_that_of_their_probabilities() -> None:
    contrast = THREE.for_class("good", against="bad")
    np.testing.assert_allclose(contrast.scores, [0.1, -0.5, 0.5, -0.5])
    difference = THREE.probabilities[2] - THREE.probabilities[0]
    assert contrast.base_value + contrast.scores.sum() == pytest.approx(difference)
    assert contrast.speaks_for == (2, 0, 2, 0)
    back = THREE.for_class("bad", against="good")
    np.testing.assert_allclose(back.scores, -contrast.scores)
    assert contrast.for_class("fair").scores.tolist() == TABLE[1].tolist()
    assert contrast.to_dict()["against"] == "bad"
    assert str(contrast).startswith("good against bad (")


def test_what_cannot_be_had_for_a_class_is_refused_in_one_sentence() -> None:
    with pytest.raises(OptionError, match="No scores for 'negative': lime scores one class only"):
        SINGLE.for_class("negative")
    with pytest.raises(OptionError, match="No scores for 'bad' against 'bad': a class is never against itself"):
        THREE.for_class("bad", "bad")
    with pytest.raises(OptionError, match="Did you mean 'good'"):
        THREE.for_class("goo")


def test_words_speak_for_the_target_or_for_whoever_gains_most() -> None:
    assert SINGLE.speaks_for == (0, 1, 1, 1), "of two classes, the other"
    assert THREE.speaks_for == (2, 1, 1, 1), "of several, the one that gains most"
    assert THREE.for_class("good").speaks_for == (2, 0, 2, 1)
    assert replace(THREE, all_scores=None).speaks_for == (None, 1, 1, 1), "nobody knows"
    assert replace(THREE, scores=np.zeros(4)).speaks_for == (None,) * 4
    assert replace(SINGLE, signed=False).speaks_for == (None,) * 4
    nobody_gains = replace(THREE, all_scores=np.where(TABLE > 0, 0.0, TABLE))
    assert nobody_gains.speaks_for[0] is None


def test_plain_values_hold_every_class_and_what_acts_together() -> None:
    values = json.loads(json.dumps(THREE.to_dict()))
    assert values["speaks_for"] == ["good", "fair", "fair", "fair"]
    assert list(values["all_scores"]) == list(values["base_values"]) == ["bad", "fair", "good"]
    for name, probability in values["probabilities"].items():
        assert values["base_values"][name] + sum(values["all_scores"][name]) == pytest.approx(probability)
    assert values["all_scores"]["fair"] == values["scores"]
    assert values["error"] == 0.01
    assert values["interactions"] == [
        {"words": ["Thin", "delight"], "spans": [[0, 4], [13, 20]], "score": -0.25, "speaks_for": None}
    ]
    cut = THREE.to_dict(top=2)
    assert cut["words"] == ["Thin", "delight"]
    assert cut["all_scores"]["good"] == [0.2, -0.5]
    assert cut["speaks_for"] == ["good", "fair"]
    pair = replace(PAIR, interactions=(Interaction(1, 2, 0.4),)).to_dict()["interactions"]
    assert pair == [
        {
            "words": ["sleeps", "He"],
            "spans": [[6, 12], [0, 2]],
            "segments": [0, 1],
            "score": 0.4,
            "speaks_for": "positive",
        }
    ]


def test_a_frame_has_a_column_per_class_and_the_whole_text_in_its_attributes() -> None:
    frame = THREE.to_frame()
    assert list(frame.columns)[4:] == ["score", "speaks_for", "score for bad", "score for fair", "score for good"]
    assert frame["score for good"].tolist() == TABLE[2].tolist()
    assert frame.attrs["base_values"]["good"] + frame["score for good"].sum() == pytest.approx(
        frame.attrs["probabilities"]["good"]
    )
    assert frame.attrs["interactions"] == THREE.to_dict()["interactions"]
    assert frame.attrs["error"] == 0.01
    assert THREE.for_class("good", "bad").to_frame().attrs["against"] == "bad"


def test_every_view_shows_classes_sums_and_pairs() -> None:
    for view in (THREE.to_html(), THREE.to_svg(), THREE.__rich__()):
        assert "speaks for fair" in view
        assert "speaks for good" in view
        assert "Thin + delight: together -0.25 (against fair)" in view
        assert "tarts at 30.0%, words add +40.0%, = 70.0%." in view


def test_scores_that_only_rounding_tells_apart_stay_in_reading_order() -> None:
    scores = np.array([0.1, 0.5, 0.5 + 1e-7, 0.1 + 1e-7])
    explanation = replace(SINGLE, scores=scores)
    assert explanation.ranks.tolist() == [1, 0, 0, 1]
    assert explanation.ranking.tolist() == [1, 2, 0, 3]
    small = replace(SINGLE, scores=scores * 1e-6)
    assert small.ranking.tolist() == [1, 2, 0, 3]
    assert replace(small, resolution=1e-6).ranking.tolist() == [0, 1, 2, 3]


@given(arrays(np.float64, st.integers(0, 12), elements=st.sampled_from([-1.0, 0.0, 0.5, 1.0])))
def test_ranking_is_a_stable_order_of_all_words(scores: np.ndarray) -> None:
    expected = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    assert replace(SINGLE, scores=scores).ranking.tolist() == expected


@given(st.permutations([0.1, 0.2, 0.3, 0.4]), st.floats(1e-3, 1e3))
def test_scaling_scores_keeps_the_ranking_and_the_picture(scores: list[float], scale: float) -> None:
    one, other = replace(SINGLE, scores=np.array(scores)), replace(SINGLE, scores=scale * np.array(scores))
    assert one.ranking.tolist() == other.ranking.tolist()
    assert one.to_svg().count("<rect") == other.to_svg().count("<rect")


def test_words_and_spans_of_a_pair_follow_each_other() -> None:
    assert PAIR.words == ("man", "sleeps", "He", "wakes")
    assert PAIR.spans == ((2, 5), (6, 12), (0, 2), (3, 8))


def test_plain_values_survive_json() -> None:
    values = SINGLE.to_dict()
    assert json.loads(json.dumps(values)) == values
    assert values == {
        "text": "Thin plot, a delight",
        "label": "positive",
        "probability": 0.9,
        "probabilities": {"negative": 0.1, "positive": 0.9},
        "explainer": "lime",
        "signed": True,
        "words": ["Thin", "plot", "a", "delight"],
        "spans": [[0, 4], [5, 9], [11, 12], [13, 20]],
        "scores": [-0.3, 0.1, 0.1, 0.5],
        "speaks_for": ["negative", "positive", "positive", "positive"],
        "convergence_error": None,
        "base_value": 0.5,
        "seed": 7,
        "forward_passes": 100,
        "seconds": 0.25,
        "truncated_words": 0,
        "known_words": None,
        "windows": 1,
        "converged": None,
    }


def test_plain_values_of_a_pair_say_which_text_each_word_is_from() -> None:
    values = json.loads(json.dumps(PAIR.to_dict()))
    assert values["text_pair"] == "He wakes"
    assert values["segments"] == [0, 0, 1, 1]
    assert values["std_error"] == [0.01, 0.02, 0.03, 0.04]


def test_the_strongest_words_alone_come_in_reading_order() -> None:
    values = PAIR.to_dict(top=2)
    assert values["words"] == ["man", "wakes"]
    assert values["scores"] == [-0.3, 0.5]
    assert values["std_error"] == [0.01, 0.04]
    assert values["segments"] == [0, 1]
    assert SINGLE.to_dict(top=0)["words"] == []


def test_a_frame_has_a_row_per_word() -> None:
    frame = PAIR.to_frame()
    assert list(frame.columns) == ["word", "start", "end", "segment", "score", "speaks_for", "std_error"]
    assert frame["word"].tolist() == ["man", "sleeps", "He", "wakes"]
    assert frame["score"].tolist() == [-0.3, 0.1, 0.1, 0.5]
    assert "std_error" not in SINGLE.to_frame().columns


def test_without_pandas_a_frame_is_refused_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'whyword\[frames\]'"):
        SINGLE.to_frame()


def test_in_one_line_it_names_the_class_and_the_strongest_words() -> None:
    assert str(SINGLE) == "positive (90.0%) by lime: delight +0.500, Thin -0.300, plot +0.100, a +0.100"
    unsigned = replace(SINGLE, signed=False, scores=np.array([0.1, 0.2, 0.3, 0.4]))
    assert str(unsigned).startswith("positive (90.0%) by lime: delight 0.400, a 0.300")


def test_a_notebook_shows_the_html() -> None:
    assert SINGLE._repr_html_() == SINGLE.to_html()
    assert ">delight</span>" in SINGLE.to_html()


def test_a_picture_has_the_width_that_is_asked_for() -> None:
    assert 'width="720"' in SINGLE.to_svg()
    assert 'width="400"' in SINGLE.to_svg(width=400)


def test_a_terminal_shows_brackets_and_emoji_codes_as_they_are() -> None:
    text = "[bold]x[/] :smile: 10 \\"
    file = io.StringIO()
    document = Document(Words((text,), (((0, 8), (11, 18)),)))
    Console(file=file, width=100).print(replace(SINGLE, document=document, scores=np.array([0.5, 0.1])))
    assert f"\n{text}\n" in file.getvalue()


def test_a_text_without_words_can_be_shown_everywhere() -> None:
    empty = replace(SINGLE, document=Document(Words(("",), ((),))), scores=np.zeros(0))
    assert "No word stands out." in empty.to_html()
    assert "No word stands out." in empty.to_svg()
    assert "No word stands out." in empty.__rich__()
    assert empty.top() == []
    assert json.dumps(empty.to_dict())
    assert len(empty.to_frame()) == 0


IMPORTANCE = WordImportance(("a", "b", "c", "d"), np.array([0.1, 0.9, 0.5, 0.9]), np.array([7, 1, 2, 3]), "the gate")


def test_the_most_important_words_come_by_score_and_ties_by_position() -> None:
    assert IMPORTANCE.top(3).words == ("b", "d", "c")
    assert IMPORTANCE.top(3).frequencies.tolist() == [1, 3, 2]
    assert [row["word"] for row in IMPORTANCE.rows()] == ["b", "d", "c", "a"]
    assert json.loads(json.dumps(next(IMPORTANCE.rows()))) == {
        "word": "b",
        "class": None,
        "score": 0.9,
        "frequency": 1,
    }


def test_rare_words_can_be_left_out() -> None:
    assert IMPORTANCE.at_least(2).words == ("a", "c", "d")
    assert len(IMPORTANCE.at_least(8)) == 0
    assert str(IMPORTANCE.at_least(3)) == "2 words by the gate: d 0.900 (3x), a 0.100 (7x)"


def test_a_frame_of_words_has_the_highest_first() -> None:
    frame = IMPORTANCE.to_frame()
    assert list(frame.columns) == ["word", "class", "score", "frequency"]
    assert frame["word"].tolist() == ["b", "d", "c", "a"]
    assert frame["frequency"].tolist() == [1, 3, 2, 7]


PER_WORD = np.array([[0.3, -0.3, 0.0, 0.1], [-0.1, 0.2, 0.0, 0.2], [-0.2, 0.1, 0.0, -0.3]])
PER_CLASS = WordImportance(
    ("worst", "delicious", "the", "hyped"),
    PER_WORD.max(0),
    np.array([2, 5, 9, 1]),
    "the sum",
    ("bad", "good", 3),
    PER_WORD,
)


def test_words_are_listed_under_every_class_they_speak_for_and_under_no_other() -> None:
    lists = {label: list(zip(p.words, p.scores.tolist(), strict=True)) for label, p in PER_CLASS.by_class().items()}
    assert lists == {
        "bad": [("worst", 0.3), ("hyped", 0.1)],
        "good": [("delicious", 0.2), ("hyped", 0.2)],
        3: [("delicious", 0.1)],
    }
    assert PER_CLASS.labels == ("bad", "good", None, "good")
    assert [(row["class"], row["word"], row["score"]) for row in PER_CLASS.rows()] == [
        (label, *pair) for label, pairs in lists.items() for pair in pairs
    ]
    assert PER_CLASS.to_frame()["class"].tolist() == ["bad", "bad", "good", "good", 3]


def test_the_words_of_one_class_can_be_cut_and_listed_like_any_others() -> None:
    bad = PER_CLASS.for_class("bad")
    assert [row["word"] for row in bad.top(1).rows()] == ["worst"]
    assert [(row["word"], row["class"]) for row in bad.at_least(2).rows()] == [("worst", "bad")]
    assert bad.by_class()["bad"].words == bad.words
    assert PER_CLASS.top(1).words == ("worst", "delicious")  # hyped speaks for good as much, but comes later
    assert PER_CLASS.top(2).words == ("worst", "delicious", "hyped")
    assert str(PER_CLASS.at_least(2)) == (
        "3 words by the sum: bad: worst 0.300 (2x); good: delicious 0.200 (5x); 3: delicious 0.100 (5x)"
    )


def test_scores_for_no_class_have_no_words_of_a_class() -> None:
    assert IMPORTANCE.labels == (None,) * 4
    with pytest.raises(OptionError, match="the gate is not for a class"):
        IMPORTANCE.for_class("bad")
    with pytest.raises(WhywordError, match="No 'badd' in the classes"):
        PER_CLASS.for_class("badd")
