"""How far the people who marked the same texts agree, on words and on labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..interfaces.document import Document, Marked, Words
from ..maths.stats.agreement import krippendorff_alpha
from .decisions import Decision, Decisions, label_set


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha; None where it is not defined."""

    words: float | None  # is a word a reason or not
    labels: float | None
    texts: int  # that two people or more decided

    def to_dict(self) -> dict[str, Any]:
        """Give plain values."""
        return asdict(self)


@dataclass(frozen=True)
class AnnotationSummary:
    """What a file of annotations holds."""

    texts: int  # decided by anybody
    decisions: int
    no_reason: int  # decisions that say that no word is a reason
    labels: Mapping[str, int]
    authors: Mapping[str, int]  # how many texts each decided
    agreement: Agreement

    def to_dict(self) -> dict[str, Any]:
        """Give plain values."""
        return asdict(self)


def summarize(decisions: Decisions) -> AnnotationSummary:
    """Count what was decided, and measure how far people agree."""
    by_text = [of_text for text in decisions.by_text if (of_text := decisions.of_text(text))]
    each = [decision for of_text in by_text for decision in of_text]
    labels = Counter(str(label) for decision in each for label in label_set(decision))
    nothing = sum(not any(marks) for decision in each if (marks := decision.document.rationale) is not None)
    counts = decisions.counts()
    return AnnotationSummary(len(by_text), len(each), nothing, dict(labels.most_common()), counts, agreement(decisions))


def agreement(decisions: Decisions, counted: dict[str, np.ndarray] | None = None) -> Agreement:
    """Measure the agreement on all texts that two people or more decided.

    counted: by text, what word_counts gave for decisions that are still the same; what is missing is added.
    """
    counted = {} if counted is None else counted
    shared = {text: both for text in decisions.by_text if len(both := decisions.of_text(text)) > 1}
    if not shared:
        return Agreement(None, None, 0)
    counted.update((text, word_counts(of_text)) for text, of_text in shared.items() if text not in counted)
    words = krippendorff_alpha(np.concatenate([counted[text] for text in shared]))
    return Agreement(words, krippendorff_alpha(label_counts(list(shared.values()))), len(shared))


def word_counts(decisions: Sequence[Decision]) -> np.ndarray:
    """Count for each word of a text who holds it for no reason and who for one, (word, 2).

    Whoever marked a reason, or said that there is none, has judged all words; else only those marked as no reason.
    """
    words = decisions[0].document.words
    counts = np.zeros((len(words), 2), dtype=np.int64)
    for decision in decisions:
        reason = decision.document.rationale_words
        if reason is not None:
            counts[np.arange(len(words)), np.array(reason, dtype=np.int64)] += 1
        else:
            counts[:, 0] += marked_words(words, decision.not_rationale)
    return counts


def marked_words(words: Words, marked: Marked | None) -> np.ndarray:
    """Tell for each word whether it overlaps a marked passage, (word,) bool."""
    overlaps = Document(words, rationale=marked).rationale_words
    return np.zeros(len(words), dtype=bool) if overlaps is None else np.array(overlaps, dtype=bool)


def label_counts(texts: Sequence[Sequence[Decision]]) -> np.ndarray:
    """Count who gave which label to each text, (text, label).

    Where a text may have several, each is a question of its own: units are (text × label), values absent and present.
    """
    names = sorted({label for of_text in texts for decision in of_text for label in label_set(decision)}, key=str)
    table = np.array(
        [[sum(name in label_set(decision) for decision in of_text) for name in names] for of_text in texts],
        dtype=np.int64,
    ).reshape(len(texts), len(names))
    if all(decision.document.labels is None for of_text in texts for decision in of_text):
        return table
    people = np.array([len(of_text) for of_text in texts])[:, None]
    return np.stack([people - table, table], -1).reshape(-1, 2)
