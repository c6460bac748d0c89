"""Which words the mask keeps, and whether it simply keeps the frequent or the rare ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data.dataset import Dataset
from ...explaining.words import frequency_link, word_importance
from ...grids.evaluation import Question
from ...grids.trial import Trial
from ...interfaces.explanation import WordImportance
from ...maths.stats.intervals import Estimate
from ...models.folder import TrainedModel


@dataclass(frozen=True)
class WordScores(Question):
    """The mask's score of every word, its correlation with frequency, and the words it keeps most surely."""

    least: int = 5  # occurrences of a word that is named
    top: int = 20
    drawn: int = 3_000  # words in the picture: the most frequent ones, and some of the others

    def ask(self, model: TrainedModel, dataset: Dataset, trial: Trial) -> dict[str, Any]:
        """Give correlations, top words, and words for a picture; of transformers, averaged over the training texts."""
        alone = model.classifier.method.encoder.token_kind == "words"
        importance = word_importance(model.classifier, None if alone else dataset.train)
        named = list(importance.at_least(self.least).top(self.top).rows())
        return {**frequency_link(importance).to_dict(), "top": named, "words": self._picture(importance)}

    def _picture(self, importance: WordImportance) -> list[tuple[str, float, int]]:
        order = np.argsort(-importance.frequencies, kind="stable")
        frequent, rest = np.split(order, [self.drawn // 2])
        chosen = np.concatenate([frequent, rest[:: max(1, 2 * len(rest) // self.drawn)]])
        return [
            (importance.words[i], round(float(importance.scores[i]), 4), int(importance.frequencies[i])) for i in chosen
        ]


def pearson_of_frequency(answer: Mapping[str, Any]) -> dict[str, float]:
    """Read Pearson's correlation of frequency and score."""
    return {} if answer["pearson"] is None else {"value": answer["pearson"]["value"]}


def pictured(answer: Mapping[str, Any]) -> tuple[WordImportance, Estimate | None, Estimate | None]:
    """Give back what a picture shows, with the correlations over all words."""
    words, scores, frequencies = zip(*answer["words"], strict=True)
    importance = WordImportance(words, np.array(scores), np.array(frequencies), "keep probability")
    known = (None if answer[name] is None else Estimate(**answer[name]) for name in ("pearson", "spearman"))
    return importance, next(known), next(known)
