"""Measure explanations: sub-texts that several metrics need are predicted once; scores, intervals, agreement."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..interfaces.classifier import Classifier, Removal
from ..interfaces.document import Label, Words
from ..interfaces.errors import OptionError, unknown_name
from ..interfaces.explanation import Explanation
from ..interfaces.metric import Metric, Score, Search
from ..interfaces.settings import data_frame, json_ready
from ..maths.stats.comparisons import Difference, paired_differences
from ..maths.stats.intervals import mean_intervals

if TYPE_CHECKING:
    import pandas
from ..maths.stats.correlation import kendall_tau_b, overlap
from ..maths.stats.intervals import mean_interval
from .top_words import top_words

OF_LABELS = "labels of texts"  # where a text may have several, each counts once


def measure(
    judge: Classifier,
    explanations: Mapping[str, Iterable[Explanation | Sequence[Explanation]]],
    metrics: Sequence[Metric],
    removal: Removal = "delete",
    on_event: Callable[[int], object] | None = None,
) -> Scores:
    """Measure the explanations of the same texts by several explainers, each under its name.

    The explanations may be streams: of each text only the values stay in memory. An explainer may give several
    explanations of a text, as random draws are; their values are averaged. on_event gets the number of texts measured
    so far.
    """
    names = [metric.name for metric in metrics]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"The metric '{name}' is asked for twice: ask once, and read other k off its curve.")
    fresh = (_Text(number, row, metrics, judge.classes) for number, row in enumerate(_rows(explanations)))
    ready: deque[_Text] = deque()  # have further questions
    pending: deque[_Text] = deque()
    finished: dict[int, _Text] = {}

    def requests() -> Iterator[tuple[Words, Tensor]]:
        while text := ready.popleft() if ready else next(fresh, None):
            pending.append(text)
            yield text.words, torch.from_numpy(text.unknown())

    while True:
        for answer in judge.probabilities_of_many(requests(), removal):
            text = pending.popleft()
            if text.learn(answer.double().numpy()):
                finished[text.number] = text.forget()
                if on_event is not None:
                    on_event(len(finished))
            else:
                ready.append(text)
        if not ready:
            break
    texts = [finished[number] for number in range(len(finished))]
    scores = tuple(
        gather(
            metric,
            explainer,
            np.array([text.values[i, j] for text in texts]).reshape(len(texts), max(1, len(metric.points))),
        )
        for j, metric in enumerate(metrics)
        for i, explainer in enumerate(explanations)
    )
    return Scores(scores, len(texts), sum(text.passes for text in texts), sum(text.asked for text in texts))


class _Text:
    """What is asked about one text, in one round or more, and what the metrics say of its explanations."""

    def __init__(
        self, number: int, row: Sequence[Sequence[Explanation]], metrics: Sequence[Metric], classes: Sequence[Label]
    ) -> None:
        self.number, self.row, self.metrics, self.classes = number, row, metrics, classes
        self.words = row[0][0].document.words
        self.values: dict[tuple[int, int], np.ndarray] = {}  # by the numbers of explainer and metric
        self.passes = self.asked = 0
        self._known: dict[bytes, np.ndarray] = {}  # (class,) answers by sub-text
        self._users = Counter(filter(None, (m.search(e, classes) for draws in row for e in draws for m in metrics)))
        self._found: dict[Search, np.ndarray] = {}
        self._running = {search: search.rounds() for search in self._users}
        self._wanted = {search: next(rounds) for search, rounds in self._running.items()}
        self._new = self._distinct([m.subsets(e) for draws in row for e in draws for m in metrics])

    def _distinct(self, parts: Sequence[np.ndarray]) -> dict[bytes, np.ndarray]:
        """Keep of these sub-texts and of those that searches ask about each one that is not known, once."""
        self.asked += sum(map(len, parts))
        self.asked += sum(self._users[search] * len(subsets) for search, subsets in self._wanted.items())
        rows = (row for part in [*parts, *self._wanted.values()] for row in part)
        return {key: row for row in rows if (key := row.tobytes()) not in self._known}

    def unknown(self) -> np.ndarray:
        """Give the sub-texts to ask about, (subset, word) bool."""
        return np.array(list(self._new.values()), dtype=bool).reshape(len(self._new), len(self.words))

    def learn(self, answers: np.ndarray) -> bool:
        """Take the answers, and say whether these were the last questions."""
        self._known |= zip(self._new, answers, strict=True)
        self.passes += len(answers)
        for search, subsets in list(self._wanted.items()):
            try:
                self._wanted[search] = self._running[search].send(self._answers(subsets))
            except StopIteration as end:
                self._found[search] = end.value
                del self._wanted[search]
        self._new = self._distinct([])
        return not self._wanted

    def _answers(self, subsets: np.ndarray) -> np.ndarray:
        rows = [self._known[row.tobytes()] for row in subsets]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(self.classes))

    def forget(self) -> _Text:
        """Keep the values alone."""
        for i, draws in enumerate(self.row):
            for j, metric in enumerate(self.metrics):
                self.values[i, j] = np.mean([self._value(metric, explanation) for explanation in draws], axis=0)
        self.row, self._known = (), {}
        return self

    def _value(self, metric: Metric, explanation: Explanation) -> np.ndarray:
        values = metric.values(explanation, self._answers(metric.subsets(explanation)), self.classes)
        search = metric.search(explanation, self.classes)
        return values if search is None else metric.normalize(values, self._found[search])


def _rows(
    explanations: Mapping[str, Iterable[Explanation | Sequence[Explanation]]],
) -> Iterator[list[list[Explanation]]]:
    """Give the explanations of one text after the other, and check that they are of the same text."""
    names = list(explanations)
    for number, of_text in enumerate(zip_longest(*explanations.values())):
        row: list[list[Explanation]] = []
        for name, item in zip(names, of_text, strict=True):
            if item is None:
                raise OptionError(f"'{name}' has only {number} explanations, others have more: explain the same texts.")
            draws = [item] if isinstance(item, Explanation) else list(item)
            row.append(draws)
            if any(explanation.document.words != row[0][0].document.words for explanation in draws):
                raise OptionError(f"Text {number} of '{name}' is not that of '{names[0]}': explain the same texts.")
        yield row


@dataclass(frozen=True, eq=False)
class Scores:
    """Every metric of every explainer, on the same texts."""

    scores: tuple[Score, ...]
    texts: int
    forward_passes: int  # distinct sub-texts the judge predicted, for all metrics and explainers together
    asked: int = 0  # what they would have cost, each metric and explanation by itself
    unit: str = "texts"  # what they are means over, and the number of texts counts

    def __iter__(self) -> Iterator[Score]:
        """Go through the scores, metric by metric."""
        return iter(self.scores)

    def __len__(self) -> int:
        """Count the scores."""
        return len(self.scores)

    def __getitem__(self, names: tuple[str, str]) -> Score:
        """Find the score by the names of a metric and an explainer."""
        metric, explainer = names
        if metric not in self.metrics:
            raise unknown_name(metric, "the measured metrics", self.metrics)
        if explainer not in self.explainers:
            raise unknown_name(explainer, "the measured explainers", self.explainers)
        return next(score for score in self if (score.metric, score.explainer) == names)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics."""
        return tuple(dict.fromkeys(score.metric for score in self))

    @property
    def explainers(self) -> tuple[str, ...]:
        """The names of the explainers."""
        return tuple(dict.fromkeys(score.explainer for score in self))

    @property
    def passes_per_text(self) -> float:
        """What it cost, on average."""
        return self.forward_passes / max(1, self.texts)

    def differences(self, baseline: str = "random") -> dict[tuple[str, str], Difference]:
        """Compare every other explainer with one of them, text by text, on every metric: (metric, explainer)."""
        others = [score for score in self if score.explainer != baseline]
        if not others:
            return {}
        one = np.stack([score.per_text for score in others], axis=1)
        other = np.stack([self[score.metric, baseline].per_text for score in others], axis=1)
        differences = paired_differences(one, other)
        return {(score.metric, score.explainer): differences[i] for i, score in enumerate(others)}

    def rows(self, baseline: str = "random") -> list[dict[str, Any]]:
        """Give a row of plain values per score; with the paired difference from a baseline, if it was measured."""
        differences = self.differences(baseline) if baseline in self.explainers else {}
        rows = []
        for score in self:
            row = {key: value for key, value in score.to_dict().items() if key != "curve"}
            difference = differences.get((score.metric, score.explainer))
            names = ("value", "low", "high", "p")
            against = dict.fromkeys(names) if difference is None else asdict(difference)
            rows.append(row | {f"over_{baseline}_{name}": json_ready(against[name]) for name in names})
        return rows

    def to_frame(self, baseline: str = "random") -> pandas.DataFrame:
        """Give a pandas frame of the rows."""
        return data_frame(self.rows(baseline))

    def __str__(self) -> str:
        """Write a table with a line per metric and a column per explainer."""
        lines = [["", *self.explainers]]
        for metric in self.metrics:
            scores = [self[metric, explainer] for explainer in self.explainers]
            lines.append([f"{metric} {'↑' if scores[0].higher_is_better else '↓'}", *map(_cell, scores)])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        each = "a text" if self.unit == "texts" else "each"
        cost = f"{self.texts:,} {self.unit}, {self.forward_passes:,} forward passes ({self.passes_per_text:.1f} {each})"
        return "\n".join([*table, f"{cost}; mean and 95 % interval; ↑ higher is better, ↓ lower"])


def gather(metric: Metric, explainer: str, curve: np.ndarray) -> Score:
    """Make a score of a metric's values, (text, point)."""
    per_text = metric.headline(curve) if len(curve) else np.empty(0)
    columns = np.column_stack([per_text, curve]) if metric.points else per_text[:, None]
    intervals = mean_intervals(columns)
    return Score(
        metric=metric.name,
        explainer=explainer,
        per_text=per_text,
        interval=(float(intervals[0, 0]), float(intervals[0, 1])),
        higher_is_better=metric.higher_is_better,
        meaning=metric.meaning,
        points=tuple(metric.points),
        curve=curve if metric.points else None,
        band=intervals[1:] if metric.points else None,
    )


def pool(parts: Sequence[Scores]) -> Scores:
    """Put scores of different labels of texts together: those that all of them have."""
    pooled = []
    for score in parts[0]:
        if not all(score.metric in one.metrics and score.explainer in one.explainers for one in parts):
            continue
        same = [one[score.metric, score.explainer] for one in parts]
        per_text = np.concatenate([one.per_text for one in same])
        curve = None if score.curve is None else np.concatenate([one.curve for one in same if one.curve is not None])
        intervals = mean_intervals(per_text[:, None] if curve is None else np.column_stack([per_text, curve]))
        whole = (float(intervals[0, 0]), float(intervals[0, 1]))
        band = None if curve is None else intervals[1:]
        pooled.append(replace(score, per_text=per_text, interval=whole, curve=curve, band=band))
    texts, passes, asked = (sum(getattr(one, name) for one in parts) for name in ("texts", "forward_passes", "asked"))
    return Scores(tuple(pooled), texts, passes, asked, OF_LABELS)


def _cell(score: Score) -> str:
    return f"{score.value:z.3f} [{score.interval[0]:z.3f}, {score.interval[1]:z.3f}]" if score.texts else "-"


def rank_agreement(one: Sequence[Explanation], other: Sequence[Explanation]) -> Score:
    """Kendall's tau-b of the scores in each text; NaN where all words of a text have the same score."""
    values = [
        kendall_tau_b(first.scores, second.scores, (first.resolution, second.resolution))
        for first, second in _pairs(one, other)
    ]
    meaning = "Kendall's tau-b of two explainers' scores: 1 is the same order of words, 0 no relation, -1 the reverse"
    return _score("rank-agreement", one, other, values, meaning)


def top_agreement(one: Sequence[Explanation], other: Sequence[Explanation], k: int = 5) -> Score:
    """Share of the top k words that two explainers have in common; NaN for texts of k words or fewer."""
    values = [
        overlap(*(top_words(explanation, [k])[0] for explanation in pair)) if len(pair[0].scores) > k else np.nan
        for pair in _pairs(one, other)
    ]
    return _score("top-agreement", one, other, values, f"share of the top {k} words that two explainers have in common")


def _pairs(one: Sequence[Explanation], other: Sequence[Explanation]) -> list[tuple[Explanation, Explanation]]:
    if [e.document.words for e in one] != [e.document.words for e in other]:
        raise OptionError("Two explainers can only agree on the same texts: explain the same list with both.")
    return list(zip(one, other, strict=True))


def _score(
    name: str, one: Sequence[Explanation], other: Sequence[Explanation], values: Sequence[float], meaning: str
) -> Score:
    per_text = np.array(values, dtype=np.float64)
    explainers = " ~ ".join(explanations[0].explainer for explanations in (one, other) if explanations)
    return Score(name, explainers, per_text, mean_interval(per_text), higher_is_better=True, meaning=meaning)
