"""A page of explanations, one below the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>whyword explanations</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }
</style>
</head>
<body>
"""


def page(fragments: Iterable[str]) -> Iterator[str]:
    """Wrap fragments of HTML into a document, piece by piece."""
    yield HEAD
    for fragment in fragments:
        yield fragment + "\n"
    yield "</body>\n</html>\n"
