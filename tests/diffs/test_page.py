import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from whyword.data.words import split
from whyword.diffs.diff import diff_models
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.views.highlight import class_color

EVIL = '<script>alert("x")</script> & "superb" <b>film</b> \u202eevil'


def cue(word):
    def predict(texts):
        joined = [" ".join(text) if isinstance(text, tuple | list) else text for text in texts]
        positive = np.array([0.9 if word in text else 0.2 for text in joined])
        return np.stack([1 - positive, positive], axis=1)

    return BlackBox(predict, ("neg", "<pos>"))


def page(texts, labels=None, old="superb", new="film", **settings):
    documents = [
        Document(split(*((text,) if isinstance(text, str) else text)), label)
        for text, label in zip(texts, labels or [None] * len(texts), strict=True)
    ]
    return diff_models(cue(old), cue(new), documents, **settings).to_html(min_count=1)


class Balanced(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "br", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parsed(html):
    parser = Balanced()
    parser.feed(html)
    assert not parser.open
    return parser.tags


def test_the_page_is_whole_and_asks_nobody_for_anything():
    html = page(["a superb plot and more of it", "a film of the year and more"], ["<pos>", "neg"])
    tags = parsed(html)
    assert not [tag for tag, _ in tags if tag in ("script", "link", "iframe", "img")]
    assert not re.search(r"https?://", html)


def test_strangers_texts_and_names_are_escaped():
    html = page([EVIL], ["<pos>"], names=("<i>old</i>", "new & more"), data="<u>data</u>")
    tags = {tag for tag, _ in parsed(html)}
    assert not {"script", "b", "i", "u", "pos"} & tags
    assert "&lt;script&gt;" in html
    assert "\u202e" not in html


def test_the_old_view_stands_beside_the_new_one_with_the_words_that_moved_marked():
    html = page(["a superb plot and more of it plus a film"])
    paint = "background-color:rgba(0,114,178,0.55);border-bottom:2px solid"
    assert f'<span style="{paint}" title="+1, speaks for &lt;pos&gt;, left the top 5"' in html
    assert re.search(r'class="left">superb</span>', html)
    assert re.search(r'class="entered">film</span>', html)
    assert re.search(r"<bdi>superb</bdi> 1.00 → 0.00", html)


def adding(weights, classes):
    def predict(texts):
        start = np.full(len(classes), 1 / len(classes))
        added = [[weights.get(word, (0,) * len(classes)) for word in text.split()] for text in texts]
        return np.array([np.sum([start, *words], axis=0) for words in added])

    return BlackBox(predict, classes)


def three_classes(texts, new=("shy",), **settings):
    """Two models that differ in what one word speaks for."""
    classes = ("Bad", "good", "<new>")
    old = {"awful": (0.2, -0.1, -0.1), "cheap": (-0.1, 0.2, -0.1), "hyped": (-0.05, -0.05, 0.1), "shy": (0, 0, 0)}
    documents = [Document(split(text)) for text in texts]
    changed = {**old, **dict.fromkeys(new, (0.2, -0.1, -0.1))}
    return diff_models(adding(old, classes), adding(changed, classes), documents, "occlusion", **settings)


def test_every_word_has_the_color_and_a_mark_of_the_class_it_speaks_for():
    html = three_classes(["the awful but cheap and hyped dish of today"], new=("cheap",)).to_html(min_count=1)
    old, new = html.split('<p class="side">')[1:3]
    shown = {}
    for side, view in (("old", old), ("new", new)):
        for style, title, word, tag in re.findall(
            r'<span style="([^"]*)" title="([^"]*)"[^>]*>(\w+)<sup class="tag">(\w+)</sup>', view
        ):
            shown[side, word] = re.search(r"rgba\((\d+,\d+,\d+)", style)[1], title.split(", ")[1], tag
    colors = [",".join(map(str, class_color(number))) for number in range(3)]
    bad, good, fresh = zip(colors, ("speaks for Bad", "speaks for good", "speaks for &lt;new&gt;"), "123", strict=True)
    assert shown == {
        ("old", "awful"): bad,
        ("old", "cheap"): good,
        ("old", "hyped"): fresh,
        ("new", "awful"): bad,
        ("new", "cheap"): bad,
        ("new", "hyped"): fresh,
    }
    legend = html[html.index('<p class="legend') : html.index("<article")]
    assert all(f"<bdi>speaks for {name}</bdi>" in legend for name in ("Bad", "good", "&lt;new&gt;"))
    assert "for the class that the old model predicts" in legend


def test_a_word_that_turned_is_a_finding_of_its_own():
    texts = ["the awful but cheap and hyped dish of today"]
    html = three_classes(texts, new=("cheap",)).to_html(min_count=1)
    finding = html[html.index("Words that speak for another class now") : html.index("<h2>Words</h2>")]
    assert re.findall(r"<bdi>([^<]*)</bdi>", finding) == ["cheap", "good", "Bad"]
    parsed(html)
    assert "another class now" not in three_classes(texts).to_html(min_count=1)
    assert "another class now" not in three_classes(texts, new=("cheap",)).to_html(min_count=2)


def test_weights_are_gray_and_dotted_and_said_to_be_for_no_class():
    found = three_classes(["the awful but cheap and hyped dish of today"])
    unsigned = replace(
        found, signed=False, texts=[replace(text, old_scores=abs(text.old_scores)) for text in found.texts]
    )
    html = unsigned.to_html(min_count=1)
    assert "weight, not a reason for a class" in html
    assert "speaks for" not in html[html.index("<h2>Texts") :]
    assert "px dotted" in html


def test_changed_predictions_come_first_and_are_named():
    html = page(["the same plain text for both", "a superb plot and more of it"])
    assert html.index("prediction changed") < html.index("the same plain text")
    assert html.count("prediction changed</span>") == 1
    assert "Predictions changed</dt><dd>50.0%" in html


def test_models_that_agree_have_a_page_too():
    html = page(["a superb plot"], new="superb")
    parsed(html)
    assert "No word that occurs at least 1 times changed its score" in html
    assert "no text has more than 5 words" in html
    assert "Accuracy" not in html


def test_pairs_show_both_texts():
    html = page([("is it a superb one or not so much", "yes it is a film")])
    assert html.count('class="text"') == 4


def test_only_the_most_changed_texts_are_on_a_page():
    html = page([f"a plain text number {number}" for number in range(130)])
    assert html.count("<article") == 100
    assert "The 100 most changed of 130 texts" in html


@pytest.mark.parametrize(
    "text", ["", "😀", "سلام superb film", "one\n\ntwo\tsuperb"], ids=["none", "emoji", "arabic", "lines"]
)
def test_odd_texts_are_shown(text):
    parsed(page([text]))
