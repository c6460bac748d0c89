"""An explanation as a fragment of HTML: no script, no network, no style sheet, safe for any text.

Text and background colors are those of the page around it, so it is light on a light page and dark on a dark one,
whether the page follows the system (color-scheme, prefers-color-scheme) or a notebook's own theme. Styles are inline
because notebooks and mail programs drop style sheets from strangers.
"""

from __future__ import annotations

import re
from html import escape

from .characters import showable
from .highlight import Highlight, hue, opacity, underline

# A page of explanations, one below the other, is HEAD, their fragments and TAIL.
HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>whyword explanations</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.1rem; }
.whyword { padding: .6rem 0; border-top: 1px solid rgba(128, 128, 128, .4); }
</style>
</head>
<body>
"""
TAIL = "</body>\n</html>\n"
_BIDI_CONTROL = re.compile("[\u202a-\u202e\u2066-\u2069]")
_SMALL = 'style="margin:.4em 0;font-size:.85em"'


def render(highlight: Highlight) -> str:
    """Write the class, the text with its words painted, the strongest words, and what the colors mean."""
    lines = [
        '<div class="whyword" style="line-height:1.8;overflow-wrap:anywhere">',
        f'<p style="margin:.4em 0"><strong>{isolated(highlight.label)}</strong> {highlight.probability:.1%}'
        f" · {isolated(highlight.explainer)}</p>",
    ]
    for heading, passages in zip(highlight.headings, highlight.passages(), strict=True):
        if heading:
            lines.append(f"<p {_SMALL}>{heading}</p>")
        body = "".join(
            readable(string) if score is None else painted(readable(string), strength, highlight.written(score))
            for string, score, strength in passages
        )
        lines.append(f'<p class="whyword-text" dir="auto" style="margin:.4em 0;white-space:pre-wrap">{body}</p>')
    if strongest := highlight.strongest():
        words = ", ".join(f"{isolated(word)} {highlight.written(score)}" for word, score, _ in strongest)
        lines.append(f"<p {_SMALL}>Strongest words: {words}</p>")
    legend = " · ".join(painted(isolated(meaning), strength) for meaning, strength in highlight.legend)
    lines.append(f"<p {_SMALL}>{legend}</p>")
    lines += [f"<p {_SMALL}>{note}</p>" for note in highlight.notes]
    return "\n".join([*lines, "</div>"])


def painted(content: str, strength: float, title: str = "") -> str:
    """Paint what is safe to show already, as strongly as its score asks."""
    style = "background-color:rgba({},{},{},{:g})".format(*hue(strength), opacity(strength))
    if thickness := underline(strength):
        # A dash of its own for each direction, for readers who see no color.
        style += f";border-bottom:{thickness}px {'dashed' if strength < 0 else 'solid'}"
    return f'<span style="{style}"' + (f' title="{title}"' if title else "") + f">{content}</span>"


def readable(text: str) -> str:
    """Escape a text, and box in every word that holds a bidirectional control, so that it reorders only itself."""
    text = escape(showable(text))
    if not _BIDI_CONTROL.search(text):
        return text
    return "".join(
        f"<bdi>{piece}</bdi>" if _BIDI_CONTROL.search(piece) else piece for piece in re.split(r"(\s+)", text)
    )


def isolated(text: str) -> str:
    """Escape a text and box it in, so that its direction of writing stays its own."""
    return f"<bdi>{escape(showable(text))}</bdi>"
