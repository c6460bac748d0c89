"""What every view of an explanation draws from: texts, the place of each word, its score and how it is painted.

A word has the color of the class it speaks for, and stronger is more intense. No view relies on color alone: the line
under a word is solid if it speaks for the class that is explained and dashed if it speaks for another, a text of more
than two classes has the first letters of the class beside the word, and the list of the strongest words names it. A
word that speaks against the class, nobody knows for which other, is gray. Weights and gates speak for no class: they
are gray too, and their line is dotted.

The first colors of the palette can be told apart with every common kind of color blindness. Paint is translucent, so it
lies equally well on a light and on a dark page, and never so thick that the text on it falls below a contrast of 4.5
to 1 (WCAG AA).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isfinite, isnan
from statistics import median
from typing import Literal, NamedTuple

NEGLIGIBLE = 0.05  # weaker words look like the page they stand on
DIGITS = 5  # of a strength: the rest is rounding, which must not decide which of two equal words is named first
SHOWN_PAIRS = 5  # interactions
SHOWN_UNREAD = 5  # words
LIKELY_MARKED, SHOWN_MARKS = 0.5, 8  # probability and most words named of those that a person would mark
UNNOTICED = 0.0005  # a difference of probabilities that percents with one digit do not show
LONGEST_TAG = 4  # letters

Color = tuple[int, int, int]
Line = Literal["solid", "dashed", "dotted"]

BLUE: Color = (0, 114, 178)
ORANGE: Color = (196, 80, 0)
GRAY: Color = (104, 104, 104)
# Chosen among the colors that white writing can be read on, for the largest difference between any two to normal eyes
# and to those that lack red, green or blue cones; classes beyond the eighth begin anew, and their tags tell them apart.
PALETTE: tuple[Color, ...] = (
    ORANGE,
    BLUE,
    (144, 48, 240),  # violet
    (16, 112, 48),  # green
    (160, 96, 144),  # mauve
    (112, 96, 224),  # indigo
    (208, 48, 64),  # red
    (208, 32, 176),  # magenta
)
MOST_OPAQUE = 0.55
WEIGHT = "weight, not a reason for a class"
UNREAD = "forbidden: not read by this model"
RAISING, LOWERING = "raising the score", "lowering the score"


@dataclass(frozen=True)
class Paint:
    """How a word is painted, and what that means."""

    strength: float = 0.0  # 0 to 1
    color: Color = GRAY
    line: Line = "solid"
    speaks: str = ""  # "for positive", "against positive" or "raising the score"; weights do not speak
    tag: str = ""  # first letters of the class, where words may speak for more than two
    struck: bool = False  # a word that the model does not read

    @property
    def meaning(self) -> str:
        """What the paint means, in a few words."""
        if self.struck:
            return UNREAD
        if self.speaks in (RAISING, LOWERING):
            return "raises the score" if self.speaks == RAISING else "lowers the score"
        return f"speaks {self.speaks}" if self.speaks else WEIGHT

    @property
    def opacity(self) -> float:
        """How thick the paint behind the word is."""
        return opacity(self.strength)

    @property
    def thickness(self) -> int:
        """How thick the line under the word is; all weights have one, so that nobody takes them for signed scores."""
        return max(underline(self.strength), 1 if self.line == "dotted" else 0)


STRUCK = Paint(struck=True)

Run = tuple[str, float | None, float]  # string, score, strength
Passage = tuple[str, float | None, Paint]


class Piece(NamedTuple):
    """A word, or the text around words."""

    string: str
    score: float | None = None  # None: not a word, or one that does not stand out
    paint: Paint = Paint()
    word: int | None = None  # its position among all words


class Pair(NamedTuple):
    """Two words that act together."""

    mark: str
    first: int  # positions of the words
    second: int
    sentence: str
    paint: Paint


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
    nothing_known: bool = False  # no word of the text is in the model's vocabulary
    windows: int = 1
    tied: int = 0  # words whose place in or out of the top is undecided
    grouped: int = 0  # words that share the score of their group, as a long text has too many to score each
    classes: tuple[str, ...] = ()  # none: words speak for or against the label, in blue or orange
    target: int = 0  # number of the label among the classes
    speaks_for: tuple[int | None, ...] = ()  # the class each word speaks for (Explanation.speaks_for says how)
    against: int | None = None  # number of the other class of a contrast
    against_probability: float = 0.0
    exclusive: bool = True  # False for labels that do not exclude each other: what one loses, no other wins
    given: bool | None = None  # where a text may have several labels: whether the model gives it this one
    base_value: float | None = None  # what the scores add up from
    error: float | None = None  # of the scores, measured on sub-texts
    # expected score of ordered classes, lowest and highest one there is, where words raise and lower it
    expected: tuple[float, float, float] | None = None
    interactions: tuple[tuple[int, int, float, int | None], ...] = ()  # positions of two words, score, speaks for
    would_mark: tuple[float, ...] = ()  # how likely a person is to mark each word; empty: not known
    forbidden: tuple[int, ...] = ()  # positions of the words that the model does not read
    full_paint: float | None = None  # the size of score painted strongest, where views of a text share a scale

    @property
    def words(self) -> list[str]:
        """The words of all texts."""
        return [text[start:end] for text, spans in zip(self.texts, self.spans, strict=True) for start, end in spans]

    @property
    def strengths(self) -> tuple[float, ...]:
        """How strongly to paint each word: 1 or -1 for the strongest of all views, 0 for what does not stand out.

        Signed scores count from 0. Weights and gates count from the text's median word: a gate that keeps every other
        word with probability one half paints only those that it keeps more surely.
        """
        middle = 0.0 if self.signed or len(self.scores) < 2 else _median(self.scores)
        beyond = [score - middle if self.signed else max(0.0, score - middle) for score in self.scores]
        largest = self.full_paint or max((abs(score) for score in beyond if isfinite(score)), default=0.0)
        if largest == 0:
            return (0.0,) * len(self.scores)
        return tuple(0.0 if isnan(score) else max(-1.0, min(score / largest, 1.0)) for score in beyond)

    def paint(self, strength: float, speaks_for: int | None) -> Paint:
        """Choose color, line and tag for what speaks so strongly, for the target or (below 0) not."""
        if not self.signed:
            return Paint(abs(strength), GRAY, "dotted")
        line: Line = "solid" if strength >= 0 else "dashed"
        if self.expected is not None:
            return Paint(abs(strength), hue(strength), line, RAISING if strength >= 0 else LOWERING)
        if not self.classes:
            return Paint(abs(strength), hue(strength), line, f"{'for' if strength >= 0 else 'against'} {self.label}")
        if strength >= 0:
            speaks_for = self.target
        if speaks_for is None:
            return Paint(abs(strength), GRAY, line, f"against {self.label}")
        several = len(self.classes) > 2 and (self.given is None or self.against is not None)
        tag = tags(self.classes)[speaks_for] if several else ""
        return Paint(abs(strength), class_color(speaks_for), line, f"for {self.classes[speaks_for]}", tag)

    @property
    def paints(self) -> list[Paint]:
        """How each word is painted."""
        strengths = self.strengths
        speaks_for = self.speaks_for or (None,) * len(strengths)
        paints = [self.paint(strength, number) for strength, number in zip(strengths, speaks_for, strict=True)]
        for word in self.forbidden:
            paints[word] = STRUCK
        return paints

    def runs(self) -> list[list[Run]]:
        """Cut each text into runs (string, score, strength); what lies between words has the score None."""
        strengths = self.strengths
        return [
            [(piece.string, piece.score, 0.0 if piece.word is None else strengths[piece.word]) for piece in pieces]
            for pieces in self.pieces(weakest=0.0)
        ]

    def pieces(self, weakest: float = NEGLIGIBLE) -> list[list[Piece]]:
        """Cut each text at its words, but leave weaker ones in one piece with the text around them.

        Words that act together, or are not read, are pieces of their own, however weak each of them is.
        """
        words = iter(enumerate(zip(self.scores, self.paints, strict=True)))
        apart = {position for pair in self.pairs for position in (pair.first, pair.second)} | set(self.forbidden)
        return [
            list(_merge(_cut(text, spans, words), weakest, apart))
            for text, spans in zip(self.texts, self.spans, strict=True)
        ]

    def passages(self, weakest: float = NEGLIGIBLE) -> list[list[Passage]]:
        """Give the pieces as (string, score, paint)."""
        return [[piece[:3] for piece in pieces] for pieces in self.pieces(weakest)]

    def strongest(self, k: int = 5) -> list[tuple[str, float, Paint]]:
        """Give the k strongest words, whatever they speak for, as (word, score, paint); ties go to the earlier word."""
        words = [
            (piece.string, piece.score, piece.paint)
            for pieces in self.pieces()
            for piece in pieces
            if piece.score is not None and piece.paint.strength >= NEGLIGIBLE
        ]
        return sorted(words, key=lambda word: -round(word[2].strength, DIGITS))[:k]

    @property
    def pairs(self) -> list[Pair]:
        """Words that act together, with a sentence for each pair."""
        words = self.words
        pairs = []
        for number, (one, other, score, speaks_for) in enumerate(self.interactions[:SHOWN_PAIRS]):
            first, second = sorted((one, other))
            paint = self.paint(1.0 if score >= 0 else -1.0, speaks_for)
            sentence = f"{words[first]} + {words[second]}: together {self.told(score, paint)}"
            pairs.append(Pair(chr(ord("①") + number), first, second, sentence, paint))
        return pairs

    def written(self, score: float) -> str:
        """Write a score with three digits, and its sign where signs mean something."""
        return f"{score:+.3g}" if self.signed else f"{score:.3g}"

    def told(self, score: float, paint: Paint) -> str:
        """Write a score with the class that it speaks for."""
        return f"{self.written(score)} ({paint.speaks})" if paint.speaks else self.written(score)

    def strongest_by_class(self, k: int = 5) -> dict[str, list[tuple[str, str]]]:
        """Give the strongest words with their written scores, by what they speak for; the strongest class first."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for word, score, paint in self.strongest(k):
            groups.setdefault(paint.speaks, []).append((word, self.written(score)))
        return groups

    @property
    def headings(self) -> tuple[str, ...]:
        """What to write above each text: nothing above a single one."""
        return ("",) if len(self.texts) == 1 else ("First text", "Second text")

    @property
    def legend(self) -> list[tuple[str, Paint]]:
        """Name what the colors mean, the class that is explained first and then all others that some word speaks for.

        The other of two classes, and of a contrast, is named even if no word speaks for it.
        """
        if not self.signed:
            return [(WEIGHT, self.paint(1.0, None))]
        paints = [self.paint(1.0, self.target), *(self.paint(-1.0, number) for number in self._others())]
        return [(paint.meaning, paint) for paint in paints]

    def _others(self) -> list[int | None]:
        if self.expected is not None:
            return [None]
        if len(self.classes) == 2 and (self.exclusive or self.against is not None):
            return [1 - self.target]
        if self.against is not None or not self.classes:
            return [self.against]
        words = zip(self.speaks_for, self.strengths, strict=True)
        painted = {number for number, strength in words if strength <= -NEGLIGIBLE}
        return [*sorted(number for number in painted if number is not None), *({None} & painted)]

    @property
    def sums(self) -> str:
        """Say how the scores add up, where it is known what they start from."""
        if self.base_value is None or not self.signed:
            return ""
        added, whole = sum(self.scores), self.probability - self.against_probability
        end = self.base_value + added
        if self.expected is not None:
            line = f"Starts at {self.base_value:.2f}, words add {added:+.2f}, = {end:.2f}"
            return (
                f"{line}." if abs(end - self.expected[0]) < 0.005 else f"{line}; the model says {self.expected[0]:.2f}."
            )
        start = "Starts" if self.against is None else f"{self.label} minus {self.classes[self.against]}: starts"
        line = f"{start} at {self.base_value:.1%}, words add {added:+.1%}, = {end:.1%}"
        return f"{line}." if abs(end - whole) < UNNOTICED else f"{line}; the model says {whole:.1%}."

    @property
    def heading(self) -> list[tuple[str, str]]:
        """The class that is explained, and the one it is held against, each with its probability; or the score."""
        if self.expected is not None:
            score, lowest, highest = self.expected
            return [(f"expected score {score:.2f}", f"on {lowest:g} to {highest:g}, predicted {self.label}")]
        heading = [(self.label, f"{self.probability:.1%}{', not predicted' if self.given is False else ''}")]
        if self.against is not None:
            heading.append((self.classes[self.against], f"{self.against_probability:.1%}"))
        return heading

    @property
    def notes(self) -> list[str]:
        """Say what a reader must know about the text as a whole."""
        notes = []
        if self.nothing_known:
            notes.append("The model knows no word of this text: its answer is the share of each class in training.")
        elif not self.strongest(1):
            notes.append("No word stands out.")
        if self.sums:
            notes.append(self.sums)
        if self.error is not None:
            notes.append(f"Checked on sub-texts: sums of scores miss the probability by {self.error:.3f}.")
        if self.tied:
            notes.append(f"{self.tied:,} words are tied: which of them belong to the top ones is undecided.")
        if self.grouped:
            notes.append(
                f"{self.grouped:,} words were scored in groups only: each has an even share of its group's score."
            )
        if self.forbidden:
            words = [
                text[start:end] for text, spans in zip(self.texts, self.spans, strict=True) for start, end in spans
            ]
            unread = list(dict.fromkeys(words[word] for word in self.forbidden))
            more = " …" if len(unread) > SHOWN_UNREAD else ""
            notes.append(f"Not read, as it must not decide: {', '.join(unread[:SHOWN_UNREAD])}{more}.")
        last = "last word" if self.truncated_words == 1 else f"last {self.truncated_words:,} words"
        if self.windows > 1:
            beyond = f"; the prediction did not read the {last}" if self.truncated_words else ""
            notes.append(f"The scores come from {self.windows:,} overlapping windows{beyond}.")
        elif self.truncated_words:
            notes.append(f"The {last} {'was' if self.truncated_words == 1 else 'were'} not read by this model.")
        if self.would_mark:
            notes.append(self._marked_by_people())
        return notes

    def _marked_by_people(self) -> str:
        """Say which words a person would mark, which is learned from marked texts and not from the model's answers."""
        words = (text[start:end] for text, spans in zip(self.texts, self.spans, strict=True) for start, end in spans)
        likely: dict[str, float] = {}
        for word, probability in zip(words, self.would_mark, strict=True):
            if probability >= LIKELY_MARKED:
                likely[word] = max(probability, likely.get(word, 0.0))
        likeliest = sorted(likely.items(), key=lambda pair: -pair[1])[:SHOWN_MARKS]
        named = ", ".join(f"{word} {probability:.0%}" for word, probability in likeliest) or "no word"
        return (
            f"A person would probably mark: {named}. This is learned from marked texts; it is no reason of the model."
        )


def tags(classes: Sequence[str]) -> tuple[str, ...]:
    """Give each class a short mark: as many first letters as tell all of them apart, up to four, or else a number."""
    for length in range(1, LONGEST_TAG + 1):
        cut = tuple(name[:length].lower() for name in classes)
        if len(set(cut)) == len(cut) and all(tag.isalnum() for tag in cut):
            return cut
    return tuple(str(number) for number in range(1, len(classes) + 1))


def _cut(
    text: str, spans: tuple[tuple[int, int], ...], words: Iterator[tuple[int, tuple[float, Paint]]]
) -> Iterator[Piece]:
    position = 0
    for start, end in spans:
        if start > position:
            yield Piece(text[position:start])
        word, (score, paint) = next(words)
        yield Piece(text[start:end], score, paint, word)
        position = end
    if position < len(text):
        yield Piece(text[position:])


def _merge(pieces: Iterable[Piece], weakest: float, apart: set[int]) -> Iterator[Piece]:
    def stands_out(piece: Piece) -> bool:
        return piece.word is not None and (piece.paint.strength >= weakest or piece.word in apart)

    for alone, group in groupby(pieces, stands_out):
        if alone:
            yield from group
        else:
            yield Piece("".join(piece.string for piece in group))


def _median(scores: tuple[float, ...]) -> float:
    finite = [score for score in scores if isfinite(score)]
    return median(finite) if finite else 0.0


def class_color(number: int) -> Color:
    """Give the class of that number its color, the same in all texts and views."""
    return PALETTE[number % len(PALETTE)]


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
