"""Does it attend to the words that decide? Sun & Lu's scores of words, groups and claims, on the training texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...analysis.polarity import AttentionWords
from ...analysis.polarity_report import AttentionReport, attention_report
from ...data.dataset import Dataset
from ...grids.evaluation import Question
from ...grids.trial import Trial
from ...maths.stats.estimate import Estimate
from ...maths.stats.ties import ranking
from ...models.folder import TrainedModel

FIRST = 8  # of each class, the most attended words that every picture has, since it names them
TRACED = ("polarity_", "attention_", "overlap")


@dataclass(frozen=True)
class AttentionScores(Question):
    """What `whyword attention` reports; for the first seed also words for pictures, as many as drawn."""

    drawn: int = 2_000

    def ask(self, model: TrainedModel, dataset: Dataset, trial: Trial) -> dict[str, Any]:
        """Report on the texts it was trained on."""
        report = attention_report(model.classifier, dataset.train)
        epochs = [record["health"] for record in model.history]
        return {
            **report.to_dict(),
            "test_accuracy": model.metrics["test_accuracy"],
            "training": [{key: _short(epoch[key]) for key in epoch if key.startswith(TRACED)} for epoch in epochs],
            "pictured": self._pictured(report) if trial.seed == 0 else None,
        }

    def _pictured(self, report: AttentionReport) -> dict[str, Any]:
        words = report.words
        chosen = some_words(words, self.drawn)
        return {
            "words": [words.words[i] for i in chosen],
            "groups": words.groups[chosen].tolist(),
            "polarity": [[_short(score) for score in scores] for scores in words.polarity[chosen]],
            "leaning": [_short(score) for score in words.leaning[chosen]],
            "attention": [_short(score) for score in words.attention[chosen]],
            "share": [_short(share) for share in words.share[chosen]],
        }


def some_words(words: AttentionWords, most: int) -> np.ndarray:
    """Choose words, three of four from the groups: the most attended of each class, then evenly by attention score."""
    order = ranking(words.attention)
    grouped, others = (order[(words.groups[order] >= 0) == inside] for inside in (True, False))
    first = [order[words.groups[order] == number][:FIRST] for number in range(len(words.classes))]
    room = max(0, most - sum(map(len, first)))
    share = room if not len(others) else max(room * 3 // 4, room - len(others))
    chosen = np.unique(np.concatenate([*first, _evenly(grouped, share)]))
    return np.concatenate([chosen, _evenly(others, most - len(chosen))])


def _evenly(places: np.ndarray, most: int) -> np.ndarray:
    if len(places) <= most:
        return places
    chosen: np.ndarray = places[np.linspace(0, len(places) - 1, max(0, most)).round().astype(int)]
    return chosen


def _short(value: float) -> float:
    """Keep five digits: scores at a large λ are tiny, and would be nothing if rounded."""
    return float(f"{value:.5g}")


def group_sizes(answer: Mapping[str, Any]) -> dict[str, float]:
    """Read the number of words of each group."""
    return {group["group"]: float(group["words"]) for group in answer["groups"]}


def effects(answer: Mapping[str, Any]) -> dict[str, float]:
    """Read the claims' numbers; what a model does not have is left out."""
    claims = {claim["name"]: claim["value"] for claim in answer["claims"]}
    means = [group["attention"] for group in answer["groups"] if group["attention"] is not None]
    classes = len(answer["groups"]) - 1
    found = {"accuracy": 100 * answer["test_accuracy"]}
    if (right := claims.get("polarity follows the class")) is not None:
        found["polarity above chance"] = right - 1 / classes
    if (attention_and_states := claims.get("class words are attended to")) is not None:
        found["class over neutral"] = attention_and_states
    if (gap := claims.get("a gap between classes follows V·W")) is not None:
        found["gap"] = abs(gap)
        if answer["overlap"] is not None and classes == 2:
            found["gap as V·W"] = gap * float(np.sign(answer["overlap"][0]))
    if means:
        found["spread"] = max(means) - min(means)
    if answer["overlap"] is not None:
        found["size of V·W"] = float(np.abs(answer["overlap"]).mean())
    if (followed := claims.get("weights follow scores")) is not None:
        found["weights as scores"] = followed
    return found


def weights_follow_scores(answer: Mapping[str, Any]) -> Estimate | None:
    """Give Spearman's rho over all words, also those not pictured."""
    found = (claim for claim in answer["claims"] if claim["name"] == "weights follow scores")
    return next((Estimate(claim["value"], claim["low"], claim["high"]) for claim in found), None)
