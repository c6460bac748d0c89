"""The page of `whyword serve`, used as a reader uses it: a real browser, a real server, small trained models."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from urllib.request import Request, urlopen

import numpy as np
import pytest

from whyword import load
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.interfaces.explanation import Explanation, Interaction

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

TEXT = "The lobby charmed us, but the acting seemed badly rehearsed; I'm impressed anyway."


@pytest.fixture(scope="module")
def server(folders) -> Iterator[str]:
    rows = folders[0].parent / "examples.csv"
    rows.write_text(f'text,label\n"{TEXT}",1\n"  ",0\n"What a dull end",0\n', encoding="utf-8")
    command = [sys.executable, "-m", "whyword", "serve", *map(str, folders[:2]), "--port", "0", "--quiet"]
    command += ["--examples", str(rows)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        yield re.search(r"http://[\d.:]+", process.stdout.readline())[0]
        process.terminate()


@pytest.fixture
def trouble() -> list[str]:
    """Whatever the browser complains about; a test that expects trouble empties it."""
    return []


@pytest.fixture
def open_page(browser, server, trouble) -> Iterator[Callable[..., Any]]:
    contexts = []

    def go(address: str = server, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: message.type == "error" and trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: request.url.startswith(f"{server}/") or trouble.append(request.url))
        page.goto(address)
        page.locator(".view").first.wait_for()
        return page

    yield go
    for context in contexts:
        context.close()
    assert trouble == []


@pytest.fixture
def page(open_page) -> Any:
    return open_page()


@pytest.fixture
def api(server) -> Callable[..., Any]:
    def ask(path: str, text: Any, **more: Any) -> Any:
        body = json.dumps({"texts": [text], "model": "vmask", **more}).encode()
        with urlopen(Request(f"{server}/v1/{path}", body, {"Content-Type": "application/json"})) as answer:
            return json.load(answer)[{"predict": "predictions", "explain": "explanations"}[path]][0]

    return ask


def write(page: Any, text: str, field: str = "Text") -> None:
    """Type, and wait until every view shows that text."""
    page.get_by_label(field, exact=True).fill(text)
    settle(page)


def settle(page: Any) -> None:
    text = re.sub("[\u202a-\u202e]", "", page.get_by_label("Text", exact=True).input_value())
    for words in page.locator(".texts").all():
        expect(words.locator(".words").first).to_have_text(text)
    expect(page.locator(".view[aria-busy]")).to_have_count(0)


def word(page: Any, string: str, view: int = 0) -> Any:
    return page.locator(".view").nth(view).get_by_role("button", name=f"{string}:")


def dropped(page: Any, view: int = 0) -> list[str]:
    return page.locator(".view").nth(view).locator(".word[aria-pressed=true]").all_text_contents()


def shown(page: Any, view: int = 0) -> list[float]:
    """The numbers of the headline: the whole text's, then, once words are dropped, the shortened text's."""
    numbers = page.locator(".view").nth(view).locator(".headline data").all()
    return [float(number.get_attribute("value")) for number in numbers]


def finding(page: Any, view: int = 0) -> Any:
    return page.locator(".view").nth(view).locator(".finding")


def test_typing_shows_the_class_its_probability_and_the_words_that_decided(page, api):
    write(page, TEXT)
    explanation = api("explain", TEXT)
    headline = page.locator(".headline").text_content()
    assert headline == f"{explanation['label']} {explanation['probability']:.1%}"
    assert page.locator(".word").all_text_contents() == explanation["words"]
    assert page.locator(".classes li").count() == 2
    best = explanation["words"][explanation["scores"].index(max(explanation["scores"]))]
    assert "104, 104, 104" in background(page, best), "the gate gives weights, which have the color of no class"
    expect(page.locator(".legend")).to_have_text("weight, not a reason for a class")
    cost = page.locator(".cost").text_content()
    assert re.fullmatch(r"1 forward pass, (\d\.\d ms|\d+ ms|\d+\.\d s)", cost), cost


def background(page: Any, string: str) -> str:
    return word(page, string).first.evaluate("node => getComputedStyle(node).backgroundColor")


def test_weights_are_not_asked_for_a_class(page, api):
    write(page, TEXT)
    expect(page.get_by_label("For class")).to_be_disabled()
    page.get_by_label("Explained by").select_option("occlusion")
    page.get_by_label("For class").select_option("negative")
    settle(page)
    page.get_by_label("Explained by").select_option("own")
    settle(page)
    expect(page.get_by_label("For class")).to_be_disabled()
    assert page.locator(".complaint").text_content() == ""


def test_each_word_has_the_color_of_its_class_whichever_is_explained(page, api):
    write(page, TEXT)
    page.get_by_label("Explained by").select_option("occlusion")
    settle(page)
    colors = {"negative": "196, 80, 0", "positive": "0, 114, 178"}
    for target in colors:
        page.get_by_label("For class").select_option(target)
        settle(page)
        explanation = api("explain", TEXT, explainer="occlusion", target=target)
        assert set(explanation["speaks_for"]) == set(colors)
        largest = max(map(abs, explanation["scores"]))
        for string, score, speaks_for in zip(*(explanation[k] for k in ("words", "scores", "speaks_for")), strict=True):
            if abs(score) > 0.06 * largest and explanation["words"].count(string) == 1:
                assert colors[speaks_for] in background(page, string), (target, string)


WORDS = split("The acting is okay, nothing special, but brilliant <songs> & a dreadful end.")
PLACE = {string: place for place, string in enumerate(WORDS.strings)}
SCORES = np.zeros((3, len(WORDS)))
for string, scores in {
    "okay": (-0.05, 0.14, -0.09),
    "nothing": (0.05, 0.10, -0.15),
    "special": (-0.08, -0.06, 0.14),
    "brilliant": (-0.22, -0.18, 0.40),
    "songs": (-0.03, -0.02, 0.05),
    "dreadful": (0.20, -0.09, -0.11),
}.items():
    SCORES[:, PLACE[string]] = scores
BASES = np.array([0.33, 0.31, 0.36])
MADE_UP = Explanation(
    document=Document(WORDS),
    scores=SCORES[2],
    target=2,
    classes=("negative", "neutral", "positive"),
    probabilities=BASES + SCORES.sum(1),
    explainer="own",
    all_scores=SCORES,
    base_values=BASES,
    base_value=0.36,
    error=0.0123,
    interactions=(
        Interaction(PLACE["special"], PLACE["nothing"], -0.21),
        Interaction(PLACE["The"], PLACE["dreadful"], 0.02),
        Interaction(PLACE["special"], PLACE["brilliant"], 0.1),
    ),
)

UNREAD = np.arange(len(MADE_UP.scores)) % 3 == 0


@pytest.fixture
def open_made_up(open_page) -> Callable[[Explanation], Any]:
    """Open a page whose server has one explanation to give."""

    def go(explanation: Explanation) -> Any:
        page = open_page()
        model = {"name": "m", "method": "base", "encoder": "lstm", "classes": list(explanation.classes), "pairs": False}
        model["scale"] = explanation.to_dict().get("scale")
        model |= {"explainers": ["own"], "unsigned": [], "default_explainer": "own"}
        answer = {"model": "m", "explainer": "own", "explanations": [explanation.to_dict()]}
        page.route("**/v1/models", lambda route: route.fulfill(json={"models": [model]}))
        page.route("**/v1/explain", lambda route: route.fulfill(json=answer))
        page.reload()
        page.locator(".view").first.wait_for()
        write(page, explanation.document.words.texts[0])
        return page

    return go


@pytest.mark.parametrize(
    "explanation",
    [
        MADE_UP,
        MADE_UP.for_class("negative"),
        MADE_UP.for_class("neutral", "positive"),
        replace(MADE_UP, all_scores=None, base_values=None, explainer="gradient"),
        replace(MADE_UP, scores=MADE_UP.scores[::-1].copy(), base_value=0.1, classes=(10, 9, 8)),
        replace(MADE_UP, forbidden_words=UNREAD, scores=np.where(UNREAD, 0, MADE_UP.scores), interactions=()),
        replace(MADE_UP, classes=(1, 2, 3), values=(1.0, 2.0, 3.0)).for_score(),
        replace(MADE_UP, labels=(0, 2)),
        replace(MADE_UP.for_class("neutral"), labels=(0, 2)),
    ],
    ids=[
        "predicted",
        "another",
        "contrast",
        "one class only",
        "numbered classes",
        "forbidden words",
        "stars",
        "one of several labels",
        "a label that is not predicted",
    ],
)
def test_many_classes_are_shown_as_the_library_shows_them(open_made_up, explanation):
    page = open_made_up(explanation)
    page.get_by_role("button", name="Copy HTML").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == explanation.to_html()
    for meaning, _ in explanation._highlight.legend:
        assert meaning in page.locator(".legend").text_content()
    tags = [node.get_attribute("data-tag") for node in page.locator(".word[data-tag]").all()]
    assert tags == [paint.tag for paint in explanation._highlight.paints if paint.strength >= 0.05 and paint.tag]
    expect(page.get_by_label("Rather than")).to_be_visible()


@pytest.mark.parametrize(
    ("labels", "headline"),
    [((0, 2), "negative 20.0%, positive 60.0%"), ((), "no label")],
)
def test_every_label_that_is_predicted_is_in_the_headline(open_made_up, labels, headline):
    page = open_made_up(replace(MADE_UP, labels=labels))
    names = [MADE_UP.classes[number] for number in labels]
    expect(page.locator(".headline")).to_have_text(headline)
    assert page.locator(".likeliest .name").all_text_contents() == names
    body = {"label": "negative", "labels": ["negative"], "probability": 0.9,
            "probabilities": {"negative": 0.9, "neutral": 0.1, "positive": 0.2}}  # fmt: skip
    page.route("**/v1/predict", lambda route: route.fulfill(json={"model": "m", "predictions": [body]}))
    word(page, "brilliant").click()
    was = " and ".join(names) or "no label"
    expect(finding(page)).to_have_text(f"Without “brilliant” the model says negative instead of {was}.")
    assert page.locator(".likeliest .name").all_text_contents() == ["negative"]


def test_two_words_that_act_together_stand_under_a_bracket(open_made_up):
    page = open_made_up(MADE_UP)
    assert page.locator(".bracket").all_text_contents() == ["nothing special"]
    assert page.locator(".bracket").get_attribute("title") == "nothing + special: together -0.21 (against positive)"
    marks = {node.text_content(): node.get_attribute("data-mark") for node in page.locator(".word[data-mark]").all()}
    assert marks == {"The": "②", "dreadful": "②", "special": "③", "brilliant": "③"}
    expect(page.locator(".notes")).to_contain_text("Starts at 36.0%, words add +24.0%, = 60.0%.")
    word(page, "nothing").focus()
    for expected in ("special", ",", "but"):
        page.keyboard.press("ArrowRight")
        assert page.locator(":focus").text_content() == expected


def test_another_explainer_another_model_and_another_class_are_a_choice_away(page, api):
    write(page, TEXT)
    page.get_by_label("Explained by").select_option("occlusion")
    explanation = api("explain", TEXT, explainer="occlusion")
    expect(page.locator(".legend")).to_contain_text(f"speaks for {explanation['label']}")
    settle(page)
    page.get_by_label("For class").select_option("negative")
    expect(page.locator(".legend span").first).to_have_text("speaks for negative")
    expect(page.locator(".legend span").last).to_have_text("speaks for positive")
    explanation = api("explain", TEXT, explainer="occlusion", target="negative")
    names = [node.get_attribute("aria-label") for node in page.locator(".word").all()]
    assert all(f"speaks for {one}" in name for one, name in zip(explanation["speaks_for"], names, strict=True))
    page.get_by_label("Model").select_option("attention")
    expect(page.locator(".headline")).to_contain_text(f"{api('predict', TEXT, model='attention')['probability']:.1%}")
    assert page.get_by_label("Explained by").input_value() == "occlusion"


def test_two_views_stand_side_by_side_and_each_answers_for_itself(page, api):
    write(page, TEXT)
    page.get_by_role("button", name="Add a second view").click()
    page.locator(".words").nth(1).wait_for()
    settle(page)
    first, second = (view.bounding_box() for view in page.locator(".view").all())
    assert first["y"] == second["y"]
    assert first["x"] + first["width"] <= second["x"]
    assert [shown(page, 0), shown(page, 1)] == [
        [pytest.approx(api("predict", TEXT, model=name)["probability"], abs=1e-6)] for name in ("vmask", "attention")
    ]
    word(page, "charmed", view=1).click()
    expect(finding(page, 1)).to_contain_text("Without “charmed” the model")
    assert (dropped(page, 0), dropped(page, 1)) == ([], ["charmed"])
    page.get_by_role("button", name="Remove").first.click()
    assert page.locator(".view").count() == 1
    assert page.get_by_label("Model").input_value() == "attention"


def test_the_probability_without_a_word_is_the_servers_answer_for_the_text_without_it(page, api):
    write(page, TEXT)
    with page.expect_request("**/v1/predict") as sent:
        word(page, "charmed").click()
    short = TEXT.replace("charmed", "")
    assert sent.value.post_data_json["texts"] == [short]
    expect(finding(page)).not_to_be_empty()
    whole, now = api("predict", TEXT), api("predict", short)
    assert now["probabilities"] != whole["probabilities"]
    label = whole["label"]
    expected = [whole["probability"], now["probabilities"][label]]
    assert shown(page) == pytest.approx(expected, abs=1e-6)
    assert page.locator(".headline").text_content() == f"{label} {expected[0]:.1%} → {expected[1]:.1%}"
    bars = {bar.locator(".name").text_content(): bar.locator("data") for bar in page.locator(".classes li").all()}
    assert {name: bar.text_content() for name, bar in bars.items()} == {
        name: f"{probability:.1%}" for name, probability in now["probabilities"].items()
    }
    page.get_by_role("button", name="Bring all back").click()
    expect(finding(page)).to_be_empty()
    assert (dropped(page), shown(page)) == ([], pytest.approx(expected[:1], abs=1e-6))


def test_words_do_not_grow_together_where_one_between_them_is_dropped(page):
    write(page, "charmed,late")
    with page.expect_request("**/v1/predict") as sent:
        word(page, ",").click()
    assert sent.value.post_data_json["texts"] == ["charmed late"]


def test_keeping_the_top_words_tells_whether_they_alone_decide(page, api):
    write(page, TEXT)
    page.get_by_label("Keep the top words").fill("2")
    expect(finding(page)).to_contain_text("From the top 2 words alone the model")
    explanation = api("explain", TEXT)
    order = sorted(range(len(explanation["words"])), key=lambda i: -explanation["scores"][i])
    words = [explanation["words"][i] for i in sorted(order[:2])]
    assert len(dropped(page)) == len(explanation["words"]) - 2
    assert page.locator(".word[aria-pressed=false]").all_text_contents() == words
    answer = api("predict", " ".join(words))
    assert shown(page)[1] == pytest.approx(answer["probabilities"][explanation["label"]], abs=1e-6)
    same = "still says" if answer["label"] == explanation["label"] else "no longer"
    assert same in finding(page).text_content()
    assert page.locator("output").text_content() == f"2 of {len(explanation['words'])}"
    page.get_by_label("Keep the top words").fill("0")
    expect(finding(page)).to_contain_text("With no word left")


def test_a_link_brings_back_all_that_was_to_be_seen(page, open_page):
    write(page, TEXT)
    page.get_by_label("Explained by").select_option("occlusion")
    page.get_by_label("For class").select_option("negative")
    settle(page)
    word(page, "charmed").click()
    page.get_by_role("button", name="Add a second view").click()
    page.locator(".words").nth(1).wait_for()
    page.get_by_label("Keep the top words").nth(1).fill("3")
    expect(finding(page, 1)).to_contain_text("top 3 words")
    page.get_by_role("button", name="Copy link").click()
    link = page.evaluate("navigator.clipboard.readText()")

    other = open_page(link)
    expect(finding(other, 1)).to_contain_text("top 3 words")
    expect(finding(other, 0)).to_contain_text("Without “charmed”")
    for name in (".headline", ".finding", ".legend", ".texts"):
        assert other.locator(name).all_text_contents() == page.locator(name).all_text_contents()
    assert [dropped(other, 0), dropped(other, 1)] == [dropped(page, 0), dropped(page, 1)]
    assert other.get_by_label("For class").first.input_value() == "negative"


@pytest.mark.parametrize("explainer", ["own", "occlusion"])
def test_the_copied_html_and_json_are_those_of_the_library(page, api, folders, explainer):
    text = "<b>charmed</b> & 'late' 🙂 \u202edinner\u202c was\npleased"
    write(page, text)
    page.get_by_label("Explained by").select_option(explainer)
    settle(page)
    page.get_by_role("button", name="Copy JSON").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied, explanation = (
        json.loads(page.evaluate("navigator.clipboard.readText()")),
        api("explain", text, explainer=explainer),
    )
    assert copied | {"seconds": 0} == explanation | {"seconds": 0}
    page.get_by_role("button", name="Copy HTML").click()
    expect(page.get_by_role("button", name="Copied")).to_have_count(2)
    [explanation] = load(folders[0]).explain([text], explainer=explainer)
    assert page.evaluate("navigator.clipboard.readText()") == explanation.to_html()


def test_the_keyboard_alone_reaches_and_drops_every_word(page):
    page.get_by_label("Text", exact=True).focus()
    page.keyboard.type("a charmed dinner")
    settle(page)
    stops = []
    while not stops or "Copy JSON" not in stops[-1]:
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid", stops
        if stops[-1].startswith("a:"):  # one stop for all words; arrow keys walk among them
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
            expect(finding(page)).to_contain_text("Without “charmed”")
            page.keyboard.press("End")
            page.keyboard.press("Space")
            expect(finding(page)).to_contain_text("Without “charmed” and “dinner”")
            page.keyboard.press("Home")
            assert page.evaluate("document.activeElement.textContent") == "a"
    assert dropped(page) == ["charmed", "dinner"]
    page.get_by_label("Keep the top words").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("output")).to_have_text("2 of 3")


def test_a_phone_needs_no_sideways_scrolling(open_page):
    page = open_page(viewport={"width": 390, "height": 800}, has_touch=True)
    write(page, f"{TEXT} http://example.org/{'x' * 200} {'y' * 200}")
    page.get_by_role("button", name="Add a second view").tap()
    page.locator(".words").nth(1).wait_for()
    word(page, "charmed").tap()
    expect(finding(page)).not_to_be_empty()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for button in page.get_by_role("button", name=re.compile("Copy|Bring|Add|Remove")).all():
        assert button.bounding_box()["height"] >= 24  # WCAG 2.5.8
    heights = []
    word(page, "lobby").focus()
    for key in ("ArrowDown", "ArrowUp"):
        heights.append(page.locator(":focus").bounding_box()["y"])
        page.keyboard.press(key)
    assert heights[0] < heights[1]
    assert page.locator(":focus").text_content() == "lobby"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_writing_is_readable_by_day_and_by_night(open_page, scheme):
    page = open_page(color_scheme=scheme)
    write(page, TEXT)
    word(page, "charmed").click()
    expect(finding(page)).not_to_be_empty()
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (luminance(ground) > 0.5) == (scheme == "light")
    for name in (
        ".headline",
        ".finding",
        ".legend",
        ".readout",
        ".cost",
        "summary",
        ".word[aria-pressed=true]",
        "header p",
    ):
        ink = page.locator(name).first.evaluate("node => getComputedStyle(node).color")
        lighter, darker = sorted((luminance(ink), luminance(ground)), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, name


def luminance(color: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_a_hostile_text_stays_text(page):
    text = "<img src=x onerror=alert(1)> charmed </p><script>alert(2)</script>"
    write(page, text)
    assert page.locator("img, .texts script").count() == 0
    word(page, "img").click()
    expect(finding(page)).to_contain_text("Without “img”")
    assert page.locator(".words").text_content() == text


def test_words_after_an_emoji_are_cut_where_they_stand(page, api):
    text = "👩‍👩‍👧 charmed 𝒅inner 🙂 late"
    write(page, text)
    assert page.locator(".word").all_text_contents() == api("explain", text)["words"]
    with page.expect_request("**/v1/predict") as sent:
        word(page, "late").click()
    assert sent.value.post_data_json["texts"] == [text.removesuffix("late")]


def test_two_texts_are_sent_as_a_pair_and_lose_words_each_in_its_place(page, api):
    write(page, "dinner was late")
    page.get_by_role("button", name="Add a second text").click()
    write(page, "dinner was charmed", "Second text")
    expect(page.locator(".words").nth(1)).to_have_text("dinner was charmed")
    settle(page)
    with page.expect_request("**/v1/predict") as sent:
        page.locator(".words").nth(1).get_by_role("button", name="dinner:").click()
    short = ["dinner was late", " was charmed"]
    assert sent.value.post_data_json["texts"] == [short]
    expect(finding(page)).not_to_be_empty()
    [whole, now] = api("predict", ["dinner was late", "dinner was charmed"]), api("predict", short)
    assert shown(page) == pytest.approx([whole["probability"], now["probabilities"][whole["label"]]], abs=1e-6)


def test_an_answer_that_comes_too_late_is_not_shown(page):
    held = []
    page.route("**/v1/explain", lambda route: route.continue_() if held else held.append(route))
    page.get_by_label("Text", exact=True).fill("dreadfully late")
    expect(page.locator(".view[aria-busy]")).to_have_count(1)
    write(page, "a charmed dinner")
    held[0].continue_()
    page.wait_for_timeout(300)
    assert page.locator(".words").text_content() == "a charmed dinner"


def test_what_is_typed_before_the_server_has_answered_is_not_lost(browser, server):
    context = browser.new_context()
    page, held = context.new_page(), []
    page.route("**/v1/models", lambda route: held.append(route))
    with page.expect_request("**/v1/models"):
        page.goto(server)
    page.get_by_label("Text", exact=True).fill("a charmed dinner")
    held[0].continue_()
    expect(page.locator(".words")).to_have_text("a charmed dinner")
    context.close()


def test_a_refusal_is_one_calm_sentence_and_the_last_answer_stays(page, trouble):
    write(page, "a charmed dinner")
    page.get_by_label("Text", exact=True).fill("late " * 1001)
    complaint = page.locator(".complaint")
    expect(complaint).to_contain_text("1,001 words")
    assert complaint.get_attribute("role") == "status"
    assert page.locator(".words").text_content() == "a charmed dinner"
    write(page, "a late dinner")
    expect(complaint).to_be_empty()
    assert all("422" in message for message in trouble)
    trouble.clear()


def test_a_busy_server_is_asked_again(page, trouble):
    refused = []

    def refuse_once(route):
        if refused:
            return route.continue_()
        refused.append(route.fulfill(status=503, headers={"Retry-After": "1"}, json={"error": "The queue is full."}))
        return None

    page.route("**/v1/explain", refuse_once)
    write(page, "a charmed dinner")
    assert all("503" in message for message in trouble)
    trouble.clear()


def test_a_server_with_a_token_asks_the_reader_for_it(browser, server):
    context = browser.new_context()
    page = context.new_page()

    def guard(route):
        if route.request.headers.get("authorization") == "Bearer open sesame":
            return route.continue_()
        return route.fulfill(status=401, json={"error": "This server asks for a token."})

    page.route("**/v1/**", guard)
    page.goto(server)
    page.get_by_label("This server asks for a token").fill("open sesame")
    page.keyboard.press("Enter")
    page.locator(".view").wait_for()
    write(page, "a charmed dinner")
    assert page.get_by_label("This server asks for a token").is_hidden()
    context.close()


def test_the_words_a_model_knows_can_be_looked_up(page):
    page.get_by_text("Words the model knows").click()
    expect(page.locator(".known li")).to_have_count(50)
    assert re.fullmatch(r"\S+0\.\d+ · \d+×", page.locator(".known li").first.text_content())


def test_examples_of_the_file_are_there_to_press_when_the_page_opens(open_page):
    page = open_page()
    examples = page.locator("#examples button")
    expect(examples).to_have_text([TEXT, "What a dull end"])
    examples.nth(1).click()
    expect(page.locator("#text")).to_have_value("What a dull end")
    expect(page.locator(".headline")).not_to_be_empty()
    expect(examples.nth(1)).to_be_hidden()
    page.locator("#examples summary").click()
    expect(examples.nth(0)).to_be_visible()


def test_without_examples_the_page_says_what_to_type(open_page):
    page = open_page()

    def bare(route):
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "examples": []})

    page.route("**/v1/models", bare)
    page.reload()
    expect(page.locator("#advice")).to_contain_text("whether it says “negative” or “positive”")
    expect(page.locator("#examples")).to_be_hidden()
    page.fill("#text", TEXT)
    expect(page.locator("#advice")).to_be_hidden()


def test_a_line_says_what_a_score_is_and_what_it_costs(open_page):
    page = open_page()
    page.locator(".explainer").select_option("occlusion")
    expect(page.locator(".about")).to_have_text(
        "Occlusion: how much the probability of the target falls when a word, or a group of words, is left out "
        "or replaced. "
        "Forward passes of a text: 1 + words."
    )


def test_what_is_left_of_a_text_is_explained_again_in_place(open_page, folders):
    page = open_page()
    page.fill("#text", TEXT)
    page.locator(".explainer").select_option("occlusion")
    word = page.locator(".word", has_text="charmed")
    word.press("Enter")
    expect(page.locator(".notes")).to_contain_text("Scores are those of the text without the dropped words.")
    expect(word).to_be_focused()
    expect(word).to_have_attribute("aria-label", "charmed: dropped")
    (left,) = load(folders[0]).explain([TEXT.replace(" charmed", "")], "occlusion")
    for name in ("lobby", "acting", "impressed"):
        shown = page.locator(".word", has_text=name).get_attribute("aria-label")
        score = left.scores[left.words.index(name)]
        assert float(re.search(r"[+−][\d.e−]+", shown)[0].replace("−", "-")) == pytest.approx(score, rel=0.01, abs=1e-6)
    word.press("Enter")
    expect(page.locator(".notes")).not_to_contain_text("dropped")
    expect(word).not_to_have_attribute("aria-label", "charmed: dropped")
