"""An explanation in a terminal, as rich's console markup.

A terminal may be light or dark, so a painted word brings its own ground and ink: from gray for a weak word to full blue
or orange for a strong one. Without color, underlined words speak for the class, italic ones against it, and bold ones
are the strongest; where there are no styles at all, the list of words under the text remains.
"""

from __future__ import annotations

import re
from itertools import accumulate

from .characters import columns, showable
from .highlight import Highlight, blend, hexadecimal, hue, underline

GRAY = (104, 104, 104)
INK = (255, 255, 255)
WEAKEST = 0.15  # a painted word is plain to see even in gray, so fewer are painted than elsewhere
_WORD_COLUMNS = 24  # longest word in the list
_BAR_COLUMNS = 20
_EIGHTHS = " ▏▎▍▌▋▊▉"
# Rich colors numbers and quoted strings in what it prints; a style of our own keeps such colors out of the text.
_PLAIN = "[not bold not italic not underline default]"
_EMOJI_CODE = re.compile(r":\S+?:")
_BRACKET = re.compile(r"(\\*)\[(?=([a-z#/@][^[]*?\])?)")


def render(highlight: Highlight) -> str:
    """Write the class, the text with its words painted, the strongest words with bars, and what the colors mean."""
    heading = f"[bold]{_literal(highlight.label)}[/] {highlight.probability:.1%} · {_literal(highlight.explainer)}"
    blocks = [heading]
    for title, passages in zip(highlight.headings, highlight.passages(WEAKEST), strict=True):
        body = "".join(
            _literal(string) if score is None else _painted(string, strength) for string, score, strength in passages
        )
        blocks.append(f"{title}:\n{body}" if title else body)
    if strongest := highlight.strongest():
        blocks.append(_bars(highlight, strongest))
    signs = {1.0: "+ ", -1.0: "- "} if highlight.signed else {1.0: ""}
    legend = [_painted(f" {signs[strength]}{meaning} ", strength) for meaning, strength in highlight.legend]
    notes = [" ".join(legend), *highlight.notes]
    return _PLAIN + "\n\n".join([*blocks, "\n".join(notes)]) + "[/]"


def style(strength: float) -> str:
    """Name the style of a painted word."""
    emphasis = ("", "italic " if strength < 0 else "underline ", "bold italic " if strength < 0 else "bold underline ")
    ground = blend(hue(strength), abs(strength), GRAY)
    return f"{emphasis[underline(strength)]}{hexadecimal(INK)} on {hexadecimal(ground)}"


def _painted(text: str, strength: float) -> str:
    return f"[{style(strength)}]{_literal(text)}[/]"


def _bars(highlight: Highlight, strongest: list[tuple[str, float, float]]) -> str:
    words = [_shortened(" ".join(showable(word).split())) for word, _, _ in strongest]
    scores = [highlight.written(score) for _, score, _ in strongest]
    word_columns = max(map(_columns, words))
    score_columns = max(map(len, scores))
    return "\n".join(
        f"{_literal(word)}{' ' * (word_columns - _columns(word))}  {score:>{score_columns}}  "
        f"[{hexadecimal(hue(strength))}]{_bar(abs(strength))}[/]"
        for word, score, (_, _, strength) in zip(words, scores, strongest, strict=True)
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
