"""Which words decide answers: those that stopped to between two models, and those that took over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..data.forbidden import Forbidden
from ..data.tokenizers.word_level import normalize
from ..evaluation.top_words import top_words
from ..explaining.words import ignores_case
from ..interfaces.classifier import Classifier
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation
from ..maths.stats.ties import tolerance

LEAST = 0.1  # of the scores of a text: a word that has less decides nothing by itself
OFTEN = 0.5  # of the texts that a word stands in


@dataclass(frozen=True)
class WordDecision:
    """In how many of the texts that a word stands in it decides the answer of either model."""

    word: str
    texts: int
    old: int
    new: int
    old_class: Label | None  # that it decides most often for; None: weights, or it decides for none
    new_class: Label | None
    forbidden: bool  # it must not decide in the new model: that does not read it, or was taught to ignore it

    @property
    def stopped(self) -> bool:
        """Whether it decided at least half of its texts, and decides less than half as many now."""
        return self.old >= OFTEN * self.texts and self.new < self.old / 2

    @property
    def started(self) -> bool:
        """The same the other way around."""
        return self.new >= OFTEN * self.texts and self.old < self.new / 2

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return asdict(self) | {"stopped": self.stopped, "started": self.started}

    def __str__(self) -> str:
        """Say in how many texts it decides."""
        texts = f"{self.texts:,} {'text' if self.texts == 1 else 'texts'}"
        return f"{self.word} ({self.old:,} → {self.new:,} of {texts}{', forbidden' * self.forbidden})"


def decisions(
    old: Sequence[Explanation],
    new: Sequence[Explanation],
    top: int,
    case: Classifier,
    must_not_decide: Forbidden | None = None,
) -> tuple[WordDecision, ...]:
    """Count, for every word that decides a text in either model, in how many it does; the most often first.

    A word decides where it is among the top words for the answer that the model itself gives, and has at least a tenth
    of the scores of the text. Forbidden are the words that the new model does not read, and those that must not decide.
    """
    lowercase = ignores_case(case)
    texts: Counter[str] = Counter()
    forbidden: set[str] = set()
    decided: list[dict[str, Counter[Label | None]]] = [{}, {}]
    for pair in zip(old, new, strict=True):
        words = [normalize(word, lowercase) for word in pair[0].words]
        texts.update(set(words))
        unread = pair[1].forbidden_words
        marks = must_not_decide.marks(pair[1].document.words) if must_not_decide else np.zeros(len(words), dtype=bool)
        forbidden.update(words[i] for i in np.flatnonzero(marks if unread is None else marks | unread))
        for found, explanation in zip(decided, pair, strict=True):
            label = explanation.label if explanation.signed else None
            for word in {words[i] for i in _deciding(explanation, top)}:
                found.setdefault(word, Counter())[label] += 1
    rows = [
        WordDecision(word, count, *_count(word, decided), word in forbidden)
        for word, count in texts.items()
        if word in forbidden or any(word in found for found in decided)
    ]
    return tuple(sorted(rows, key=lambda row: (-max(row.old, row.new), row.word)))


def _deciding(explanation: Explanation, top: int) -> Iterator[int]:
    """Give the places of the words that decide."""
    scores = explanation.scores
    least = max(tolerance(scores, explanation.resolution), LEAST * float(np.abs(scores).sum()) * (1 - 1e-9))
    chosen = top_words(explanation, [top])[0] & (scores > 0) & (scores >= least)
    yield from np.flatnonzero(chosen).tolist()


def _count(
    word: str, decided: Sequence[dict[str, Counter[Label | None]]]
) -> tuple[int, int, Label | None, Label | None]:
    counts = [found.get(word, Counter()) for found in decided]
    labels = [max(count, key=lambda label: count[label]) if count else None for count in counts]
    return counts[0].total(), counts[1].total(), labels[0], labels[1]
