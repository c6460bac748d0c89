"""A page of explanations: a heading, one article a text, and controls that sort and filter them.

Articles can be written as they are computed; the page reads without scripts too, in the order of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from .characters import showable
from .html import isolated

SCRIPT = Path(__file__).with_name("page.js")
_STYLE = """
:root {
  color-scheme: light dark;
  --ground: #fbfbf9; --ink: #1a1e23; --soft: #555e68; --rule: #e1e3e0; --edge: #85888f;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: #121517; --ink: #e8eaec; --soft: #a6b0b9; --rule: #31373c; --edge: #767a83; }
}
@media print { :root { color-scheme: light; --ground: #fff; --ink: #000; --soft: #444; --rule: #ccc; } }
* { box-sizing: border-box; }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: break-word; }
h1 { margin: 0 0 .3rem; font-size: 1.5rem; }
form { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; align-items: center;
  margin: 1rem 0 -1px; padding: .6rem 0; background: var(--ground); border-bottom: 1px solid var(--rule); }
form[hidden] { display: none; }
form label, output { color: var(--soft); }
input, select { font: inherit; color: var(--ink); max-width: 14rem; }
select, input[type=search] { padding: .2rem .5rem; border: 1px solid var(--edge); border-radius: .45rem;
  background: var(--ground); }
article { padding: .6rem 0; border-top: 1px solid var(--rule); overflow-wrap: anywhere; }
article > p { margin: .2rem 0; }
@media (max-width: 40rem) { form { position: static; } }
@media print { form { display: none !important; } article { break-inside: avoid; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; } }
"""
_CONTROLS = """<form hidden>
<label>Order <select name="order">
<option value="file">as in the file</option>
<option value="unsure">least certain first</option>
<option value="sure">most certain first</option>
</select></label>
<label>Predicted <select name="label"><option value="">any class</option></select></label>
<label class="labeled" hidden><input type="checkbox" name="wrong"> only where label and prediction differ</label>
<label>With the words <input type="search" name="words"></label>
<output name="count"></output>
</form>
"""
TAIL = "</main>\n</body>\n</html>\n"


def head(title: str, told: str) -> str:
    """Begin the page: what it is called, and a sentence on what it shows."""
    script = SCRIPT.read_text(encoding="utf-8")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(showable(title))}</title>
<style>{_STYLE}</style>
<script>{script}</script>
</head>
<body>
<main>
<h1>{isolated(title)}</h1>
<p>{escape(showable(told))}</p>
{_CONTROLS}"""


def article(body: str, predicted: Sequence[str], probability: float, given: Sequence[str] | None) -> str:
    """Write what is shown of one text; with the labels that it was given, if it was given any."""
    values = {"label": ", ".join(predicted), "probability": f"{probability:.6f}"}
    note = ""
    if given is not None:
        wrong = set(given) != set(predicted)
        values["wrong"] = str(int(wrong))
        said = f"; the prediction is {isolated(', '.join(predicted) or 'no label')}" if wrong else ""
        note = f"<p>{'✗' if wrong else '✓'} Labeled {isolated(', '.join(given) or 'no label')}{said}.</p>\n"
    attributes = "".join(f' data-{name}="{escape(showable(value))}"' for name, value in values.items())
    return f"<article{attributes}>\n{note}{body}</article>\n"
