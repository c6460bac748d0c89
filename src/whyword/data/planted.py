"""The planted corpus: generated texts whose reason words are known exactly, because they were planted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Literal, TypeVar, cast, get_args

from ..interfaces.document import Document, Span
from ..interfaces.errors import OptionError, unknown_name
from . import planted_words as lexicon
from .planted_labels import complaint
from .planted_words import NEGATIVE, NEGATORS, POSITIVE, SPURIOUS, Aspect, Cues, Domain
from .splits import Dataset
from .words import split

Difficulty = Literal["easy", "medium", "hard"]
Variant = Literal["reviews", "spurious", "pairs", "multilabel", "ordinal", "sun-lu-1", "sun-lu-2"]

Name = TypeVar("Name", str, int)

_SMALLEST = {"train": 1, "dev": 0, "test": 0, "classes": 2, "seed": 0}


@dataclass(frozen=True)
class Planted:
    """What to generate.

    easy: only cue words of the label; medium: also fewer cue words of the other class; hard: also negated cue words.
    Of stars every cue word raises or lowers the score; hard: also negated ones.
    """

    difficulty: Difficulty = "easy"
    variant: Variant = "reviews"
    train: int = 1200
    dev: int = 200
    test: int = 400
    classes: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.difficulty not in get_args(Difficulty):
            raise unknown_name(self.difficulty, "the difficulties of planted", get_args(Difficulty))
        if self.variant not in get_args(Variant):
            raise unknown_name(self.variant, "the variants of planted", get_args(Variant))
        for name, smallest in _SMALLEST.items():
            if getattr(self, name) < smallest:
                raise OptionError(f"{name}={getattr(self, name)} is too small for planted: give at least {smallest}.")
        if self.classes > 3:
            raise OptionError(f"classes={self.classes} is too many for planted: choose 2 or 3.")
        if self.classes == 3 and self.variant not in ("reviews", "spurious"):
            classes = "five" if self.variant == "ordinal" else "two"
            raise OptionError(f"The variant {self.variant} of planted has {classes} classes: leave out classes=3.")
        if self.difficulty == "medium" and self.variant == "ordinal":
            raise OptionError("The variant ordinal of planted is easy or hard: leave out medium, or give hard.")
        if self.difficulty != "easy" and self.variant.startswith("sun-lu"):
            raise OptionError(f"The variant {self.variant} of planted has one difficulty: leave out {self.difficulty}.")

    @property
    def options(self) -> str:
        """The shortest options that give these settings again."""
        usual = {"difficulty": "easy", "variant": "reviews", **_sizes(self.variant), "classes": 2, "seed": 0}
        chosen = {name: getattr(self, name) for name in usual if getattr(self, name) != usual[name]}
        return ",".join(f"{name}={value}" if name in _SMALLEST else value for name, value in chosen.items())


def parse(options: str) -> Planted:
    """Read comma-separated options: a difficulty, a variant, and numbers for train, dev, test, classes and seed."""
    difficulty: Difficulty = "easy"
    variant: Variant = "reviews"
    numbers: dict[str, int] = {}
    for option in filter(None, (option.strip() for option in options.split(","))):
        name, equals, number = (part.strip() for part in option.partition("="))
        if name in _SMALLEST:
            numbers[name] = _whole(name, number)
        elif not equals and name in get_args(Difficulty):
            difficulty = cast(Difficulty, name)
        elif not equals and name in get_args(Variant):
            variant = cast(Variant, name)
        else:
            known = (*get_args(Difficulty), *get_args(Variant), *(f"{number}=" for number in _SMALLEST))
            raise unknown_name(option, "the options of planted", known)
    return Planted(difficulty, variant, **(_sizes(variant) | numbers))


def _sizes(variant: Variant) -> dict[str, int]:
    if variant.startswith("sun-lu"):
        return {"train": 9600, "dev": 1200, "test": 1200}  # 6000 texts of each class, as in the paper
    if variant == "multilabel":
        return {"train": 4000, "dev": 200, "test": 400}  # fewer do not teach what a negated word is for every label
    if variant == "ordinal":
        return {"train": 4000, "dev": 200, "test": 400}  # an LSTM learns to add up negated words from that many
    return {"train": 1200, "dev": 200, "test": 400}


def _whole(name: str, number: str) -> int:
    try:
        return int(number)
    except ValueError:
        raise OptionError(f"{name}={number} in the options of planted: give a whole number, as in {name}=3.") from None


__all__ = ["NEGATIVE", "NEGATORS", "POSITIVE", "SPURIOUS", "Planted", "generate", "parse", "planted"]

_SIGNS = {"positive": 1, "negative": -1, "neutral": 0, "yes": 1, "no": -1}
_STARS = (1, 2, 3, 4, 5)  # one, and one more for each of four things that is praised
_SPURIOUS_RATE = 0.95  # share of train and dev texts whose spurious word is that of their class
_CROSSING_RATE = 0.1  # share of sun-lu-2 texts with a word of the other class; the paper tells no number
_SUN_LU_WORDS = {  # 1000 neutral, 50 positive and 50 negative words, as in the paper
    0: tuple(f"n{number:04}" for number in range(1, 1001)),
    1: tuple(f"p{number:02}" for number in range(1, 51)),
    -1: tuple(f"m{number:02}" for number in range(1, 51)),
}


def planted(options: str = "") -> Dataset:
    """Generate the corpus from options such as "hard,train=2000,seed=3", "spurious", "ordinal" or "sun-lu-1"."""
    return generate(parse(options))


def generate(settings: Planted) -> Dataset:
    """Generate the corpus; the test texts stay the same however many training texts there are."""
    seen: set[str] = set()
    test, dev, train = (tuple(_documents(settings, name, seen)) for name in ("test", "dev", "train"))
    name = f"planted:{settings.options}" if settings.options else "planted"
    return Dataset(name=name, train=train, dev=dev, test=test, notes=tuple(_notes(settings)))


def _documents(settings: Planted, split_name: str, seen: set[str]) -> Iterator[Document]:
    rng = Random(f"{settings.seed} {split_name}")
    if settings.variant == "multilabel":
        yield from _complaints(rng, settings, split_name, seen)
        return
    size: int = getattr(settings, split_name)
    if settings.variant == "ordinal":
        yield from _rated(rng, settings.difficulty, _balanced(rng, _STARS, size), seen)
        return
    names = _label_names(settings)
    labels = _balanced(rng, names, size)
    spurious = [""] * size
    if settings.variant == "spurious":
        spurious = _spurious(rng, labels, names, 1 / len(names) if split_name == "test" else _SPURIOUS_RATE)
    for label, word in zip(labels, spurious, strict=True):
        texts, rationale = _write(rng, settings, _SIGNS[label], word)
        while texts[-1] in seen:
            texts, rationale = _write(rng, settings, _SIGNS[label], word)
        seen.add(texts[-1])
        yield Document(split(*texts), label, rationale)


def _balanced(rng: Random, names: Sequence[Name], size: int) -> list[Name]:
    """Draw labels: as many of each."""
    return [name for _ in range(0, size, len(names)) for name in rng.sample(names, len(names))][:size]


def _rated(rng: Random, difficulty: Difficulty, labels: Sequence[int], seen: set[str]) -> Iterator[Document]:
    for stars in labels:
        while (text := unmark(rated(rng, difficulty, stars)))[0] in seen:
            pass
        seen.add(text[0])
        yield Document(split(text[0]), stars, (text[1],))


def _complaints(rng: Random, settings: Planted, split_name: str, seen: set[str]) -> Iterator[Document]:
    for _ in range(getattr(settings, split_name)):
        while True:
            document = complaint(rng, settings.difficulty, *_filler(rng, rng.choice(lexicon.DOMAINS)))
            if document.words.texts[0] not in seen:
                break
        seen.add(document.words.texts[0])
        yield document


def _label_names(settings: Planted) -> tuple[str, ...]:
    return ("yes", "no") if settings.variant == "pairs" else ("positive", "negative", "neutral")[: settings.classes]


def _write(
    rng: Random, settings: Planted, sign: int, spurious: str
) -> tuple[tuple[str, ...], tuple[tuple[Span, ...], ...]]:
    marked: tuple[str, ...]
    if settings.variant == "pairs":
        marked = question(rng, settings.difficulty, sign)
    elif settings.variant in ("reviews", "spurious"):
        marked = (review(rng, settings.difficulty, sign, settings.classes, spurious),)
    else:
        marked = (_sun_lu(rng, sign, crossing=settings.variant == "sun-lu-2" and rng.random() < _CROSSING_RATE),)
    texts, rationale = zip(*map(unmark, marked), strict=True)
    return texts, rationale


def _sun_lu(rng: Random, sign: int, crossing: bool) -> str:
    """Mix ten neutral words, or nine and one of the other class, with two of the class (Sun & Lu, ACL 2020)."""
    words = rng.sample(_SUN_LU_WORDS[0], 9 if crossing else 10)
    words += [f"<{word}>" for word in rng.sample(_SUN_LU_WORDS[sign], 2)]
    if crossing:
        words.append(rng.choice(_SUN_LU_WORDS[-sign]))
    rng.shuffle(words)
    return " ".join(words)


def _spurious(rng: Random, labels: list[str], names: tuple[str, ...], rate: float) -> list[str]:
    """Give every text a spurious word: exactly this share of each class gets the word of its class."""
    words = [""] * len(labels)
    for own, name in zip(SPURIOUS, names, strict=False):
        places = [place for place, label in enumerate(labels) if label == name]
        others = [word for word in SPURIOUS[: len(names)] if word != own]
        for rank, place in enumerate(rng.sample(places, len(places))):
            words[place] = own if rank < round(rate * len(places)) else rng.choice(others)
    return words


def _notes(settings: Planted) -> Iterator[str]:
    yield "The texts are generated, so the words that decide the label are known exactly."
    if settings.variant == "multilabel":
        yield "A text may have several labels, or none; the words that are the reason for each are known exactly."
    if settings.variant == "ordinal":
        yield "Each text judges four things: it has one star, and one more for each that is praised."
    names = _label_names(settings)
    if settings.variant == "spurious":
        pairs = ", ".join(f"'{word}' with {name}" for word, name in zip(SPURIOUS, names, strict=False))
        yield (
            f"Spurious words: {pairs} in {_SPURIOUS_RATE:.0%} of the train and dev texts, "
            f"but only in {1 / len(names):.0%} of the test texts, which is chance."
        )
    if settings.variant == "sun-lu-2":
        yield f"{_CROSSING_RATE:.0%} of the texts hold one word of the other class; the paper tells no number."


_AGREEMENT = ((1,), (1, 1), (1, 1, -1), (1, 1, 1, -1), (1, 1, 1, -1, -1))  # which cues speak for the label
_MOST_NEUTRAL = 20  # words of an easy text that are no cues


def review(rng: Random, difficulty: Difficulty, sign: int, classes: int, spurious: str = "") -> str:
    """Write a review whose cues add up to the sign (1, -1, or 0 for neutral), mentioning the spurious word if given.

    Nothing but the cue words depends on whether the sign is 1 or -1. Neutral filler stands before or after the cues,
    with three classes on both sides. An easy neutral text has no cues at all, others have as many for as against.
    """
    while True:
        domain = rng.choice(lexicon.DOMAINS)
        before, after = _filler(rng, domain, spurious, both=classes == 3)
        signs = _signs(rng, difficulty, sign)
        aspects = rng.sample(domain.aspects, len(signs))
        used: set[str] = set()
        clauses = [
            _clause(rng, aspect, one, used, difficulty == "hard", reason=one == sign)
            for aspect, one in zip(aspects, signs, strict=True)
        ]
        text = " ".join(filter(None, (before, _join(rng, clauses, signs, classes), after)))
        if difficulty == "easy" and sign == 0:
            return f"{before} {after}"
        if difficulty != "easy" or classes == 3 or len(text.split()) - len(signs) <= _MOST_NEUTRAL:
            return text


def rated(rng: Random, difficulty: Difficulty, stars: int) -> str:
    """Write a review of that many stars, which judges four aspects: each that is praised adds one star to the first.

    Nothing but the cue words depends on the stars, and every cue is a reason: it raises or lowers the score.
    """
    domain = rng.choice(lexicon.DOMAINS)
    before, after = _filler(rng, domain)
    most = len(_STARS) - 1
    signs = [1] * (stars - 1) + [-1] * (most - stars + 1)
    rng.shuffle(signs)
    used: set[str] = set()
    clauses = [
        _clause(rng, aspect, sign, used, difficulty == "hard", reason=True)
        for aspect, sign in zip(rng.sample(domain.aspects, most), signs, strict=True)
    ]
    return " ".join(filter(None, (before, _join(rng, clauses, signs, len(_STARS)), after)))


def question(rng: Random, difficulty: Difficulty, sign: int) -> tuple[str, str]:
    """Write a question on one aspect and a review of several, which says about that aspect what the sign says.

    From medium on, half of the aspects are praised and half are blamed, so that the review alone says nothing.
    """
    domain = rng.choice(lexicon.DOMAINS)
    before, after = _filler(rng, domain)
    if difficulty == "easy":
        signs = [sign, *(rng.choice((1, -1)) for _ in range(rng.randint(1, 2)))]
    else:
        signs = [1, -1] * rng.randint(1, 2)
    rng.shuffle(signs)
    asked = rng.choice([i for i, one in enumerate(signs) if one == sign])
    aspects = rng.sample(domain.aspects, len(signs))
    used: set[str] = set()
    clauses = [
        _clause(rng, aspect, one, used, difficulty == "hard", reason=i == asked, asked=i == asked)
        for i, (aspect, one) in enumerate(zip(aspects, signs, strict=True))
    ]
    text = " ".join(filter(None, (before, _join(rng, clauses, signs, classes=2), after)))
    return rng.choice(lexicon.QUESTIONS).format(aspect=f"<{aspects[asked].noun}>"), text


def unmark(marked: str) -> tuple[str, tuple[Span, ...]]:
    """Take the angles out and give the text with the spans that stood between them."""
    text, spans = "", []
    for number, piece in enumerate(re.split("[<>]", marked)):
        if number % 2:
            spans.append((len(text), len(text) + len(piece)))
        text += piece
    return text, tuple(spans)


def _signs(rng: Random, difficulty: Difficulty, sign: int) -> list[int]:
    if difficulty == "easy":
        return [sign] * rng.randint(1, 3)
    signs = [1, -1] * rng.randint(1, 2) if sign == 0 else [sign * agrees for agrees in rng.choice(_AGREEMENT)]
    rng.shuffle(signs)
    return signs


def _filler(rng: Random, domain: Domain, spurious: str = "", both: bool = False) -> tuple[str, str]:
    while True:
        before = _fill(rng, rng.choice(domain.openings)) if both or rng.random() < 0.7 else ""
        after = _fill(rng, rng.choice(domain.closings)) if both or rng.random() < 0.6 else ""
        if spurious:
            sentence = rng.choice(lexicon.SPURIOUS_FRAMES).format(word=spurious)
            before, after = (before, sentence) if rng.random() < 0.5 else (sentence, after)
        if 6 <= len(before.split()) + len(after.split()) <= 20:
            return before, after


def _fill(rng: Random, template: str) -> str:
    return _capital(re.sub(r"\{(\w+)\}", lambda slot: rng.choice(lexicon.SLOTS[slot[1]]), template))


def _clause(
    rng: Random, aspect: Aspect, sign: int, used: set[str], negation: bool, reason: bool, asked: bool = False
) -> str:
    form = rng.choice(("adjective", "adjective", "adjective", "verb", "adverb" if aspect.done else "adjective"))
    negated = negation and form != "adverb" and rng.random() < 0.4
    if form == "adjective":
        frames = lexicon.NEGATED_FRAMES if negated else lexicon.ADJECTIVE_FRAMES
        cues = rng.choice((lexicon.GENERIC, lexicon.SPECIAL[aspect.kind]))
        negators = NEGATORS
    elif form == "verb":
        frames, cues, negators = lexicon.VERB_FRAMES, lexicon.VERBS, NEGATORS[:-1]
    else:
        frames, cues, negators = lexicon.ADVERB_FRAMES, lexicon.ADVERBS, ()
    words = [_draw(rng, cues, -sign if negated else sign, used)]
    if negated:
        words.insert(0, rng.choice(negators))
    return rng.choice(frames).format(
        aspect=f"<{aspect.noun}>" if asked else aspect.noun,
        was=aspect.was,
        done=aspect.done,
        cue=" ".join(f"<{word}>" if reason else word for word in words),
    )


def _draw(rng: Random, cues: Cues, sign: int, used: set[str]) -> str:
    positive, negative = cues
    place = rng.choice([i for i, word in enumerate(positive) if word not in used])
    used.add(positive[place])
    return positive[place] if sign > 0 else negative[place]


def _join(rng: Random, clauses: Sequence[str], signs: Sequence[int], classes: int) -> str:
    text = rng.choice(lexicon.LEADS) + clauses[0] if rng.random() < 0.2 else _capital(clauses[0])
    joined = False
    for (one, other), clause in zip(pairwise(signs), clauses[1:], strict=True):
        # with a neutral class, "but" would give it away: it takes a contrast to be neutral
        links = (" but ", ", yet ") if one != other and classes == 2 else (" and ", ", and ")
        joined = not joined and rng.random() < 0.7
        text += rng.choice(links) + clause if joined else ". " + _capital(clause)
    return text + "."


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
