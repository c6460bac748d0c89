import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.views import svg
from whyword.views.characters import showable
from whyword.views.highlight import Highlight

NAMESPACE = "{http://www.w3.org/2000/svg}"
REVIEW = Highlight(
    ("Thin plot, but a delight.",),
    (((0, 4), (5, 9), (11, 14), (15, 16), (17, 24)),),
    (-0.3, 0.0, 0.1, 0.001, 0.5),
    True,
    "positive",
    0.931,
    "lime",
)


def pieces(picture: str, size: int = 17) -> list[str]:
    """The pieces of text that are drawn in a font size, without their tooltips."""
    texts = [
        text for text in ElementTree.fromstring(picture).iter(f"{NAMESPACE}text") if text.get("font-size") == str(size)
    ]
    return ["".join([text.text or "", *(child.tail or "" for child in text)]) for text in texts]


def ink(text: str) -> str:
    """The characters that leave a mark."""
    return re.sub(r"\s", "", text)


@given(st.from_type(Highlight), st.integers(1, 900))
def test_any_text_gives_a_picture_with_all_its_characters(highlight: Highlight, width: int) -> None:
    picture = svg.render(highlight, width)
    picture.encode()
    shown = ink("".join(pieces(picture)[1:]))
    expected = ink(showable("".join(highlight.texts)))
    assert shown == expected or "more line" in picture


@given(st.from_type(Highlight))
def test_no_element_but_ours_gets_through(highlight: Highlight) -> None:
    elements = {element.tag for element in ElementTree.fromstring(svg.render(highlight, 300)).iter()}
    assert elements <= {NAMESPACE + tag for tag in ("svg", "title", "desc", "style", "g", "rect", "path", "text")}


def test_paint_lies_behind_its_word_and_within_the_width() -> None:
    picture = svg.render(replace(REVIEW, scores=(1.0,) * 5), 160)
    root = ElementTree.fromstring(picture)
    paint = [rect for rect in root.iter(f"{NAMESPACE}rect") if rect.get("fill-opacity")]
    assert len(paint) == 5 + 2  # and the legend
    for rect in paint:
        assert float(rect.attrib["x"]) >= 0
        assert float(rect.attrib["x"]) + float(rect.attrib["width"]) <= 160


def test_words_for_and_against_differ_in_color_and_line() -> None:
    picture = svg.render(REVIEW, 720)
    assert picture.count('fill="#0072b2"') == 2 + 1  # but, delight, and the legend
    assert picture.count('fill="#c45000"') == 1 + 1
    assert picture.count("stroke-dasharray") == 2
    assert "<title>-0.3, speaks against positive</title>Thin" in picture


TWO = replace(REVIEW, classes=("negative", "positive"), target=1, speaks_for=(0, None, 1, 1, 1))


def brackets(picture: str) -> list[ElementTree.Element]:
    paths = ElementTree.fromstring(picture).iter(f"{NAMESPACE}path")
    return [path for path in paths if path.get("class") is None]


def test_words_have_the_color_of_their_class_and_the_legend_names_it() -> None:
    picture = svg.render(TWO, 720)
    assert picture.count('fill="#c45000"') == 1 + 1  # Thin, and the legend
    assert pieces(picture, 13)[:2] == ["speaks for positive", "speaks for negative"]


def test_weights_are_gray_with_dotted_lines() -> None:
    picture = svg.render(replace(TWO, signed=False, scores=(0.3, 0.0, 0.1, 0.0, 0.5)), 720)
    assert "#0072b2" not in picture
    assert "#c45000" not in picture
    assert picture.count('stroke-dasharray="1 3"') == 2 + 1  # above the median word, and the legend
    assert "weight, not a reason for a class" in picture


def test_a_bracket_reaches_from_one_word_to_the_other() -> None:
    picture = svg.render(replace(TWO, interactions=((0, 4, -0.31, 0),)), 720)
    (bracket,) = brackets(picture)
    assert bracket.get("stroke") == "#c45000"
    left, right = re.fullmatch(r"M([\d.]+) [\d.]+v-3H([\d.]+)v3", bracket.attrib["d"]).groups()
    first, last = (
        text
        for text in ElementTree.fromstring(picture).iter(f"{NAMESPACE}text")
        if "".join(text.itertext()).endswith(("Thin", "delight"))
    )
    for x, text in ((left, first), (right, last)):
        assert float(x) == pytest.approx(float(text.attrib["x"]) + float(text.attrib["textLength"]) / 2, abs=0.11)
    assert "① Thin + delight: together -0.31 (for negative)" in pieces(picture, 13)
    assert pieces(picture, 10) == ["①"]


def test_brackets_over_each_other_stand_at_different_heights() -> None:
    picture = svg.render(replace(TWO, interactions=((0, 4, 0.3, 1), (1, 2, 0.2, 1))), 720)
    one, other = (float(path.attrib["d"].split("v")[0].split()[1]) for path in brackets(picture))
    assert one - other == svg._BRACKET


def test_words_on_different_lines_have_a_piece_of_the_bracket_each_with_its_mark() -> None:
    picture = svg.render(replace(TWO, interactions=((0, 4, -0.31, 0),)), 140)
    assert len(brackets(picture)) == 2
    assert pieces(picture, 10) == ["①", "①"]


def test_tags_of_many_classes_are_small_and_raised() -> None:
    many = replace(TWO, classes=("negative", "neutral", "positive"), target=2, speaks_for=(0, None, 2, 2, 2))
    picture = svg.render(many, 720)
    assert pieces(picture, 10) == ["neg", "pos", "pos"]
    assert ink("".join(pieces(picture)[1:])) == ink(many.texts[0])


def test_text_from_right_to_left_starts_at_the_right() -> None:
    arabic = replace(REVIEW, texts=("مرحبا بالعالم",), spans=(((0, 5), (6, 13)),), scores=(1.0, -1.0))
    texts = list(ElementTree.fromstring(svg.render(arabic, 720)).iter(f"{NAMESPACE}text"))
    first, second = (text for text in texts if text.get("direction") == "rtl")
    assert float(first.attrib["x"]) == pytest.approx(720 - 22)
    assert float(second.attrib["x"]) < float(first.attrib["x"])


def test_a_very_long_text_is_cut_and_the_picture_says_so() -> None:
    long = replace(REVIEW, texts=("word\n" * 279 + "word",), spans=(((0, 4),),), scores=(1.0,))
    picture = svg.render(long, 720)
    assert "… 240 more lines" in picture
    assert len(pieces(picture)) == 1 + svg.MOST_LINES
    assert float(ElementTree.fromstring(picture).attrib["height"]) < 1400


def test_one_line_too_many_is_told_in_the_singular() -> None:
    long = replace(REVIEW, texts=("\n" * svg.MOST_LINES,), spans=((),), scores=())
    assert "… 1 more line<" in svg.render(long, 720)


def test_a_pair_is_labelled_and_unread_words_are_told() -> None:
    pair = replace(
        REVIEW,
        texts=("A man sleeps.", "He is awake."),
        spans=(((2, 5),), ((6, 11),)),
        scores=(0.1, 0.9),
        truncated_words=3,
    )
    small = pieces(svg.render(pair, 720), size=13)
    assert small[:2] == ["First text", "Second text"]
    assert small[-1] == "The last 3 words were not read by this model."


def test_the_picture_follows_light_and_dark_and_needs_no_network() -> None:
    picture = svg.render(REVIEW, 720)
    assert "prefers-color-scheme: dark" in picture
    assert re.findall(r"http[^\"]*", picture) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<script|url\(|href", picture)


def test_a_line_goes_through_a_word_that_is_not_read():
    struck, plain = (svg.render(replace(REVIEW, forbidden=words), 720).count("whyword-line") for words in ((1,), ()))
    assert struck == plain + 1
