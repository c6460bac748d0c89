import io
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console
from rich.style import Style
from rich.text import Text

from whyword.views import terminal
from whyword.views.characters import showable
from whyword.views.highlight import Highlight

REVIEW = Highlight(
    ("Thin plot, but a delight.",),
    (((0, 4), (5, 9), (11, 14), (15, 16), (17, 24)),),
    (-0.3, 0.0, 0.1, 0.001, 0.5),
    True,
    "positive",
    0.931,
    "lime",
)


def visible(text: str) -> str:
    return showable(text).replace("\r", "")


def printed(highlight: Highlight, **settings: bool) -> str:
    file = io.StringIO()
    Console(file=file, width=200, **settings).print(terminal.render(highlight))  # type: ignore[arg-type]
    return file.getvalue()


def one_word(text: str) -> Highlight:
    return replace(REVIEW, texts=(text,), spans=(((0, len(text)),),), scores=(1.0,))


@given(st.from_type(Highlight))
@example(one_word("[bold]"))
@example(one_word("[/]"))
@example(one_word("trailing \\"))
@example(one_word("trailing \\\\"))
@example(one_word("\\[1] \\\\[a] [a\\] [:smile:] :smile:"))
@example(replace(REVIEW, texts=("[bold",), spans=((),), scores=(), label="a[b\\", explainer="\\[x"))
def test_rich_gives_back_any_text_exactly(highlight: Highlight) -> None:
    plain = Text.from_markup(terminal.render(highlight)).plain
    heading = " against ".join(f"{visible(label)} {share}" for label, share in highlight.heading)
    heading += f" · {visible(highlight.explainer)}\n\n"
    bodies = [
        "".join(visible(string) + paint.tag.translate(terminal._RAISED) for string, _, paint in passages)
        for passages in highlight.passages(terminal.WEAKEST)
    ]
    if not any(paint.tag for paint in highlight.paints):
        assert bodies == [visible(text) for text in highlight.texts]
    if len(bodies) == 2:
        bodies = [f"First text:\n{bodies[0]}", f"Second text:\n{bodies[1]}"]
    assert plain.startswith(heading + "\n\n".join(bodies) + "\n\n")


def test_no_escape_sequence_of_the_text_reaches_the_terminal() -> None:
    assert "\x1b" not in printed(one_word("\x1b[31mred \x1b]0;title\x07 \x9b31m"))


def test_every_word_is_in_the_style_of_its_strength() -> None:
    text = Text.from_markup(terminal.render(REVIEW))
    spans = {text.plain[span.start : span.end]: str(span.style) for span in text.spans}
    assert spans["delight"] == "bold underline #ffffff on #0072b2"
    assert spans["Thin"].startswith("italic #ffffff on ")
    assert spans["but"].startswith("#ffffff on ")
    assert "plot" not in spans
    for strength in (-1.0, -0.5, -0.1, 0.0, 0.1, 0.5, 1.0):
        Style.parse(terminal.style(REVIEW.paint(strength, None)))
        Style.parse(terminal.style(replace(REVIEW, signed=False).paint(strength, None)))


def test_without_color_emphasis_remains() -> None:
    shown = printed(REVIEW, force_terminal=True, no_color=True)
    assert "\x1b[1;4mdelight\x1b[0m" in shown
    assert "\x1b[3mThin\x1b[0m" in shown


def test_without_any_style_the_list_of_words_remains() -> None:
    assert printed(REVIEW, force_terminal=False).splitlines() == [
        "positive 93.1% · lime",
        "",
        "Thin plot, but a delight.",
        "",
        "delight  +0.5  ████████████████████ for positive",
        "Thin     -0.3  ████████████ against positive",
        "but      +0.1  ████ for positive",
        "",
        " + speaks for positive   - speaks against positive ",
    ]


def test_the_list_names_classes_pairs_and_how_scores_add_up() -> None:
    two = replace(
        REVIEW,
        classes=("negative", "positive"),
        target=1,
        speaks_for=(0, None, 1, 1, 1),
        base_value=0.63,
        interactions=((0, 1, -0.2, 0),),
    )
    assert printed(two, force_terminal=False).splitlines()[4:] == [
        "delight  +0.5  ████████████████████ for positive",
        "Thin     -0.3  ████████████ for negative",
        "but      +0.1  ████ for positive",
        "",
        "Thin + plot: together -0.2 (for negative)",
        "",
        " + speaks for positive   - speaks for negative ",
        "Starts at 63.0%, words add +30.1%, = 93.1%.",
    ]


def test_among_many_classes_words_bear_raised_tags() -> None:
    many = replace(
        REVIEW, classes=("negative", "neutral", "positive"), target=2, speaks_for=(0, None, 2, 2, 2), scores=(-0.3,) * 5
    )
    assert "Thinⁿᵉᵍ plot" in printed(replace(many, scores=REVIEW.scores))


def test_numbers_of_the_text_are_not_colored_by_rich() -> None:
    shown = printed(replace(one_word("word"), texts=("word 42 'quoted'",)), force_terminal=True, no_color=False)
    assert "\x1b[1;36m42" not in shown
    assert "\x1b[32m'quoted'" not in shown


@pytest.mark.parametrize(("strength", "bar"), [(1.0, "█" * 20), (0.5, "█" * 10), (0.05, "█"), (0.125, "██▌")])
def test_bars_are_as_long_as_words_are_strong(strength: float, bar: str) -> None:
    two = replace(REVIEW, texts=("ab",), spans=(((0, 1), (1, 2)),), scores=(1.0, strength))
    assert printed(two).splitlines()[5].endswith(f"  {bar} for positive")


def test_scores_stand_below_each_other_whatever_the_script() -> None:
    two = replace(REVIEW, texts=("東京 abcd",), spans=(((0, 2), (3, 7)),), scores=(1.0, 0.5))
    lines = printed(two).splitlines()[4:6]
    assert lines[0].startswith("東京    +1  ")
    assert lines[1].startswith("abcd  +0.5  ")


def test_a_very_long_word_is_cut_in_the_list_only() -> None:
    shown = printed(one_word("x" * 100))
    assert "x" * 100 in shown
    assert "x" * 23 + "…  +1" in shown


def test_unsigned_scores_have_one_color_and_no_signs() -> None:
    markup = terminal.render(replace(REVIEW, signed=False, scores=(0.3, 0.0, 0.1, 0.0, 0.5)))
    assert "#c45000" not in markup
    assert "#0072b2" not in markup
    assert "weight, not a reason for a class" in markup
    assert "underline2" in markup
    assert "+" not in Text.from_markup(markup).plain


def test_words_that_were_not_read_are_told() -> None:
    assert printed(replace(REVIEW, truncated_words=212)).endswith("\nThe last 212 words were not read by this model.\n")


def test_a_word_that_is_not_read_is_struck_out():
    assert "[strike]plot[/]" in terminal.render(replace(REVIEW, forbidden=(1,)))
