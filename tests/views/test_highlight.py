from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.views import svg, terminal
from whyword.views.highlight import (
    BLUE,
    NEGLIGIBLE,
    ORANGE,
    Color,
    Highlight,
    blend,
    hexadecimal,
    hue,
    opacity,
    underline,
)

PLAIN = Highlight(("good, not bad",), (((0, 4), (6, 9), (10, 13)),), (0.5, 0.01, -1.0), True, "yes", 0.9, "lime")


def test_runs_name_words_and_what_lies_between_them() -> None:
    assert PLAIN.runs() == [
        [("good", 0.5, 0.5), (", ", None, 0.0), ("not", 0.01, 0.01), (" ", None, 0.0), ("bad", -1.0, -1.0)]
    ]


def test_passages_leave_weak_words_in_the_text_around_them() -> None:
    assert PLAIN.passages() == [[("good", 0.5, 0.5), (", not ", None, 0.0), ("bad", -1.0, -1.0)]]
    assert PLAIN.passages(weakest=0.6) == [[("good, not ", None, 0.0), ("bad", -1.0, -1.0)]]


@given(st.from_type(Highlight))
def test_runs_and_passages_keep_every_character(highlight: Highlight) -> None:
    for cut in (highlight.runs(), highlight.passages()):
        assert tuple("".join(string for string, _, _ in runs) for runs in cut) == highlight.texts


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
    assert tied.strongest() == [("good", -1.0, -1.0), ("bad", 1.0, 1.0), ("not", 0.5, 0.5)]
    assert tied.strongest(1) == [("good", -1.0, -1.0)]
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
    for strength in STRENGTHS:
        assert contrast(ink, blend(hue(strength), opacity(strength), ground)) >= 4.5


def test_painted_words_in_a_terminal_keep_a_contrast_of_four_and_a_half() -> None:
    for strength in STRENGTHS:
        ground = blend(hue(strength), abs(strength), terminal.GRAY)
        assert contrast(terminal.INK, ground) >= 4.5
        assert terminal.style(strength).endswith(f"{hexadecimal(terminal.INK)} on {hexadecimal(ground)}")


def test_bars_in_a_terminal_stand_out_on_black_and_on_white() -> None:
    for color in (BLUE, ORANGE):
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
