"""Measure explanations: every sub-text that any metric of any explainer needs is asked about once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

import numpy as np
import torch
from torch import Tensor

from ..interfaces.classifier import Classifier, Removal
from ..interfaces.document import Words
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explanation
from ..interfaces.metric import Metric
from ..maths.tensors.subsets import distinct_rows
from .scores import Scores, gather


def measure(
    judge: Classifier,
    explanations: Mapping[str, Iterable[Explanation]],
    metrics: Sequence[Metric],
    removal: Removal = "delete",
    on_event: Callable[[int], object] | None = None,
) -> Scores:
    """Measure the explanations of the same texts by several explainers, each under its name.

    The explanations may be streams: of each text only the values are kept. The watcher is told the number of texts
    done so far.
    """
    names = [metric.name for metric in metrics]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"The metric '{name}' is asked for twice: ask once, and read other k off its curve.")
    asked = _Questions(explanations, metrics)
    values: dict[tuple[str, str], list[np.ndarray]] = {
        (name, explainer): [] for name in names for explainer in explanations
    }
    done = 0
    for answer in judge.probabilities_of_many(asked.requests(), removal):
        row, where, ends = asked.waiting.popleft()
        parts = iter(np.split(answer.double().numpy()[where], ends[:-1]))
        for explainer, explanation in zip(explanations, row, strict=True):
            for metric in metrics:
                values[metric.name, explainer].append(metric.values(explanation, next(parts), judge.classes))
        done += 1
        if on_event is not None:
            on_event(done)
    scores = tuple(
        gather(metric, explainer, np.array(values[metric.name, explainer]).reshape(done, max(1, len(metric.points))))
        for metric in metrics
        for explainer in explanations
    )
    return Scores(scores, done, asked.forward_passes)


class _Questions:
    """The sub-texts of each text, and what is still to be done with the answers."""

    def __init__(self, explanations: Mapping[str, Iterable[Explanation]], metrics: Sequence[Metric]) -> None:
        self.explanations, self.metrics = explanations, metrics
        self.waiting: deque[tuple[list[Explanation], np.ndarray, np.ndarray]] = deque()
        self.forward_passes = 0

    def requests(self) -> Iterator[tuple[Words, Tensor]]:
        for row in _rows(self.explanations):
            parts = [metric.subsets(explanation) for explanation in row for metric in self.metrics]
            kept, where = distinct_rows(np.concatenate([np.ones((0, len(row[0].scores)), dtype=bool), *parts]))
            self.waiting.append((row, where, np.cumsum([len(part) for part in parts])))
            self.forward_passes += len(kept)
            yield row[0].document.words, torch.from_numpy(kept)


def _rows(explanations: Mapping[str, Iterable[Explanation]]) -> Iterator[list[Explanation]]:
    """Give the explanations of one text after the other, and see that they are of the same text."""
    names = list(explanations)
    for number, found in enumerate(zip_longest(*explanations.values())):
        row: list[Explanation] = []
        for name, explanation in zip(names, found, strict=True):
            if explanation is None:
                raise OptionError(f"'{name}' has only {number} explanations, others have more: explain the same texts.")
            if row and explanation.document.words != row[0].document.words:
                raise OptionError(f"Text {number} of '{name}' is not that of '{names[0]}': explain the same texts.")
            row.append(explanation)
        yield row
