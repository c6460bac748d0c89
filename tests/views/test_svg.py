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
    assert "<title>-0.3</title>Thin" in picture


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
