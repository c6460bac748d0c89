"""The page as a reader's browser shows it."""

import re
from pathlib import Path
from typing import Any

import pytest

from audits.audit_data import EXPLAINERS, audit_data
from whyword.audits.page import render

CONTRAST = """() => {
  const linear = c => (c /= 255) <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => .2126 * linear(r) + .7152 * linear(g) + .0722 * linear(b);
  const parse = c => { const n = c.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const over = (top, below) => [0, 1, 2].map(i => top[3] * top[i] + (1 - top[3]) * below[i]);
  const ground = e => {
    const layers = [];
    for (; e; e = e.parentElement) layers.unshift(parse(getComputedStyle(e).backgroundColor));
    return layers.reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const found = [];
  for (const e of document.querySelectorAll("main *, header *, footer *")) {
    const said = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!said || e.closest("svg") || !e.checkVisibility()) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
    found.push([(a + .05) / (b + .05), e.className + ": " + e.textContent.trim().slice(0, 40)]);
  }
  return found.sort((x, y) => x[0] - y[0])[0];
}"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render(audit_data()), encoding="utf-8")
    return path


class Visit:
    """A page that was opened, with all it asked for and all it complained about."""

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(file.as_uri())

    def __enter__(self) -> "Visit":
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_verdicts_texts_and_curves_are_visible_and_nothing_leaves_the_page(
    browser: Any, file: Path, scripts: bool
) -> None:
    with Visit(browser, file, java_script_enabled=scripts) as visit:
        page = visit.page
        for words in ("Use with care", "Trust", "Do not trust"):
            assert page.locator("#verdicts .badge", has_text=re.compile(f"^{words}$")).is_visible()
        assert page.locator("#gallery .text").first.is_visible()
        assert page.locator("#curves svg.chart").first.is_visible()
        assert visit.requests == [file.as_uri()]
        assert visit.complaints == []


def test_a_script_that_got_in_would_not_run(browser: Any, file: Path) -> None:
    harmed = file.with_name("harmed.html")
    harmed.write_text(
        file.read_text(encoding="utf-8").replace("<main", "<script>document.title = 'mine'</script><main")
    )
    with Visit(browser, harmed) as visit:
        assert visit.page.title() == "Audit of reviews-vmask"
        assert "Content Security Policy" in " ".join(visit.complaints)


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_nothing_scrolls_sideways(browser: Any, file: Path, width: int) -> None:
    with Visit(browser, file, viewport={"width": width, "height": 800}) as visit:
        visit.page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
        assert visit.page.evaluate("document.scrollingElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 768, 1000, 1280])
def test_no_answer_runs_into_the_next(browser: Any, file: Path, width: int) -> None:
    beyond = "cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth + 1).map(cell => cell.textContent)"
    with Visit(browser, file, viewport={"width": width, "height": 800}) as visit:
        assert visit.page.eval_on_selector_all(".matrix td", beyond) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_a_contrast_of_at_least_four_and_a_half(browser: Any, file: Path, scheme: str) -> None:
    with Visit(browser, file, color_scheme=scheme) as visit:
        visit.page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
        ratio, where = visit.page.evaluate(CONTRAST)
        assert ratio >= 4.5, where


def test_the_ground_is_dark_in_the_dark_and_light_on_paper(browser: Any, file: Path) -> None:
    def ground(visit: Visit) -> int:
        color = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", color)))

    with Visit(browser, file, color_scheme="light") as light, Visit(browser, file, color_scheme="dark") as dark:
        assert ground(light) > 700
        assert ground(dark) < 100
        dark.page.emulate_media(media="print")
        assert ground(dark) == 3 * 255


def test_paper_shows_what_the_screen_folds_away(browser: Any, file: Path) -> None:
    with Visit(browser, file) as visit:
        folded = visit.page.locator("#curves details figure").first
        shown = "part => part.checkVisibility({contentVisibilityAuto: true}) && part.getBoundingClientRect().height > 0"
        assert not folded.evaluate(shown)
        visit.page.emulate_media(media="print")
        assert folded.evaluate(shown)


def test_a_reader_chooses_the_explainers_without_any_script(browser: Any, file: Path) -> None:
    with Visit(browser, file, java_script_enabled=False) as visit:
        lime = visit.page.locator("#gallery .by-1").first
        assert lime.is_visible()
        visit.page.locator("#show-1").uncheck()
        assert not lime.is_visible()
        assert visit.page.locator("#gallery .by-0").first.is_visible()


def test_a_keyboard_reaches_the_content_first(browser: Any, file: Path) -> None:
    with Visit(browser, file) as visit:
        visit.page.keyboard.press("Tab")
        assert visit.page.evaluate("document.activeElement.textContent") == "Skip to the content"


def test_every_explainer_of_the_audit_is_named(browser: Any, file: Path) -> None:
    with Visit(browser, file) as visit:
        for name in EXPLAINERS:
            assert visit.page.locator(".name", has_text=re.compile(f"^{name}$")).first.is_visible()
