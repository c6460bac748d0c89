"""What every view of an explanation draws from: texts, the place of each word, its score and its color.

Blue speaks for the class, orange against it, and stronger is more intense. The pair can be told apart with every common
kind of color blindness. Paint is translucent, so it lies equally well on a light and on a dark page, and never so thick
that the text on it falls below a contrast of 4.5 to 1 (WCAG AA).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from math import isfinite, isnan
from statistics import median

NEGLIGIBLE = 0.05  # weaker words look like the page they stand on
DIGITS = 5  # of a strength: the rest is rounding, which must not decide which of two equal words is named first

Run = tuple[str, float | None, float]  # string, score, strength
Color = tuple[int, int, int]

BLUE: Color = (0, 114, 178)
ORANGE: Color = (196, 80, 0)
MOST_OPAQUE = 0.55


@dataclass(frozen=True)
class Highlight:
    """Plain values of one explanation."""

    texts: tuple[str, ...]
    spans: tuple[tuple[tuple[int, int], ...], ...]
    scores: tuple[float, ...]
    signed: bool
    label: str
    probability: float
    explainer: str
    truncated_words: int = 0
    windows: int = 1
    tied: int = 0  # words whose place in or out of the top is undecided

    @property
    def strengths(self) -> tuple[float, ...]:
        """How strongly to paint each word: 1 or -1 for the strongest, 0 for what does not stand out.

        Signed scores count from 0. Weights and gates count from the text's median word: a gate that keeps every other
        word with probability one half paints only those that it keeps more surely.
        """
        middle = 0.0 if self.signed or len(self.scores) < 2 else _median(self.scores)
        beyond = [score - middle if self.signed else max(0.0, score - middle) for score in self.scores]
        largest = max((abs(score) for score in beyond if isfinite(score)), default=0.0)
        if largest == 0:
            return (0.0,) * len(self.scores)
        return tuple(0.0 if isnan(score) else max(-1.0, min(score / largest, 1.0)) for score in beyond)

    def runs(self) -> list[list[Run]]:
        """Cut each text into runs (string, score, strength); what lies between words has the score None."""
        pairs = iter(zip(self.scores, self.strengths, strict=True))
        return [list(_runs(text, spans, pairs)) for text, spans in zip(self.texts, self.spans, strict=True)]

    def passages(self, weakest: float = NEGLIGIBLE) -> list[list[Run]]:
        """Cut each text as runs does, but leave weaker words than this in one piece with the text around them."""
        return [list(_merge(runs, weakest)) for runs in self.runs()]

    def strongest(self, k: int = 5) -> list[tuple[str, float, float]]:
        """Give the k strongest words, for or against, as (word, score, strength); ties go to the earlier word."""
        words = [
            (string, score, strength)
            for runs in self.runs()
            for string, score, strength in runs
            if score is not None and abs(strength) >= NEGLIGIBLE
        ]
        return sorted(words, key=lambda word: -round(abs(word[2]), DIGITS))[:k]

    def written(self, score: float) -> str:
        """Write a score with three digits, and its sign where signs mean something."""
        return f"{score:+.3g}" if self.signed else f"{score:.3g}"

    @property
    def headings(self) -> tuple[str, ...]:
        """What to write above each text: nothing above a single one."""
        return ("",) if len(self.texts) == 1 else ("First text", "Second text")

    @property
    def legend(self) -> list[tuple[str, float]]:
        """Name what the colors mean, each with a strength to show it in."""
        if self.signed:
            return [(f"speaks for {self.label}", 1.0), (f"speaks against {self.label}", -1.0)]
        return [("weighs more in the decision", 1.0)]

    @property
    def notes(self) -> list[str]:
        """Say what a reader must know about the text as a whole."""
        notes = []
        if not self.strongest(1):
            notes.append("No word stands out.")
        if self.tied:
            notes.append(f"{self.tied:,} words are tied: which of them belong to the top ones is undecided.")
        last = "last word" if self.truncated_words == 1 else f"last {self.truncated_words:,} words"
        if self.windows > 1:
            beyond = f"; the prediction did not read the {last}" if self.truncated_words else ""
            notes.append(f"The scores come from {self.windows:,} overlapping windows{beyond}.")
        elif self.truncated_words:
            notes.append(f"The {last} {'was' if self.truncated_words == 1 else 'were'} not read by this model.")
        return notes


def _runs(text: str, spans: tuple[tuple[int, int], ...], pairs: Iterator[tuple[float, float]]) -> Iterator[Run]:
    position = 0
    for start, end in spans:
        if start > position:
            yield text[position:start], None, 0.0
        score, strength = next(pairs)
        yield text[start:end], score, strength
        position = end
    if position < len(text):
        yield text[position:], None, 0.0


def _merge(runs: Iterable[Run], weakest: float) -> Iterator[Run]:
    for strong, group in groupby(runs, lambda run: run[1] is not None and abs(run[2]) >= weakest):
        if strong:
            yield from group
        else:
            yield "".join(string for string, _, _ in group), None, 0.0


def _median(scores: tuple[float, ...]) -> float:
    finite = [score for score in scores if isfinite(score)]
    return median(finite) if finite else 0.0


def hue(strength: float) -> Color:
    """Choose blue for what speaks for the class, orange for what speaks against it."""
    return ORANGE if strength < 0 else BLUE


def opacity(strength: float) -> float:
    """Say how thick the paint behind a word is, in proportion to its strength."""
    return round(MOST_OPAQUE * abs(strength), 3)


def underline(strength: float) -> int:
    """Say how thick the line under a word is, for readers who see no color: 0 in the weak third, then 1, then 2."""
    return min(int(3 * abs(strength)), 2)


def blend(color: Color, share: float, ground: Color) -> Color:
    """Mix a share of a color into the ground it lies on."""
    red, green, blue = (round(share * top + (1 - share) * below) for top, below in zip(color, ground, strict=True))
    return red, green, blue


def hexadecimal(color: Color) -> str:
    """Write a color as #rrggbb."""
    return "#{:02x}{:02x}{:02x}".format(*color)
