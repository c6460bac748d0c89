"""An explanation in a terminal, as rich's console markup.

A terminal may be light or dark, so a painted word brings its own ground and ink: from gray for a weak word to the full
color of its class for a strong one. Without color, underlined words speak for the class that is explained, italic ones
for another, and bold ones are the strongest; weights and gates are double underlined. The list of words under the text
says for which class each speaks.
"""

from __future__ import annotations

import re
from itertools import accumulate

from .characters import columns, showable
from .highlight import GRAY, Highlight, Paint, blend, hexadecimal

INK = (255, 255, 255)
WEAKEST = 0.15  # a painted word is plain to see even in gray, so fewer are painted than elsewhere
_WORD_COLUMNS = 24  # longest word in the list
_BAR_COLUMNS = 20
_EIGHTHS = " ▏▎▍▌▋▊▉"
_RAISED = str.maketrans("0123456789abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
# Rich colors numbers and quoted strings in what it prints; a style of our own keeps such colors out of the text.
_PLAIN = "[not bold not italic not underline default]"
_EMOJI_CODE = re.compile(r":\S+?:")
_BRACKET = re.compile(r"(\\*)\[(?=([a-z#/@][^[]*?\])?)")


def render(highlight: Highlight) -> str:
    """Write the class, the text with its words painted, the strongest words with bars, and what the colors mean."""
    heading = " against ".join(f"[bold]{_literal(label)}[/] {share}" for label, share in highlight.heading)
    blocks = [f"{heading} · {_literal(highlight.explainer)}"]
    for title, passages in zip(highlight.headings, highlight.passages(WEAKEST), strict=True):
        body = "".join(
            _literal(string) if score is None else _painted(string, paint) for string, score, paint in passages
        )
        blocks.append(f"{title}:\n{body}" if title else body)
    if strongest := highlight.strongest():
        blocks.append(_bars(highlight, strongest))
    if pairs := highlight.pairs:
        blocks.append("\n".join(_literal(" ".join(pair.sentence.split())) for pair in pairs))
    signs = {"solid": "+ ", "dashed": "- ", "dotted": ""}
    legend = [_painted(f" {signs[paint.line]}{meaning} ", paint) for meaning, paint in highlight.legend]
    notes = [" ".join(legend), *map(_literal, highlight.notes)]
    return _PLAIN + "\n\n".join([*blocks, "\n".join(notes)]) + "[/]"


def style(paint: Paint) -> str:
    """Name the style of a painted word."""
    lines = {"solid": "underline ", "dashed": "italic ", "dotted": "underline2 "}
    emphasis = ("bold " if paint.thickness > 1 else "") + (lines[paint.line] if paint.thickness else "")
    return f"{emphasis}{hexadecimal(INK)} on {hexadecimal(blend(paint.color, paint.strength, GRAY))}"


def _painted(text: str, paint: Paint) -> str:
    if paint.struck:
        return f"[strike]{_literal(text)}[/]"
    return f"[{style(paint)}]{_literal(text)}{paint.tag.translate(_RAISED)}[/]"


def _bars(highlight: Highlight, strongest: list[tuple[str, float, Paint]]) -> str:
    words = [_shortened(" ".join(showable(word).split())) for word, _, _ in strongest]
    scores = [highlight.written(score) for _, score, _ in strongest]
    word_columns = max(map(_columns, words))
    score_columns = max(map(len, scores))
    return "\n".join(
        f"{_literal(word)}{' ' * (word_columns - _columns(word))}  {score:>{score_columns}}  "
        f"[{hexadecimal(paint.color)}]{_bar(paint.strength)}[/]{_literal(f' {paint.speaks}') if paint.speaks else ''}"
        for word, score, (_, _, paint) in zip(words, scores, strongest, strict=True)
    )


def _bar(strength: float) -> str:
    whole, eighths = divmod(round(8 * _BAR_COLUMNS * strength), 8)
    return "█" * whole + _EIGHTHS[eighths].strip()


def _columns(text: str) -> int:
    return sum(map(columns, text))


def _shortened(word: str) -> str:
    if _columns(word) <= _WORD_COLUMNS:
        return word
    ends = accumulate(map(columns, word))
    return word[: sum(1 for end in ends if end < _WORD_COLUMNS)] + "…"


def _literal(text: str) -> str:
    """Write a text so that rich shows it as it is: tags, :emoji: codes, backslashes; whatever comes after it."""
    text = showable(text).replace("\r", "")
    if _EMOJI_CODE.search(text):
        return "[none]:[/none]".join(map(_without_tags, text.split(":")))
    return _without_tags(text)


def _without_tags(text: str) -> str:
    if "[" not in text and not text.endswith("\\"):
        return text
    # Before what looks like a tag rich halves the backslashes, before any other bracket it drops one; an empty tag at
    # the end keeps what is written next from completing a tag, and shields backslashes by halving them as well.
    text = _BRACKET.sub(lambda bracket: bracket[1] * (2 if bracket[2] else 1) + r"\[", text)
    trailing = len(text) - len(text.rstrip("\\"))
    return text + "\\" * trailing + "[none][/none]"
