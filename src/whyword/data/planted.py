"""The embedded corpus: generated texts whose reason words are known exactly, because they were planted."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from ..interfaces.document import Document, Span
from .dataset import Dataset
from .planted_options import Planted, parse
from .planted_reviews import question, review, unmark
from .planted_words import NEGATIVE, NEGATORS, POSITIVE, SPURIOUS
from .words import split

__all__ = ["NEGATIVE", "NEGATORS", "POSITIVE", "SPURIOUS", "Planted", "generate", "parse", "planted"]

_SIGNS = {"positive": 1, "negative": -1, "neutral": 0, "yes": 1, "no": -1}
_SPURIOUS_RATE = 0.95  # share of train and dev texts whose spurious word is that of their class
_CROSSING_RATE = 0.1  # share of sun-lu-2 texts with a word of the other class; the paper tells no number
_SUN_LU_WORDS = {  # 1000 neutral, 50 positive and 50 negative words, as in the paper
    0: tuple(f"n{number:04}" for number in range(1, 1001)),
    1: tuple(f"p{number:02}" for number in range(1, 51)),
    -1: tuple(f"m{number:02}" for number in range(1, 51)),
}


def planted(options: str = "") -> Dataset:
    """Generate the corpus from options such as "hard,train=2000,seed=3", "spurious", "pairs" or "sun-lu-1"."""
    return generate(parse(options))


def generate(settings: Planted) -> Dataset:
    """Generate the corpus; the test texts stay the same however many training texts are asked for."""
    seen: set[str] = set()
    test, dev, train = (tuple(_documents(settings, name, seen)) for name in ("test", "dev", "train"))
    name = f"planted:{settings.options}" if settings.options else "planted"
    return Dataset(name=name, train=train, dev=dev, test=test, notes=tuple(_notes(settings)))


def _documents(settings: Planted, split_name: str, seen: set[str]) -> Iterator[Document]:
    rng = Random(f"{settings.seed} {split_name}")
    names = _label_names(settings)
    size: int = getattr(settings, split_name)
    labels = [name for _ in range(0, size, len(names)) for name in rng.sample(names, len(names))][:size]
    spurious = [""] * size
    if settings.variant == "spurious":
        spurious = _spurious(rng, labels, names, 1 / len(names) if split_name == "test" else _SPURIOUS_RATE)
    for label, word in zip(labels, spurious, strict=True):
        texts, rationale = _write(rng, settings, _SIGNS[label], word)
        while texts[-1] in seen:
            texts, rationale = _write(rng, settings, _SIGNS[label], word)
        seen.add(texts[-1])
        yield Document(split(*texts), label, rationale)


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
    names = _label_names(settings)
    if settings.variant == "spurious":
        pairs = ", ".join(f"'{word}' with {name}" for word, name in zip(SPURIOUS, names, strict=False))
        yield (
            f"Spurious words: {pairs} in {_SPURIOUS_RATE:.0%} of the train and dev texts, "
            f"but only in {1 / len(names):.0%} of the test texts, which is chance."
        )
    if settings.variant == "sun-lu-2":
        yield f"{_CROSSING_RATE:.0%} of the texts hold one word of the other class; the paper tells no number."
