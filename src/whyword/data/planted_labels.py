"""Planted texts with several labels: what each complains about, with the words that are the reason for each label."""

from __future__ import annotations

import re
from random import Random

from ..interfaces.document import Document, Label, Marked, Span
from . import planted_words as lexicon
from .words import split

LABELS = tuple(sorted(kind for kind in lexicon.SPECIAL if kind != "plain"))
_RATE = 0.3  # share of the texts that have a label
_THINGS = ("visit", "evening", "result", "whole thing", "experience", "rest")  # that any word may be said of
_MARKED = re.compile(r"<(\w+)\|([^>]*)>")


def complaint(rng: Random, difficulty: str, before: str, after: str) -> Document:
    """Write a text between two neutral sentences: its labels are drawn, and each is a complaint in words of its own.

    easy: only the complaints; medium: also praise of other kinds, and of no kind; hard: also what is negated, so that
    a word of praise may be a complaint, and one of blame none.
    """
    labels = tuple(kind for kind in LABELS if rng.random() < _RATE)
    clauses = [_clause(rng, kind, True, difficulty == "hard") for kind in labels]
    if difficulty != "easy":
        absent = [kind for kind in LABELS if kind not in labels]
        praised = rng.sample(absent, min(len(absent), rng.randint(1, 2)))
        clauses += [_clause(rng, kind, False, difficulty == "hard") for kind in praised]
        clauses.append(_said(rng, rng.choice(lexicon.GENERIC[rng.randint(0, 1)]), negated=False))
    rng.shuffle(clauses)
    sentences = [before, *(f"{clause[0].upper()}{clause[1:]}." for clause in clauses), after]
    text, spans = _unmark(" ".join(filter(None, sentences)))
    reasons: list[tuple[Label, Marked]] = [(kind, (tuple(spans[kind]),)) for kind in labels]
    return Document(split(text), labels=labels, rationales=tuple(reasons))


def _clause(rng: Random, kind: str, blames: bool, negation: bool) -> str:
    negated = negation and rng.random() < 0.4
    praise, blame = lexicon.SPECIAL[kind]
    cue = rng.choice(blame if blames != negated else praise)
    words = [rng.choice(lexicon.NEGATORS), cue] if negated else [cue]
    return _said(rng, " ".join(f"<{kind}|{word}>" for word in words) if blames else " ".join(words), negated)


def _said(rng: Random, cue: str, negated: bool) -> str:
    frames = lexicon.NEGATED_FRAMES if negated else lexicon.ADJECTIVE_FRAMES
    return rng.choice(frames).format(aspect=rng.choice(_THINGS), was="was", cue=cue)


def _unmark(marked: str) -> tuple[str, dict[str, list[Span]]]:
    """Take the marks out and give the text, with the spans that were marked for each label."""
    text, spans, end = "", {kind: list[Span]() for kind in LABELS}, 0
    for mark in _MARKED.finditer(marked):
        text += marked[end : mark.start()]
        spans[mark[1]].append((len(text), len(text) + len(mark[2])))
        text += mark[2]
        end = mark.end()
    return text + marked[end:], spans
