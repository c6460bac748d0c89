"""The contract of every metric: an explanation in, a number out; and the score of an explainer over many texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from .document import Label
from .explanation import Explanation
from .settings import Named, json_ready


class Search(Hashable, Protocol):
    """What must be found out about a text in several rounds, whatever its scores; equal ones are run once."""

    def rounds(self) -> Generator[np.ndarray, np.ndarray, np.ndarray]:
        """Yield the sub-texts of a round, (subset, word) bool, get their (subset, class) answers, return the result."""
        ...


class Metric(Named, ABC):
    """Judges explanations, one text at a time; a frozen dataclass whose fields are its settings.

    It never asks a model itself: it says which sub-texts it must know about and reads the answers, so that all metrics
    and explainers share them.
    """

    meaning: ClassVar[str]  # what the number is, in one short sentence
    higher_is_better: ClassVar[bool] = True
    is_share: ClassVar[bool] = False  # True when no value lies outside 0 and 1
    needs_labels: ClassVar[bool] = False  # True when it compares with gold labels
    needs_rationale: ClassVar[bool] = False  # True when it compares with the words a human marked

    @property
    def points(self) -> tuple[float, ...]:
        """Where its curve is read, such as 1 to 10 removed words; nothing if it is a single number."""
        return ()

    def subsets(self, explanation: Explanation) -> np.ndarray:
        """Mark the words kept in each sub-text it must know about, (subset, word) bool; no rows if it needs none."""
        return np.ones((0, len(explanation.scores)), dtype=bool)

    @abstractmethod
    def values(self, explanation: Explanation, answers: np.ndarray, classes: Sequence[Label]) -> np.ndarray:
        """Give (point,) values from the probabilities, (subset, class), of those sub-texts; NaN where undefined."""

    def search(self, explanation: Explanation, classes: Sequence[Label]) -> Search | None:
        """Say what else must be found out about the text for a judge of these classes; nothing, as a rule."""
        return None

    def normalize(self, values: np.ndarray, found: np.ndarray) -> np.ndarray:
        """Put the values on the scale that the search found; NaN where it has no extent."""
        return values

    def headline(self, curve: np.ndarray) -> np.ndarray:
        """Give the one number of each text, (text, point) to (text,): the last point unless a metric says otherwise."""
        last: np.ndarray = curve[:, -1]
        return last


@dataclass(frozen=True, eq=False)
class Score:
    """What a metric says of an explainer, over many texts."""

    metric: str
    explainer: str
    per_text: np.ndarray  # (text,) float64, NaN where undefined
    interval: tuple[float, float]  # 95 % for the mean over texts
    higher_is_better: bool
    meaning: str
    points: tuple[float, ...] = ()
    curve: np.ndarray | None = None  # (text, point)
    band: np.ndarray | None = None  # (point, 2): 95 % for the mean over texts at each point

    @property
    def value(self) -> float:
        """The mean over the texts where it is defined."""
        return float(_mean(self.per_text[:, None])[0])

    @property
    def mean_curve(self) -> np.ndarray | None:
        """The mean over texts at each point, (point,)."""
        return None if self.curve is None else _mean(self.curve)

    @property
    def texts(self) -> int:
        """How many texts it is defined for."""
        return int((~np.isnan(self.per_text)).sum())

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON; None where nothing is defined."""
        curve = None
        if self.mean_curve is not None and self.band is not None:
            columns = np.column_stack([self.points, self.mean_curve, self.band])
            curve = [dict(zip(("at", "value", "low", "high"), map(json_ready, row), strict=True)) for row in columns]
        return {
            "metric": self.metric,
            "explainer": self.explainer,
            "value": json_ready(self.value),
            "low": json_ready(self.interval[0]),
            "high": json_ready(self.interval[1]),
            "texts": self.texts,
            "higher_is_better": self.higher_is_better,
            "meaning": self.meaning,
            "curve": curve,
        }

    def __str__(self) -> str:
        """Give the value and its interval in one line."""
        low, high = self.interval
        return f"{self.metric} of {self.explainer}: {self.value:.3f} [{low:.3f}, {high:.3f}] on {self.texts:,} texts"


def _mean(columns: np.ndarray) -> np.ndarray:
    """Average each column over the rows where it is defined; NaN where it never is."""
    defined = ~np.isnan(columns)
    count = defined.sum(0)
    total = np.where(defined, columns, 0.0).sum(0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
