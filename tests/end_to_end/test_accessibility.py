"""Every kind of page in a real browser: axe-core finds no fault in it, light or dark, and it fits a phone."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audits.audit_data import audit_data
from reference.run_records import run_record
from whyword import TextClassifier, check, diff, write_explanations
from whyword.audits.page import render
from whyword.data.planted import planted
from whyword.grids.comparison import Comparison

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
expect = pytest.importorskip("playwright.sync_api").expect

PHONE, PAPER = 375, 720  # pixels; A4 between the margins of a browser
ROWS = [(document.words.texts[0], str(document.label)) for document in planted("easy,train=40,dev=0,test=0").train]
TEXTS, LABELS = map(list, zip(*ROWS, strict=True))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "reviews"
    TextClassifier("vmask", "bag", epochs=1).fit(TEXTS, LABELS).save(folder)
    return folder


@pytest.fixture(scope="module")
def rows(model: Path) -> Path:
    file = model.parent / "rows.csv"
    file.write_text("text,label\n" + "".join(f'"{text}",{label}\n' for text, label in ROWS), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def files(model: Path, rows: Path) -> dict[str, Path]:
    """Write a page of each kind."""
    pages = {name: model.parent / f"{name}.html" for name in ("audit", "compare", "diff", "explain", "check")}
    pages["audit"].write_text(render(audit_data()), encoding="utf-8")
    right = [np.arange(200) < share * 200 for share in (0.7, 0.8, 0.9)]
    methods = ("base", "vmask", "vat")
    records = [
        run_record(np.roll(each, n), [0.1 * (n + 1), 0.5], method=method, seed=seed)
        for n, method in enumerate(methods)
        for seed, each in enumerate(right)
    ]
    pages["compare"].write_text(Comparison(records, command="whyword compare reviews").to_html(), encoding="utf-8")
    other = TextClassifier("base", "bag", epochs=1).fit(TEXTS[:20], LABELS[:20])
    pages["diff"].write_text(diff(model, other, TEXTS[:6]).to_html(), encoding="utf-8")
    short = model.parent / "short.csv"
    short.write_text("".join(rows.read_text(encoding="utf-8").splitlines(keepends=True)[:5]), encoding="utf-8")
    write_explanations(model, short, pages["explain"])
    (model.parent / "data").mkdir()
    twice = rows.read_text(encoding="utf-8") + '"such a text",\n' + "".join(f'"{TEXTS[0]}",{each}\n' for each in "ab")
    (model.parent / "data" / "train.csv").write_text(twice, encoding="utf-8")
    check(model.parent / "data").save(pages["check"])
    return pages


@pytest.fixture(scope="module")
def server(model: Path, rows: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "whyword", "serve", str(model), "--examples", str(rows), "--annotate", str(rows)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    environment.pop("WHYWORD_TOKEN", None)
    with subprocess.Popen(
        [*command, "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        yield re.search(r"http://[\d.:]+", process.stdout.readline())[0]
        process.terminate()


def faults(page: Any) -> list[str]:
    """Ask axe-core, with everything open that can be folded."""
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    found = axe.Axe().run(page).response["violations"]
    return [f"{each['id']}: {node['html'][:150]} {node['target']}" for each in found for node in each["nodes"]]


def sideways(page: Any, width: int = PHONE) -> int:
    """Say by how many pixels the page is wider than a phone, or than paper."""
    page.set_viewport_size({"width": width, "height": 700})
    return int(page.evaluate("document.scrollingElement.scrollWidth")) - width


@pytest.mark.parametrize("kind", ["audit", "compare", "diff", "explain", "check"])
def test_a_written_page_has_no_fault(browser: Any, files: dict[str, Path], kind: str) -> None:
    page = browser.new_page()
    page.goto(files[kind].as_uri())
    assert faults(page) == []
    page.emulate_media(color_scheme="dark")
    assert faults(page) == []
    assert sideways(page) <= 0
    page.emulate_media(media="print")
    assert sideways(page, PAPER) <= 0
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_served_page_has_no_fault_before_and_after_an_explanation(browser: Any, server: str, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    page.goto(server)
    page.locator("#examples button").first.wait_for()
    assert faults(page) == []
    page.locator("#examples button").first.click()
    expect(page.locator(".readout")).to_contain_text("Strongest words")
    page.locator(".word").first.click()
    expect(page.locator(".notes")).to_contain_text("without the dropped words")
    page.locator("#add").click()
    expect(page.locator(".readout").nth(1)).to_contain_text("Strongest words")
    assert faults(page) == []
    assert sideways(page) <= 0
    context.close()


@pytest.mark.parametrize("address", ["/docs", "/annotate"])
def test_other_pages_of_the_server_have_no_fault(browser: Any, server: str, address: str) -> None:
    page = browser.new_page()
    page.goto(server + address)
    if address == "/annotate":
        page.fill("#author", "ann")
        page.click("#naming button")
        page.locator("#task .word").first.wait_for()
        page.locator("#task .word").first.click()
    assert faults(page) == []
    page.emulate_media(color_scheme="dark")
    assert faults(page) == []
    assert sideways(page) <= 0
    page.close()
