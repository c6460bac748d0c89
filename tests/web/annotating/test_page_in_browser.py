"""The page on which people mark words: a real browser, a real server that is killed, by keyboard alone and by hand."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from whyword.data.annotators import agreement
from whyword.data.decisions import Decisions, read_decisions
from whyword.storage.json_log import read_json_log

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

TEXTS = [
    "The lobby charmed us, but the acting seemed badly rehearsed.",
    "I'm not impressed by the soup; the waiter was kind.",
    "A dull novel with a brilliant end.",
    "Our flight was late again.",
]


class Server:
    """`whyword serve --annotate` as users start it; it can be killed and started again at the same address."""

    def __init__(self, model: Path, folder: Path, *options: object) -> None:
        self.texts, self.saved = folder / "texts.csv", folder / "texts.csv.annotations.jsonl"
        self.texts.write_text("text,label\n" + "".join(f'"{text}",negative\n' for text in TEXTS), encoding="utf-8")
        self.command = [sys.executable, "-m", "whyword", "serve", str(model), "--annotate", str(self.texts), "--quiet"]
        self.command += ["--threads", "1", "--order", "file", *map(str, options)]
        self.port, self.url = 0, ""
        self.start()

    def start(self) -> None:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
        environment.pop("WHYWORD_TOKEN", None)
        command = [*self.command, "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        first, second = self.process.stdout.readline(), self.process.stdout.readline()
        assert second.startswith("Mark the words of texts.csv on http://127.0.0.1:"), first
        self.url = re.search(r"http://[\d.:]+/annotate", second)[0]
        self.port = int(self.url.rpartition(":")[2].partition("/")[0])

    def stop(self, number: int) -> int:
        self.process.send_signal(number)
        self.process.communicate(timeout=30)
        return self.process.returncode

    @property
    def lines(self) -> list[dict[str, Any]]:
        return read_json_log(self.saved)

    def marked(self, line: int = -1, kind: str = "rationale") -> list[str]:
        """The passages of a line of the file."""
        record = self.lines[line]
        return [record["text"][start:end] for start, end in record[kind]]


@pytest.fixture
def serve(folders, tmp_path) -> Iterator[Callable[..., Server]]:
    started: list[Server] = []

    def start(*options: object) -> Server:
        started.append(Server(folders[1], tmp_path, *options))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.stop(signal.SIGKILL)


@pytest.fixture
def open_page(browser) -> Iterator[Callable[..., Any]]:
    """Open the page as a person of their own, whose browser remembers their name."""
    contexts, trouble = [], []

    def go(url: str, name: str | None = None, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.goto(url)
        if name is not None:
            page.get_by_label("Your name").fill(name)
            page.keyboard.press("Enter")
            page.locator("#task .texts .word").first.wait_for()
        return page

    yield go
    for context in contexts:
        context.close()
    assert trouble == []


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def focused(page: Any) -> str:
    return page.evaluate("document.activeElement.textContent")


def shows(page: Any, text: str) -> None:
    """Wait until a text is there to be marked."""
    expect(page.locator("#task .texts .words")).to_have_text(text)
    expect(page.locator("#task")).to_have_attribute("aria-label", "The text to mark")
    expect(page.locator("#task[aria-busy]")).to_have_count(0)


def marks(page: Any) -> Any:
    return page.locator("#marked")


def test_two_people_mark_by_keyboard_alone_and_a_killed_server_loses_nothing(serve, open_page):
    server = serve("--overlap", 2, "--show-reasons")
    ann = open_page(server.url)
    expect(ann.get_by_label("Your name")).to_be_focused()
    ann.keyboard.type("Ann")
    press(ann, "Enter")
    shows(ann, TEXTS[0])
    assert focused(ann) == "The", "the first word has the focus: no mouse is needed"

    press(ann, *["ArrowRight"] * 9)
    assert focused(ann) == "badly"
    assert ann.locator(":focus").evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    press(ann, "Shift+ArrowRight", "r")
    expect(marks(ann)).to_have_text("Reason: “badly rehearsed”.")
    press(ann, "Home", "ArrowRight", "x")
    expect(ann.get_by_role("button", name="lobby: not a reason")).to_be_focused()
    press(ann, "Enter")
    expect(ann.get_by_role("heading", name="What the model says")).to_be_visible()
    assert (server.marked(), server.marked(kind="not_rationale")) == (["badly rehearsed"], ["lobby"])
    press(ann, "Enter")
    shows(ann, TEXTS[1])

    press(ann, "Enter")
    expect(ann.locator("#message")).to_contain_text("Nothing is marked.")
    press(ann, "n", "2")
    expect(ann.get_by_role("button", name="No word is a reason")).to_have_attribute("aria-pressed", "true")
    server.stop(signal.SIGKILL)
    press(ann, "Enter")
    expect(ann.locator("#message")).to_have_text("The server does not answer. Is it still running?")
    with server.saved.open("ab") as file:
        file.write(b'{"text": "half a li')  # as if it had been killed in the midst of a line
    server.start()
    press(ann, "Enter")
    expect(ann.locator("#message")).to_have_text("Saved.")
    assert [(line["label"], line["rationale"]) for line in server.lines] == [("negative", [[44, 59]]), ("positive", [])]
    press(ann, "Enter")
    shows(ann, TEXTS[2])
    press(ann, "s")
    shows(ann, TEXTS[3])
    press(ann, "b")
    shows(ann, TEXTS[2])
    press(ann, "b")
    shows(ann, TEXTS[1])
    expect(marks(ann)).to_have_text("No word is a reason.")

    bo = open_page(server.url, "Bo")
    shows(bo, TEXTS[0])
    press(bo, *["ArrowRight"] * 10, " ", "Enter")
    expect(bo.get_by_role("heading", name="What the model says")).to_be_visible()
    expect(bo.get_by_role("button", name="Next")).to_be_focused()
    press(bo, "Enter")
    shows(bo, TEXTS[1])
    found = agreement(Decisions(read_decisions(server.lines, server.saved)))
    expect(bo.locator("#status")).to_contain_text(f"agreement on words α {found.words:.2f}, on labels not defined yet")
    expect(bo.locator("#status")).to_contain_text("1 of 4 texts done · you 1 · 2 people")
    press(bo, "z")
    shows(bo, TEXTS[0])
    expect(marks(bo)).to_have_text("Nothing is marked.")
    press(bo, "?")
    expect(bo.get_by_role("dialog")).to_contain_text("no word is a reason")
    press(bo, "Escape", "End", "r", "u")
    expect(marks(bo)).to_have_text("Nothing is marked.")
    assert server.stop(signal.SIGTERM) == 0


def test_mouse_and_touch_mark_words_and_passages(serve, open_page):
    server = serve()
    page = open_page(server.url, "Ann")
    drag(page, "charmed", "us")
    expect(marks(page)).to_have_text("Reason: “charmed us”.")
    page.get_by_role("radio", name="Not a reason").click()
    page.get_by_role("button", name="acting: unmarked").click()
    expect(marks(page)).to_have_text("Reason: “charmed us”. Not a reason: “acting”.")
    page.get_by_role("radio", name="Reason r").click()
    page.get_by_role("button", name="us: reason").click()
    page.get_by_role("button", name="charmed: reason").click()
    page.get_by_role("radio", name="positive").check()
    page.get_by_role("button", name="Save and next").click()
    shows(page, TEXTS[1])
    assert (server.lines[0]["label"], server.lines[0]["rationale"]) == ("positive", None), "no reason was marked"
    assert server.marked(kind="not_rationale") == ["acting"]

    phone = open_page(server.url, "Bo", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    shows(phone, TEXTS[2])
    phone.get_by_role("button", name="brilliant: unmarked").tap()
    phone.get_by_role("button", name="end: unmarked").tap()
    expect(marks(phone)).to_have_text("Reason: “brilliant end”.")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(phone.locator("#hint .keys")).to_be_hidden()
    phone.get_by_role("button", name="Save and next").tap()
    shows(phone, TEXTS[3])
    assert server.marked() == ["brilliant end"]
    phone.get_by_role("button", name="Skip").tap()
    expect(phone.locator("#message")).to_have_text("Others have the last texts open. More may come free.")
    phone.get_by_role("button", name="Undo last save").tap()
    shows(phone, TEXTS[3])
    phone.reload()
    shows(phone, TEXTS[3])


def drag(page: Any, first: str, last: str) -> None:
    boxes = [page.locator("#task .texts .word", has_text=word).first.bounding_box() for word in (first, last)]
    start, end = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    page.mouse.up()
