import re
from dataclasses import replace
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from whyword.views import html
from whyword.views.characters import showable
from whyword.views.highlight import Highlight

REVIEW = Highlight(
    ("Thin plot,\n  but a delight.",),
    (((0, 4), (5, 9), (13, 16), (17, 18), (19, 26)),),
    (-0.3, 0.0, 0.1, 0.001, 0.5),
    True,
    "positive",
    0.931,
    "lime",
)


TWO = replace(REVIEW, classes=("negative", "positive"), target=1, speaks_for=(0, None, 1, 1, 1))


class Page(HTMLParser):
    """What a browser would make of a fragment: its tags, its attributes, and the texts it shows."""

    def __init__(self, fragment: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.boxed: list[str] = []
        self.titles: list[str] = []
        self._in_text = False  # marks are no part of the text
        self.feed(fragment)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        self.open.append(tag)
        self.attributes |= set(values)
        if tag == "p":
            self._in_text = values.get("class") == "whyword-text"
            self.texts += [""] * self._in_text
        if values.get("title"):
            self.titles.append(str(values["title"]))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._in_text and "p" in self.open and "sup" not in self.open:
            self.texts[-1] += data
            if "bdi" in self.open:
                self.boxed.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment got through")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError("a declaration got through")


@given(st.from_type(Highlight))
def test_any_text_is_shown_as_it_is_and_never_as_markup(highlight: Highlight) -> None:
    page = Page(html.render(highlight))
    assert page.texts == [showable(text) for text in highlight.texts]
    assert page.open == []
    assert set(page.tags) <= {"div", "p", "span", "strong", "bdi", "sup", "s"}
    assert page.attributes <= {"class", "style", "dir", "title"}


@given(st.from_type(Highlight))
def test_the_fragment_can_be_written_to_a_file(highlight: Highlight) -> None:
    fragment = html.render(highlight)
    fragment.encode()
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", fragment)


@given(st.from_type(Highlight))
def test_bidirectional_controls_are_shut_in_a_box_with_their_word(highlight: Highlight) -> None:
    page = Page(html.render(highlight))
    for control in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069":
        assert sum(text.count(control) for text in highlight.texts) == sum(text.count(control) for text in page.boxed)
    assert not any(re.search(r"\s", text) for text in page.boxed)


def test_words_of_arabic_are_not_boxed_one_by_one_for_that_would_reverse_them() -> None:
    arabic = replace(REVIEW, texts=("مرحبا بالعالم",), spans=(((0, 5), (6, 13)),), scores=(1.0, -1.0))
    assert Page(html.render(arabic)).boxed == []


def test_words_for_and_against_differ_in_color_line_and_title() -> None:
    fragment = html.render(REVIEW)
    assert (
        '<span style="background-color:rgba(0,114,178,0.55);border-bottom:2px solid" '
        'title="+0.5, speaks for positive">delight</span>' in fragment
    )
    assert (
        '<span style="background-color:rgba(196,80,0,0.33);border-bottom:1px dashed" '
        'title="-0.3, speaks against positive">Thin</span>' in fragment
    )


def test_unsigned_scores_have_one_color_and_no_signs() -> None:
    fragment = html.render(replace(REVIEW, signed=False, scores=(0.3, 0.0, 0.1, 0.001, 0.5)))
    assert "196,80,0" not in fragment
    assert "0,114,178" not in fragment
    assert Page(fragment).titles == ["0.3, weight, not a reason for a class", "0.5, weight, not a reason for a class"]
    assert fragment.count("dotted") == 2 + 1  # and the legend
    assert "speaks for" not in fragment


def test_the_head_names_class_probability_and_explainer() -> None:
    assert "<strong><bdi>positive</bdi></strong> 93.1% · <bdi>lime</bdi>" in html.render(REVIEW)


def test_the_strongest_words_are_also_told_in_words() -> None:
    positive = "<bdi>for positive</bdi>: <bdi>delight</bdi> +0.5, <bdi>but</bdi> +0.1"
    negative = "<bdi>for negative</bdi>: <bdi>Thin</bdi> -0.3"
    assert f"<p {html._SMALL}>Strongest words {positive}; {negative}</p>" in html.render(TWO)
    weights = replace(TWO, signed=False, scores=(0.3, 0.0, 0.1, 0.001, 0.5))
    assert "Strongest words: <bdi>delight</bdi> 0.5, <bdi>Thin</bdi> 0.3</p>" in html.render(weights)


def test_words_have_the_color_of_the_class_they_speak_for_and_the_legend_names_it() -> None:
    fragment = html.render(TWO)
    assert fragment.count("rgba(196,80,0") == 1 + 1  # Thin, and the legend
    assert "<bdi>speaks for positive</bdi>" in fragment
    assert "<bdi>speaks for negative</bdi>" in fragment


def test_among_many_classes_a_word_bears_its_tag_which_is_no_part_of_the_text() -> None:
    many = replace(TWO, classes=("negative", "neutral", "positive"), target=2, speaks_for=(0, None, 2, 2, 2))
    fragment = html.render(many)
    assert re.search(r">Thin<sup[^>]*user-select:none[^>]*>neg</sup></span>", fragment)
    assert Page(fragment).texts == list(many.texts)


def test_a_contrast_names_both_classes() -> None:
    fragment = html.render(replace(TWO, against=0, against_probability=0.069))
    assert "<strong><bdi>positive</bdi></strong> 93.1% against <strong><bdi>negative</bdi></strong> 6.9%" in fragment


def test_two_neighbors_that_act_together_stand_under_one_bracket() -> None:
    fragment = html.render(replace(TWO, interactions=((1, 0, -0.31, 0),)))
    bracket = re.search(
        r'<span style="border:2px solid rgb\(196,80,0\)[^"]*" title="([^"]*)">(.*?)①</sup></span>', fragment
    )
    assert bracket is not None
    assert bracket[1] == "Thin + plot: together -0.31 (for negative)"
    assert re.sub("<[^>]*>", "", bracket[2]) == "Thin plot"
    assert "<p style=" in fragment.split("① <bdi>Thin + plot: together -0.31 (for negative)</bdi>")[0]


def test_words_far_apart_or_under_another_bracket_bear_the_same_mark() -> None:
    text = "a b c d e f g h"
    spans = (tuple((2 * i, 2 * i + 1) for i in range(8)),)
    scores = tuple(0.1 * (i + 1) for i in range(8))
    pairs = ((0, 1, 0.3, 1), (1, 2, 0.2, 1), (0, 7, 0.1, 1))
    long = replace(TWO, texts=(text,), spans=spans, scores=scores, speaks_for=(1,) * 8, interactions=pairs)
    fragment = html.render(long)
    assert fragment.count("border:2px solid") == 1
    assert [fragment.count(f">{mark}</sup>") for mark in "①②③"] == [1, 2, 2]


def test_a_pair_is_two_labelled_paragraphs() -> None:
    pair = replace(REVIEW, texts=("A man sleeps.", "He is awake."), spans=(((2, 5),), ((6, 11),)), scores=(0.1, 0.9))
    fragment = html.render(pair)
    assert fragment.index("First text") < fragment.index("man") < fragment.index("Second text")
    assert Page(fragment).texts == ["A man sleeps.", "He is awake."]


def test_words_that_were_not_read_are_told() -> None:
    assert "The last 212 words were not read by this model." in html.render(replace(REVIEW, truncated_words=212))


def test_the_fragment_needs_no_script_and_no_network() -> None:
    assert not re.search(r"script|http|url\(|@import|<link|<img", html.render(REVIEW))


def test_a_long_text_with_few_telling_words_stays_small() -> None:
    words = 10_000
    spans = tuple((5 * i, 5 * i + 4) for i in range(words))
    scores = tuple(1.0 if i % 100 == 0 else 0.001 for i in range(words))
    long = replace(REVIEW, texts=("word " * words,), spans=(spans,), scores=scores)
    assert len(html.render(long)) < 2 * 5 * words
    assert len(html.render(replace(long, scores=(1.0,) * words))) < 170 * words


def test_words_that_are_not_read_are_struck_out_and_named():
    fragment = html.render(replace(REVIEW, forbidden=(1, 3)))
    assert '<s title="forbidden: not read by this model">plot</s>' in fragment
    assert '<s title="forbidden: not read by this model">a</s>' in fragment
    assert "Not read, as it must not decide: plot, a." in fragment
    assert "<s" not in html.render(REVIEW).replace("<span", "").replace("<strong", "")
