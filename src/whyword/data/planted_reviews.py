"""The grammar of the planted corpus: writes a review around its cue words and puts <angles> around the reason words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from random import Random

from ..interfaces.document import Span
from .planted_options import Difficulty
from .planted_words import (
    ADJECTIVE_FRAMES,
    ADVERB_FRAMES,
    ADVERBS,
    DOMAINS,
    GENERIC,
    LEADS,
    NEGATED_FRAMES,
    NEGATORS,
    QUESTIONS,
    SLOTS,
    SPECIAL,
    SPURIOUS_FRAMES,
    VERB_FRAMES,
    VERBS,
    Aspect,
    Cues,
    Domain,
)

_AGREEMENT = ((1,), (1, 1), (1, 1, -1), (1, 1, 1, -1), (1, 1, 1, -1, -1))  # which cues speak for the label
_MOST_NEUTRAL = 20  # words of an easy text that are no cues


def review(rng: Random, difficulty: Difficulty, sign: int, classes: int, spurious: str = "") -> str:
    """Write a review whose cues add up to the sign (1, -1, or 0 for neutral), mentioning the spurious word if given.

    Nothing but the cue words depends on whether the sign is 1 or -1. Neutral filler stands before or after the cues,
    with three classes on both sides. An easy neutral text has no cues at all, others have as many for as against.
    """
    while True:
        domain = rng.choice(DOMAINS)
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


def question(rng: Random, difficulty: Difficulty, sign: int) -> tuple[str, str]:
    """Write a question on one aspect and a review of several, which says about that aspect what the sign says.

    From medium on, half of the aspects are praised and half are blamed, so that the review alone says nothing.
    """
    domain = rng.choice(DOMAINS)
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
    return rng.choice(QUESTIONS).format(aspect=f"<{aspects[asked].noun}>"), text


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
            sentence = rng.choice(SPURIOUS_FRAMES).format(word=spurious)
            before, after = (before, sentence) if rng.random() < 0.5 else (sentence, after)
        if 6 <= len(before.split()) + len(after.split()) <= 20:
            return before, after


def _fill(rng: Random, template: str) -> str:
    return _capital(re.sub(r"\{(\w+)\}", lambda slot: rng.choice(SLOTS[slot[1]]), template))


def _clause(
    rng: Random, aspect: Aspect, sign: int, used: set[str], negation: bool, reason: bool, asked: bool = False
) -> str:
    form = rng.choice(("adjective", "adjective", "adjective", "verb", "adverb" if aspect.done else "adjective"))
    negated = negation and form != "adverb" and rng.random() < 0.4
    if form == "adjective":
        frames, cues = (NEGATED_FRAMES if negated else ADJECTIVE_FRAMES), rng.choice((GENERIC, SPECIAL[aspect.kind]))
        negators = NEGATORS
    elif form == "verb":
        frames, cues, negators = VERB_FRAMES, VERBS, NEGATORS[:-1]
    else:
        frames, cues, negators = ADVERB_FRAMES, ADVERBS, ()
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
    text = rng.choice(LEADS) + clauses[0] if rng.random() < 0.2 else _capital(clauses[0])
    joined = False
    for (one, other), clause in zip(pairwise(signs), clauses[1:], strict=True):
        # with a neutral class, "but" would give it away: it takes a contrast to be neutral
        links = (" but ", ", yet ") if one != other and classes == 2 else (" and ", ", and ")
        joined = not joined and rng.random() < 0.7
        text += rng.choice(links) + clause if joined else ". " + _capital(clause)
    return text + "."


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
