"""The snippets of the documentation: blocks of code, and the reason of those that no test runs."""

import re
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[1] / "docs"
FENCE = re.compile(r'^( *)```(\w+)(?: title="not run by tests: ([^"]+)")?\n(.*?)^ *```$', re.DOTALL | re.MULTILINE)
SHELL = ("sh", "bash")


class Snippet(NamedTuple):
    """A block of code of a page."""

    page: str
    language: str
    reason: str | None  # why it is not run, as the page itself shows it
    code: str


def snippets() -> list[Snippet]:
    """Give the snippets of all pages."""
    found = []
    for path in sorted(DOCS.rglob("*.md")):
        page = str(path.relative_to(DOCS))
        blocks = FENCE.findall(path.read_text(encoding="utf-8"))
        found += [Snippet(page, language, reason or None, code) for _, language, reason, code in blocks]
    return found


def commands(snippet: Snippet) -> list[str]:
    """Give the lines of a block of shell, each with those that it goes on in."""
    return [line for line in snippet.code.replace("\\\n", " ").splitlines() if line.split("#")[0].strip()]
