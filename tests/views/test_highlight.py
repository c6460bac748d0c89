from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.views import svg, terminal
from whyword.views.highlight import (
    BLUE,
    GRAY,
    NEGLIGIBLE,
    ORANGE,
    PALETTE,
    Color,
    Highlight,
    Paint,
    blend,
    class_color,
    hexadecimal,
    hue,
    opacity,
    tags,
    underline,
)

PLAIN = Highlight(("good, not bad",), (((0, 4), (6, 9), (10, 13)),), (0.5, 0.01, -1.0), True, "yes", 0.9, "lime")


def test_runs_name_words_and_what_lies_between_them() -> None:
    assert PLAIN.runs() == [
        [("good", 0.5, 0.5), (", ", None, 0.0), ("not", 0.01, 0.01), (" ", None, 0.0), ("bad", -1.0, -1.0)]
    ]


FOR = Paint(0.5, BLUE, "solid", "for yes")
AGAINST = Paint(1.0, ORANGE, "dashed", "against yes")


def test_passages_leave_weak_words_in_the_text_around_them() -> None:
    plain = Paint()
    assert PLAIN.passages() == [[("good", 0.5, FOR), (", not ", None, plain), ("bad", -1.0, AGAINST)]]
    assert PLAIN.passages(weakest=0.6) == [[("good, not ", None, plain), ("bad", -1.0, AGAINST)]]


def test_words_that_act_together_are_pieces_however_weak() -> None:
    pieces = replace(PLAIN, interactions=((2, 1, 0.3, None),)).pieces()[0]
    assert [(piece.string, piece.word) for piece in pieces] == [
        ("good", 0),
        (", ", None),
        ("not", 1),
        (" ", None),
        ("bad", 2),
    ]


@given(st.from_type(Highlight))
def test_runs_and_passages_keep_every_character(highlight: Highlight) -> None:
    for cut in (highlight.runs(), highlight.passages(), highlight.pieces(0.5)):
        assert tuple("".join(run[0] for run in runs) for runs in cut) == highlight.texts


@given(st.lists(st.floats(-1, 1).filter(lambda score: score == 0 or abs(score) > 1e-6)), st.floats(1e-6, 1e6))
def test_strengths_do_not_depend_on_the_scale_of_the_scores(scores: list[float], scale: float) -> None:
    spans = (tuple((i, i + 1) for i in range(len(scores))),)
    highlight = replace(PLAIN, texts=("x" * len(scores),), spans=spans, scores=tuple(scores))
    scaled = replace(highlight, scores=tuple(scale * score for score in scores))
    assert scaled.strengths == pytest.approx(highlight.strengths)


@given(st.from_type(Highlight))
def test_strengths_lie_between_minus_one_and_one_whatever_the_scores(highlight: Highlight) -> None:
    assert all(-1 <= strength <= 1 for strength in highlight.strengths)


def test_all_strengths_are_zero_when_nothing_speaks() -> None:
    silent = replace(PLAIN, scores=(0.0, 0.0, 0.0))
    assert silent.strengths == (0.0, 0.0, 0.0)
    assert silent.notes == ["No word stands out."]


def test_the_strongest_words_come_first_whatever_their_sign_and_ties_by_position() -> None:
    tied = replace(PLAIN, scores=(-1.0, 0.5, 1.0))
    assert [word[:2] for word in tied.strongest()] == [("good", -1.0), ("bad", 1.0), ("not", 0.5)]
    assert tied.strongest(1) == [("good", -1.0, AGAINST)]
    rounded = replace(tied, scores=(-1.0, 0.5, 1.0 + 1e-7))
    assert [word for word, _, _ in rounded.strongest()] == ["good", "bad", "not"]
    assert [word for word, _, _ in PLAIN.strongest()] == ["bad", "good"], f"below {NEGLIGIBLE} nothing is to be seen"


def test_signs_are_written_only_where_they_mean_something() -> None:
    assert PLAIN.written(0.41234) == "+0.412"
    assert replace(PLAIN, signed=False).written(0.41234) == "0.412"


def test_notes_say_how_many_words_were_not_read() -> None:
    assert PLAIN.notes == []
    assert replace(PLAIN, truncated_words=1).notes == ["The last word was not read by this model."]
    assert replace(PLAIN, truncated_words=1212).notes == ["The last 1,212 words were not read by this model."]


def test_notes_say_that_scores_come_from_windows_and_what_the_prediction_did_not_read() -> None:
    beyond = "The scores come from 3 overlapping windows; the prediction did not read the last"
    assert replace(PLAIN, truncated_words=1, windows=3).notes == [f"{beyond} word."]
    assert replace(PLAIN, truncated_words=1212, windows=3).notes == [f"{beyond} 1,212 words."]
    assert replace(PLAIN, windows=2).notes == ["The scores come from 2 overlapping windows."]


def test_notes_say_that_the_top_words_are_not_settled() -> None:
    assert replace(PLAIN, tied=2).notes == ["2 words are tied: which of them belong to the top ones is undecided."]


def test_gates_are_painted_from_the_median_word_up() -> None:
    gates = replace(PLAIN, signed=False, scores=(0.5, 0.9, 0.3))
    assert gates.strengths == pytest.approx((0.0, 1.0, 0.0))


def test_the_only_word_of_a_text_stands_out() -> None:
    alone = replace(PLAIN, texts=("Superb",), spans=(((0, 6),),), signed=False, scores=(0.8,))
    assert alone.strengths == (1.0,)


COLORS = [*PALETTE, GRAY]
STRENGTHS = [sign * step / 20 for step in range(21) for sign in (1, -1)]
PAGES: dict[str, tuple[Color, Color]] = {  # ink, ground
    "a bare page": ((0, 0, 0), (255, 255, 255)),
    "a bare dark page": ((255, 255, 255), (18, 18, 18)),
    "Jupyter": ((33, 33, 33), (255, 255, 255)),
    "Jupyter in dark": ((224, 224, 224), (17, 17, 17)),
    "VS Code": ((59, 59, 59), (255, 255, 255)),
    "VS Code in dark": ((204, 204, 204), (31, 31, 31)),
    "Colab in dark": ((227, 227, 227), (56, 56, 56)),
    "the picture": (svg.INK[0], svg.PAGE[0]),
    "the picture in dark": (svg.INK[1], svg.PAGE[1]),
}


def luminance(color: Color) -> float:
    """Relative luminance as WCAG 2 defines it."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in (c / 255 for c in color)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_measured_as_wcag_does() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((118, 118, 118), (255, 255, 255)) == pytest.approx(4.54, abs=0.005)  # the well-known #767676


@pytest.mark.parametrize("page", PAGES)
def test_text_on_paint_keeps_a_contrast_of_four_and_a_half(page: str) -> None:
    ink, ground = PAGES[page]
    for strength in STRENGTHS[::2]:
        for color in COLORS:
            assert contrast(ink, blend(color, opacity(strength), ground)) >= 4.5


@pytest.mark.parametrize("color", COLORS)
def test_painted_words_in_a_terminal_keep_a_contrast_of_four_and_a_half(color: Color) -> None:
    for strength in STRENGTHS[::2]:
        ground = blend(color, strength, GRAY)
        assert contrast(terminal.INK, ground) >= 4.5
        assert terminal.style(Paint(strength, color)).endswith(f"{hexadecimal(terminal.INK)} on {hexadecimal(ground)}")


def test_bars_in_a_terminal_stand_out_on_black_and_on_white() -> None:
    for color in COLORS:
        assert contrast(color, (0, 0, 0)) >= 3
        assert contrast(color, (255, 255, 255)) >= 3


def test_stronger_words_have_thicker_paint_and_thicker_lines() -> None:
    rising = [step / 100 for step in range(101)]
    assert [opacity(strength) for strength in rising] == sorted({opacity(strength) for strength in rising})
    assert [underline(strength) for strength in (0.0, 0.3, 0.4, 0.6, 0.7, 1.0)] == [0, 0, 1, 1, 2, 2]
    assert all(opacity(s) == opacity(-s) and underline(s) == underline(-s) for s in rising)


def test_the_sign_decides_between_blue_and_orange() -> None:
    assert hue(0.2) == BLUE
    assert hue(-0.2) == ORANGE


# Machado, Oliveira & Fernandes 2009: how linear RGB looks without red, green or blue cones.
EYES = {
    "normal": np.eye(3),
    "no red cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no blue cones": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def lab(color: Color, eye: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of a color as an eye sees it."""
    shares = np.array(color) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    to_xyz = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    xyz = np.array(to_xyz) @ np.clip(eye @ linear, 0, 1) / [0.95047, 1, 1.08883]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize(("eye", "least", "of_three"), [("normal", 30, 60), *((eye, 12, 30) for eye in list(EYES)[1:])])
def test_any_two_colors_differ_to_every_eye_and_the_first_three_by_far(eye: str, least: float, of_three: float) -> None:
    seen = [lab(color, EYES[eye]) for color in COLORS]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) >= least  # 2.3 is just noticeable
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen[:3], 2)) >= of_three


TWO = replace(PLAIN, classes=("no", "yes"), target=1, speaks_for=(1, 1, 0))
MANY = replace(PLAIN, classes=("bad", "fair", "yes"), target=2, speaks_for=(2, 2, 1))


def test_a_class_has_the_same_color_whichever_is_explained() -> None:
    turned = replace(TWO, label="no", target=0, scores=(-0.5, -0.01, 1.0))
    assert [paint.color for paint in TWO.paints] == [paint.color for paint in turned.paints] == [BLUE, BLUE, ORANGE]
    assert [paint.speaks for paint in turned.paints] == ["for yes", "for yes", "for no"]
    assert [paint.line for paint in TWO.paints] == ["solid", "solid", "dashed"]
    assert [paint.line for paint in turned.paints] == ["dashed", "dashed", "solid"]


def test_the_ninth_class_begins_anew_with_the_colors() -> None:
    assert [class_color(number) for number in range(8)] == list(PALETTE)
    assert class_color(8) == PALETTE[0]


def test_among_many_classes_a_word_bears_the_tag_of_its_class() -> None:
    assert [(paint.tag, paint.color) for paint in MANY.paints] == [
        ("y", PALETTE[2]),
        ("y", PALETTE[2]),
        ("f", PALETTE[1]),
    ]
    assert {paint.tag for paint in TWO.paints} == {""}
    assert {paint.tag for paint in replace(MANY, given=True).paints} == {""}  # one label of several: for it or against


def test_a_label_that_the_model_does_not_give_to_the_text_is_said_to_be_none_of_its_answer() -> None:
    shown = [replace(MANY, given=given).heading[0][1] for given in (None, True, False)]
    assert [share.endswith("%, not predicted") for share in shown] == [False, False, True]


@pytest.mark.parametrize(
    ("classes", "wanted"),
    [
        (["negative", "neutral", "positive"], ("neg", "neu", "pos")),
        (["ABBR", "DESC", "ENTY", "HUM"], ("a", "d", "e", "h")),
        (["0", "1", "10"], ("0", "1", "10")),
        (["label_1", "label_2", "label_3"], ("1", "2", "3")),
        (["", "a", "b"], ("1", "2", "3")),
    ],
)
def test_tags_are_the_fewest_letters_that_tell_classes_apart_or_numbers(
    classes: list[str], wanted: tuple[str, ...]
) -> None:
    assert tags(classes) == wanted


def test_where_nobody_knows_for_whom_a_word_speaks_it_is_gray_and_against() -> None:
    unknown = replace(MANY, speaks_for=(2, 2, None))
    assert unknown.paints[2] == Paint(1.0, GRAY, "dashed", "against yes")
    assert [meaning for meaning, _ in unknown.legend] == ["speaks for yes", "speaks against yes"]


def test_the_legend_names_the_classes_that_words_speak_for() -> None:
    assert [meaning for meaning, _ in TWO.legend] == ["speaks for yes", "speaks for no"]
    assert [meaning for meaning, _ in MANY.legend] == ["speaks for yes", "speaks for fair"]
    silent = replace(MANY, scores=(1.0, 0.1, 0.0))
    assert [meaning for meaning, _ in silent.legend] == ["speaks for yes"]
    contrast_with_bad = replace(MANY, against=0, scores=(1.0, 0.1, 0.0))
    assert [meaning for meaning, _ in contrast_with_bad.legend] == ["speaks for yes", "speaks for bad"]
    assert [(meaning, paint.line) for meaning, paint in replace(TWO, signed=False).legend] == [
        ("weight, not a reason for a class", "dotted")
    ]


def test_weights_are_never_painted_like_signed_scores() -> None:
    weights = replace(TWO, signed=False, scores=(0.5, 0.1, 0.2))
    assert {(paint.color, paint.line, paint.speaks) for paint in weights.paints} == {(GRAY, "dotted", "")}
    assert all(paint.thickness for paint in weights.paints)


def test_one_line_says_how_the_scores_add_up() -> None:
    scored = replace(TWO, scores=(0.5, 0.1, -0.2), base_value=0.5)
    assert scored.notes == ["Starts at 50.0%, words add +40.0%, = 90.0%."]
    missed = replace(scored, probability=0.8)
    assert missed.notes == ["Starts at 50.0%, words add +40.0%, = 90.0%; the model says 80.0%."]
    held = replace(scored, base_value=0.4, against=0, against_probability=0.1)
    assert held.notes == ["yes minus no: starts at 40.0%, words add +40.0%, = 80.0%."]
    assert (
        replace(scored, error=0.0123).notes[1] == "Checked on sub-texts: sums of scores miss the probability by 0.012."
    )


def test_two_words_that_act_together_are_told_in_one_sentence() -> None:
    (pair,) = replace(TWO, interactions=((2, 1, 0.314159, 1),)).pairs
    assert pair[:4] == ("①", 1, 2, "not + bad: together +0.314 (for yes)")
    assert pair.paint == Paint(1.0, BLUE, "solid", "for yes")
    (other,) = replace(MANY, interactions=((0, 1, -0.2, None),)).pairs
    assert other.sentence == "good + not: together -0.2 (against yes)"
