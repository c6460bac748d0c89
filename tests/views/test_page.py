"""The page that `whyword explain -o page.html` writes, in a browser."""

import re

import pytest

from whyword import TextClassifier, write_explanations
from whyword.views import page

ROWS = [
    ("a good film", "good", "good"),
    ("so <b>bad</b> a film", "bad", "good"),  # labeled, predicted
    ("bad, bad, bad", "bad", "bad"),
    ("good and bad", None, "bad"),
]


def body(text):
    shown = text.replace("<", "&lt;")
    return f'<div class="whyword"><p class="whyword-text">{shown}</p></div>\n'


@pytest.fixture
def opened(browser, tmp_path):
    file = tmp_path / "page.html"
    articles = [
        page.article(body(text), [predicted], share, None if label is None else [label])
        for (text, label, predicted), share in zip(ROWS, (0.9, 0.6, 0.7, 0.8), strict=True)
    ]
    file.write_text(page.head("Which words decided", "4 texts.") + "".join(articles) + page.TAIL, encoding="utf-8")
    tab = browser.new_page()
    errors = []
    tab.on("pageerror", lambda error: errors.append(error))
    tab.goto(file.as_uri())
    yield tab
    assert not errors
    tab.close()


def shown(tab):
    return [
        article.inner_text().splitlines()[-1] for article in tab.query_selector_all("article") if article.is_visible()
    ]


def test_texts_stand_in_the_order_of_the_file_until_another_is_chosen(opened):
    texts = [text for text, _, _ in ROWS]
    assert shown(opened) == texts
    opened.select_option("[name=order]", "unsure")
    assert shown(opened) == [texts[1], texts[2], texts[3], texts[0]]
    opened.select_option("[name=order]", "sure")
    assert shown(opened) == [texts[0], texts[3], texts[2], texts[1]]
    opened.select_option("[name=order]", "file")
    assert shown(opened) == texts


def test_texts_are_filtered_by_class_by_words_and_by_what_went_wrong(opened):
    opened.select_option("[name=label]", label="bad")
    assert shown(opened) == ["bad, bad, bad", "good and bad"]
    opened.fill("[name=words]", "GOOD and")
    assert shown(opened) == ["good and bad"]
    assert opened.inner_text("[name=count]") == "1 of 4 texts"
    opened.fill("[name=words]", "")
    opened.select_option("[name=label]", "")
    opened.check("[name=wrong]")
    assert shown(opened) == ["so <b>bad</b> a film"]


def test_labels_are_named_and_nothing_in_a_text_is_code(opened):
    notes = [article.inner_text().splitlines()[0] for article in opened.query_selector_all("article")]
    assert notes[0] == "✓ Labeled good."
    assert notes[1] == "✗ Labeled bad; the prediction is good."
    hostile = page.article("", ['"><script>alert(1)</script>'], 0.5, ["</p><img src=x>"])
    assert "<script" not in hostile
    assert "<img" not in hostile


def test_without_labels_nobody_is_offered_to_look_for_wrong_ones(browser, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(page.head("t", "1 text.") + page.article(body("x"), ["a"], 0.5, None) + page.TAIL, encoding="utf-8")
    tab = browser.new_page()
    tab.goto(file.as_uri())
    assert not tab.is_visible("[name=wrong]")
    tab.close()


def test_labels_of_a_file_are_compared_with_predictions(tmp_path):
    texts, labels = ["a good film", "so good", "a bad film", "so bad"] * 6, ["good", "good", "bad", "bad"] * 6
    model = TextClassifier(encoder="bag", epochs=12, learning_rate=0.05, contributions=False).fit(texts, labels)
    rows = "".join(f"{text},{label}\n" for text, label in [("so good", "good"), ("so bad", "good"), ("so so", "")])
    (tmp_path / "rows.csv").write_text(f"text,label\n{rows}", encoding="utf-8")
    assert write_explanations(model, tmp_path / "rows.csv", tmp_path / "page.html") == 3
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.findall(r'data-label="(\w+)" data-probability="[\d.]+"(?: data-wrong="(\d)")?', written)[:2] == [
        ("good", "0"),
        ("bad", "1"),
    ]
    assert "<h1><bdi>Which words decided</bdi></h1>" in written
    assert "<p>3 texts. " in written
