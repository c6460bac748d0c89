"""What changed between two models: predictions and reasons, text by text and word by word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..interfaces.document import Document, Label
from ..interfaces.settings import data_frame, json_ready
from ..maths.stats.intervals import Estimate, share_interval
from ..maths.stats.ties import SAME, ranking
from .deciding import WordDecision
from .page import render
from .people import PairedChange, PeopleChange

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class TextDifference:
    """One text, as two models see it; all scores speak for the class that the old one predicts."""

    document: Document
    old_label: Label
    new_label: Label
    old_probability: float  # of the class that the model itself predicts
    new_probability: float
    distance: float  # total variation between the two answers, from 0 to 1; of labels that do not exclude: the largest
    old_scores: np.ndarray  # (word,) the sum of their absolute values is 1, unless all are 0
    new_scores: np.ndarray
    old_classes: tuple[Label | None, ...]  # of each word: the class it speaks for; None for weights, or if unknown
    new_classes: tuple[Label | None, ...]
    old_top: np.ndarray  # (word,) bool: the highest scores above 0
    new_top: np.ndarray
    shared: float  # how much of the top words' score lies on the same words; NaN for texts too short to tell
    overlap: float  # share of the highest words that both have, whatever their scores; NaN likewise
    tau: float  # Kendall's tau-b of the scores; NaN where all words of a text have the same one
    reason_changed: bool | None  # None for texts too short to tell
    old_agreement: float = math.nan  # with what people marked: area under precision and recall; NaN without a mark
    new_agreement: float = math.nan

    @property
    def closer(self) -> float:
        """How far the reason moved towards what people marked; NaN without a mark."""
        return self.new_agreement - self.old_agreement

    @property
    def marked(self) -> tuple[str, ...]:
        """The words that people marked."""
        marks = self.document.rationale_words or ()
        return tuple(word for word, is_marked in zip(self.document.words.strings, marks, strict=False) if is_marked)

    @property
    def prediction_changed(self) -> bool:
        """Whether the two models predict different classes."""
        return self.old_label != self.new_label

    @property
    def shift(self) -> float:
        """How much of the score went from some words to others, from 0 to 1."""
        return float(abs(self.new_scores - self.old_scores).sum()) / 2

    def moved(self, most: int = 5) -> list[tuple[str, float, float]]:
        """Give the words whose score moved most, with the old score and the new one."""
        size = abs(self.new_scores - self.old_scores)
        words = self.document.words.strings
        order = [i for i in ranking(size)[:most] if size[i] > 0]
        return [(words[i], float(self.old_scores[i]), float(self.new_scores[i])) for i in order]

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        words = self.document.words
        strings = words.strings
        values: dict[str, Any] = dict(zip(("text", "text_pair"), words.texts, strict=False))
        values |= {
            "gold": self.document.label,
            "old_label": self.old_label,
            "new_label": self.new_label,
            "old_probability": self.old_probability,
            "new_probability": self.new_probability,
            "prediction_changed": self.prediction_changed,
            "distance": self.distance,
            "reason_changed": self.reason_changed,
            "shared": json_ready(self.shared),
            "overlap": json_ready(self.overlap),
            "tau": json_ready(self.tau),
            "shift": self.shift,
            "old_agreement": json_ready(self.old_agreement),
            "new_agreement": json_ready(self.new_agreement),
            "words": list(strings),
            "spans": [list(span) for spans in words.spans for span in spans],
            "segments": list(words.segments),
            "old_scores": self.old_scores.tolist(),
            "new_scores": self.new_scores.tolist(),
            "old_classes": list(self.old_classes),
            "new_classes": list(self.new_classes),
            "old_top": self.old_top.tolist(),
            "new_top": self.new_top.tolist(),
        }
        return values

    def to_row(self) -> dict[str, Any]:
        """Give the values of a table: the words that moved as one string."""
        row = {name: value for name, value in self.to_dict().items() if not isinstance(value, list)}
        return row | {"moved": written(self.moved())}


@dataclass(frozen=True)
class WordChange:
    """The mean score of a word in both models, over all places where it stands, for one class."""

    word: str
    count: int
    old: float
    new: float
    label: Label | None = None  # of the classes it speaks for in either model the one it moved most for; None: weights
    old_class: Label | None = None  # the class it speaks for most, unless it is weak
    new_class: Label | None = None

    @property
    def change(self) -> float:
        """How far it moved."""
        return self.new - self.old

    @property
    def turned(self) -> bool:
        """Whether it speaks for another class now."""
        return None not in (self.old_class, self.new_class) and self.old_class != self.new_class

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return {
            "word": self.word,
            "count": self.count,
            "class": self.label,
            "old": self.old,
            "new": self.new,
            "change": self.change,
            "old_class": self.old_class,
            "new_class": self.new_class,
            "turned": self.turned,
        }


@dataclass(frozen=True)
class ChangedShare(Estimate):
    """The share of texts that changed, with Wilson's 95 % interval."""

    texts: int  # that changed
    of: int


@dataclass(frozen=True)
class AccuracyChange(PairedChange):
    """Accuracy of both models on the same labelled texts, the paired difference, and the texts that it is made of."""

    became_right: int
    became_wrong: int


@dataclass(frozen=True, eq=False)
class ModelDifference:
    """What changed between two models on the same texts."""

    old: str
    new: str
    data: str
    explainer: str
    signed: bool  # whether scores speak for classes
    classes: tuple[Label, ...]
    top: int
    least_shared: float  # where the top words share less, the reason has changed
    texts: Sequence[TextDifference]
    words: Sequence[WordChange]  # the one that moved most first
    accuracy: AccuracyChange | None  # None without labels
    people: PeopleChange | None = None  # None without marked words
    decisions: Sequence[WordDecision] = ()  # of words that decide a text in either model, or are forbidden

    @property
    def predictions_changed(self) -> ChangedShare:
        """The share of texts whose predicted class changed."""
        return _changed([text.prediction_changed for text in self.texts])

    @property
    def reasons_changed(self) -> ChangedShare | None:
        """The share of texts whose reason changed, of those long enough to tell; None if there are none."""
        known = [text.reason_changed for text in self.texts if text.reason_changed is not None]
        return _changed(known) if known else None

    def most_changed(self, most: int | None = None) -> list[TextDifference]:
        """Put texts with changed predictions first, then those with changed reasons, the furthest moved first."""

        def place(text: TextDifference) -> tuple[bool, float, bool, float]:
            far = text.distance if text.prediction_changed else 0.0
            return not text.prediction_changed, -far, not text.reason_changed, -text.shift

        return sorted(self.texts, key=place)[:most]

    def most_moved(self, most: int = 10, min_count: int = 5) -> list[WordChange]:
        """Give the words whose mean score moved most, of those that occur at least min_count times."""
        return [word for word in self.words if word.count >= min_count and word.change][:most]

    def turned(self, min_count: int = 5) -> list[WordChange]:
        """Give the words that speak for another class now, of those that occur at least min_count times."""
        return [word for word in self.words if word.count >= min_count and word.turned]

    def moved_closer(self, most: int | None = None) -> list[TextDifference]:
        """Give the texts whose reason moved towards what people marked, the furthest first."""
        return sorted((text for text in self.texts if text.closer > SAME), key=lambda text: -text.closer)[:most]

    def moved_away(self, most: int | None = None) -> list[TextDifference]:
        """Give the texts whose reason moved away from what people marked, the furthest first."""
        return sorted((text for text in self.texts if text.closer < -SAME), key=lambda text: text.closer)[:most]

    def stopped(self, min_count: int = 5) -> list[WordDecision]:
        """Give the words that stopped deciding, of those in at least min_count texts, that of most texts first."""
        rows = [row for row in self.decisions if row.texts >= min_count and row.stopped]
        return sorted(rows, key=lambda row: row.new - row.old)

    def started(self, min_count: int = 5) -> list[WordDecision]:
        """Give the words that decide now and did not, likewise."""
        rows = [row for row in self.decisions if row.texts >= min_count and row.started]
        return sorted(rows, key=lambda row: row.old - row.new)

    def forbidden(self) -> list[WordDecision]:
        """Give the words of these texts that must not decide in the new model."""
        return [row for row in self.decisions if row.forbidden]

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """Give plain values, ready for JSON; with most, only that many texts, the most changed first."""
        reasons = self.reasons_changed
        return {
            "old": self.old,
            "new": self.new,
            "data": self.data,
            "explainer": self.explainer,
            "signed": self.signed,
            "classes": list(self.classes),
            "top": self.top,
            "least_shared": self.least_shared,
            "texts": len(self.texts),
            "predictions_changed": asdict(self.predictions_changed),
            "reasons_changed": None if reasons is None else asdict(reasons),
            "accuracy": None if self.accuracy is None else json_ready(asdict(self.accuracy)),
            "people": None if self.people is None else json_ready(asdict(self.people)),
            "decisions": [row.to_dict() for row in self.decisions],
            "words": [word.to_dict() for word in self.words],
            "changes": [text.to_dict() for text in (self.texts if most is None else self.most_changed(most))],
        }

    def to_frame(self) -> pandas.DataFrame:
        """Give a pandas frame with a row per text."""
        return data_frame([text.to_row() for text in self.texts])

    def to_html(self, min_count: int = 5) -> str:
        """Write a page that needs nothing from outside: the numbers, the words, and the most changed texts."""
        return render(self, min_count)

    def __str__(self) -> str:
        """Write the summary in a few lines."""
        reasons = self.reasons_changed
        count = f"{len(self.texts):,} {'text' if len(self.texts) == 1 else 'texts'}"
        lines = [
            f"{self.old} → {self.new}, {count} of {self.data}",
            f"predictions changed  {_shown(self.predictions_changed)}",
        ]
        if reasons is None:
            lines.append(f"reasons changed      unknown: no text has more than {self.top} words")
        else:
            lines.append(
                f"reasons changed      {_shown(reasons)}; the top {self.top} words share less than "
                f"{self.least_shared:.0%} of their score, by {self.explainer}"
            )
        if self.signed:
            turned = self.turned()
            which = f": {', '.join(map(turn, turned[:5]))}{', …' * (len(turned) > 5)}" if turned else ""
            lines.append(f"words turned         {len(turned):,} of those that occur 5 times or more{which}")
        for what, rows in (("stopped deciding", self.stopped()), ("decide now", self.started())):
            lines += [f"{what:<21}{_some(rows)}"] * bool(rows)
        if self.forbidden():
            lines.append(f"forbidden words      {_some(self.forbidden())}")
        if self.people is not None:
            area, f1 = self.people.auprc, self.people.f1
            lines += [
                f"like people          {_moved(area)}; random words {self.people.random:.3f}",
                f"                     average precision of the marked words, {area.texts:,} marked texts",
                f"                     F1 of the top {self.top} words {_moved(f1)}",
            ]
        if self.accuracy is not None:
            change = self.accuracy.change
            lines.append(
                f"accuracy             {self.accuracy.old.value:.1%} → {self.accuracy.new.value:.1%}, "
                f"{change.value:+z.1%} [{change.low:+z.1%}, {change.high:+z.1%}], p {change.p:.2g}; "
                f"{self.accuracy.became_right:,} became right, {self.accuracy.became_wrong:,} wrong"
            )
        return "\n".join(lines)


def share(yes: Sequence[bool]) -> Estimate:
    """Count how many of these are true, with Wilson's interval."""
    return Estimate(sum(yes) / len(yes), *share_interval(sum(yes), len(yes)))


def turn(word: WordChange) -> str:
    """Write a word with the class it spoke for and the one it speaks for now."""
    return f"{word.word} ({word.old_class} → {word.new_class})"


def _some(rows: Sequence[WordDecision], most: int = 5) -> str:
    return ", ".join(map(str, rows[:most])) + ", …" * (len(rows) > most)


def _moved(pair: PairedChange) -> str:
    change = pair.change
    return (
        f"{pair.old.value:.3f} → {pair.new.value:.3f}, {change.value:+z.3f} [{change.low:+z.3f}, {change.high:+z.3f}], "
        f"p {change.p:.2g}"
    )


def written(moved: Sequence[tuple[str, float, float]]) -> str:
    """Write words with their old and new scores in one line."""
    return ", ".join(f"{word} {old:z.2f} → {new:z.2f}" for word, old, new in moved)


def _changed(yes: Sequence[bool]) -> ChangedShare:
    estimate = share(yes)
    return ChangedShare(estimate.value, estimate.low, estimate.high, sum(yes), len(yes))


def _shown(changed: ChangedShare) -> str:
    return f"{changed.texts:,} of {changed.of:,}, {changed.value:.1%} [{changed.low:.1%}, {changed.high:.1%}]"
