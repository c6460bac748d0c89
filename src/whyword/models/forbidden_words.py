"""What training texts say about words that must not decide, and which other words stand in for them.

A proxy stands with a forbidden word more often than texts of its class do anyway (Mantel & Haenszel 1959), and says
much about a class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import norm

from ..data.dataset import Dataset
from ..data.forbidden import Forbidden, as_read
from ..explainers.own import Own
from ..inference.windows import explain_in_windows
from ..interfaces.document import Document
from .config import FORBIDDEN, RunConfig
from .folder import TrainedModel
from .samples import draw

ALPHA = 0.05  # that any word is named by chance, Bonferroni over all pairs of words
LEAST_ODDS = 3.0  # times as likely beside the forbidden word, among texts of one class
LEAST_TEXTS = 5  # that hold a word; fewer say little
LEAST_CONTRIBUTION = 0.01  # mean, to the probability of a class
MOST_FORBIDDEN, MOST_WORDS = 50, 20_000  # that are looked at, most frequent first
MOST_EXPLAINED = 500  # texts
MOST_NAMED = 10
SHORTEST = 4  # letters of a word that is looked for inside others


@dataclass(frozen=True)
class Proxy:
    """A word that may have taken over from a forbidden one."""

    word: str
    beside: str  # the forbidden word
    texts: int  # that hold both
    odds: float  # of the word beside the forbidden one, times those in other texts of the same class
    label: str  # the class that it speaks for
    contribution: float  # mean, to the probability of that class

    def __str__(self) -> str:
        """Say it in a few words."""
        says = f"{self.contribution:+.3f} for {self.label}"
        return f"{self.word} (odds beside {self.beside} {self.odds:.3g} times those elsewhere; {says})"


def with_forbidden_notes(dataset: Dataset, values: Mapping[str, Any]) -> Dataset:
    """Let a data set tell what its texts say about the words that the settings of a run forbid."""
    entries = tuple(entry for name in FORBIDDEN for entry in values.get(name) or ())
    if not entries:
        return dataset
    some = tuple(draw(dataset.train))
    return replace(dataset, notes=(*dataset.notes, *_notes(Forbidden(entries), some)))


def _notes(forbidden: Forbidden, documents: Sequence[Document]) -> Iterator[str]:
    texts = [document.words for document in documents]
    missing = forbidden.unmatched(texts)
    if missing:
        yield (
            f"Warning: {len(missing)} of {len(forbidden.entries)} forbidden entries match nothing in the training "
            f"texts: {', '.join(missing[:MOST_NAMED])}{' …' if len(missing) > MOST_NAMED else ''}."
        )
    marks = [forbidden.marks(text) for text in texts]
    holding, only = sum(map(bool, map(np.any, marks))), sum(bool(len(row)) and bool(row.all()) for row in marks)
    if holding:
        yield f"Forbidden words stand in {holding:,} of {len(texts):,} training texts."
    if only:
        yield (
            f"Warning: {only:,} training texts hold nothing but forbidden words: without them they are answered as an "
            "empty text is, mostly by the share of each class."
        )
    alike = _alike(forbidden, [text.strings for text in texts])
    if alike:
        named = ", ".join(f"{word} ({count:,})" for word, count in alike.most_common(MOST_NAMED))
        yield f"Read, though a forbidden word is part of them: {named}; an entry such as /.*word.*/ forbids them too."


def about_forbidden(config: RunConfig) -> Iterator[str]:
    """Say where words that are to be read cannot be."""
    if config.is_solved and config.forbid_soft:
        yield (
            f"{config.encoder} is solved at once and cannot be taught to ignore words: those of forbid_soft are not "
            "read at all, as those of forbid."
        )


def _alike(forbidden: Forbidden, texts: Sequence[Sequence[str]]) -> Counter[str]:
    """Count the words that are not forbidden, but of which a forbidden word is a part."""
    parts = [word for word in forbidden.words if len(word) >= SHORTEST]
    if not parts:
        return Counter()
    counts = Counter(as_read(word) for text in texts for word in text)
    return Counter({word: n for word, n in counts.items() if _holds(word, parts) and not forbidden.forbids(word)})


def _holds(word: str, parts: Sequence[str]) -> bool:
    return any(part in word for part in parts)


def add_proxies(model: TrainedModel, dataset: Dataset, on_event: Callable[[str], None]) -> TrainedModel:
    """Look for words that took over from the forbidden ones, where the model's contributions tell; name them."""
    entries = model.config.must_not_decide
    if not entries or not model.classifier.has_contributions:
        return model
    proxies = find_proxies(model, tuple(draw(dataset.train)), Forbidden(entries))
    if proxies:
        on_event(f"Warning: words that may have taken over from forbidden ones: {'; '.join(map(str, proxies))}.")
    return replace(model, metrics={**model.metrics, "forbidden": {"proxies": [asdict(proxy) for proxy in proxies]}})


def known_proxies(model: TrainedModel | None) -> tuple[Proxy, ...]:
    """Give the words that were named after training."""
    found: Mapping[str, Any] = {} if model is None else model.metrics.get("forbidden") or {}
    return tuple(Proxy(**values) for values in found.get("proxies", ()))


def find_proxies(model: TrainedModel, documents: Sequence[Document], forbidden: Forbidden) -> list[Proxy]:
    """Give the words that stand beside a forbidden one and speak for a class, the strongest first."""
    beside = _beside(documents, forbidden)
    holding = [d for d in documents if any(as_read(word) in beside for word in d.words.strings)][:MOST_EXPLAINED]
    totals: dict[str, list[np.ndarray]] = {}
    for explanation in explain_in_windows(Own(), model.classifier, holding):
        assert explanation.all_scores is not None
        for word, scores in zip(explanation.words, explanation.all_scores.T, strict=True):
            if as_read(word) in beside:
                totals.setdefault(as_read(word), []).append(scores)
    proxies = []
    for word, rows in totals.items():
        mean = np.mean(rows, 0)
        best, (other, texts, odds) = int(mean.argmax()), beside[word]
        if mean[best] >= LEAST_CONTRIBUTION:
            label = str(model.classifier.classes[best])
            proxies.append(Proxy(word, other, texts, float(odds), label, float(mean[best])))
    return sorted(proxies, key=lambda proxy: (-proxy.contribution, proxy.word))[:MOST_NAMED]


def _beside(documents: Sequence[Document], forbidden: Forbidden) -> Mapping[str, tuple[str, int, float]]:
    """Give the words that stand beside a forbidden one in more texts than chance allows, each with the nearest one."""
    read, unread = [], []
    for document in documents:
        marks = forbidden.marks(document.words)
        strings = list(map(as_read, document.words.strings))
        read.append({word for word, gone in zip(strings, marks, strict=True) if not gone})
        unread.append({word for word, gone in zip(strings, marks, strict=True) if gone})
    words, holds = _table(read, MOST_WORDS)
    others, beside = _table(unread, MOST_FORBIDDEN)
    if not words or not others:
        return {}
    both, expected, variance, agree, differ = (np.zeros((len(words), len(others))) for _ in range(5))
    labels = np.unique([repr(document.all_labels) for document in documents], return_inverse=True)[1]
    for label in range(labels.max() + 1):
        chosen = np.flatnonzero(labels == label)
        texts, one, other = len(chosen), holds[chosen], beside[chosen]
        together = (one.T @ other).toarray()
        x, y = one.sum(0)[:, None], other.sum(0)[None, :]
        both += together
        expected += x * y / texts
        variance += x * y * (texts - x) * (texts - y) / (texts**2 * max(1, texts - 1))
        agree += together * (texts - x - y + together) / texts
        differ += (x - together) * (y - together) / texts
    z = (both - expected - 0.5) / np.sqrt(np.maximum(variance, 1e-12))
    odds = agree / np.maximum(differ, 0.5 / len(documents))
    odds[(z < norm.isf(ALPHA / odds.size)) | (both < LEAST_TEXTS)] = 0.0
    nearest = odds.argmax(1)
    return {
        words[i]: (others[j], int(both[i, j]), odds[i, j]) for i, j in enumerate(nearest) if odds[i, j] >= LEAST_ODDS
    }


def _table(texts: Sequence[set[str]], most: int) -> tuple[list[str], Any]:
    """Give the most frequent words, and a sparse (text, word) table of ones."""
    counts = Counter(word for text in texts for word in text)
    words = [
        word for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if count >= LEAST_TEXTS
    ]
    place = {word: i for i, word in enumerate(words[:most])}
    rows = [(row, place[word]) for row, text in enumerate(texts) for word in text if word in place]
    row, column = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    return words[:most], csr_array((np.ones(len(rows)), (row, column)), shape=(len(texts), len(place)))
