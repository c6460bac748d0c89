"""Does it attend to the words that decide? Sun & Lu's scores of words, groups and claims, on the training texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from matplotlib.figure import Figure

from ...analysis.polarity import AttentionWords
from ...analysis.polarity_report import AttentionReport, attention_report
from ...data.dataset import Dataset
from ...grids.variant import Evaluation, Result, Settings, TrainedVariant, Variant, evaluation_identity
from ...maths.stats.intervals import Estimate
from ...maths.stats.ties import ranking
from ...models.folder import TrainedModel
from ...plots.word_groups import (
    group_scores,
    group_weights,
    polarity_attention,
    score_weight,
    scores_in_training,
    update_terms,
)
from ..reproduction.paper import Results

FIRST = 8  # of each class, the most attended words that every picture has, since it names them
TRACED = ("polarity_", "attention_", "overlap")


@dataclass(frozen=True)
class AttentionScores(Evaluation):
    """What `whyword attention` reports; for the first seed also epochs and words for pictures, as many as drawn."""

    name: ClassVar[str] = "attention-scores"

    drawn: int = 300  # 0 for what no figure shows: words take most of a record

    def earlier(self, variant: Variant) -> tuple[Settings, ...]:
        """Take a record without words: it tells the same numbers."""
        return (evaluation_identity(replace(self, drawn=0)),) if self.drawn else ()

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Report on the texts it was trained on."""
        report = attention_report(model.classifier, dataset.train)
        drawn = trained.seed == 0 and self.drawn > 0
        epochs = [record["health"] for record in model.history] if drawn else []
        return {
            **report.to_dict(),
            "test_accuracy": model.metrics["test_accuracy"],
            "training": [{key: _short(epoch[key]) for key in epoch if key.startswith(TRACED)} for epoch in epochs],
            "pictured": self._pictured(report) if drawn else None,
        }

    def _pictured(self, report: AttentionReport) -> Result:
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
    space = max(0, most - sum(map(len, first)))
    share = space if not len(others) else max(space * 3 // 4, space - len(others))
    chosen = np.unique(np.concatenate([*first, _evenly(grouped, share)]))
    return np.concatenate([chosen, _evenly(others, most - len(chosen))])


def _evenly(places: np.ndarray, most: int) -> np.ndarray:
    if len(places) <= most:
        return places
    chosen: np.ndarray = places[np.linspace(0, len(places) - 1, max(0, most)).round().astype(int)]
    return chosen


def _short(value: float) -> float:
    """Keep four digits: scores at a large λ are tiny, and would be nothing if rounded."""
    return float(f"{value:.4g}")


def group_sizes(result: Result) -> dict[str, float]:
    """Read the number of words of each group."""
    return {group["group"]: float(group["words"]) for group in result["groups"]}


def effects(result: Result) -> dict[str, float]:
    """Read the claims' numbers; what a model does not have is left out."""
    claims = {claim["name"]: claim["value"] for claim in result["claims"]}
    means = [group["attention"] for group in result["groups"] if group["attention"] is not None]
    classes = len(result["groups"]) - 1
    columns = {"accuracy": 100 * result["test_accuracy"]}
    if (right := claims.get("polarity follows the class")) is not None:
        columns["polarity above chance"] = right - 1 / classes
    if (attended := claims.get("class words are attended to")) is not None:
        columns["class over neutral"] = attended
    if (gap := claims.get("a gap between classes follows V·W")) is not None:
        columns["gap"] = abs(gap)
        if result["overlap"] is not None and classes == 2:
            columns["gap as V·W"] = gap * float(np.sign(result["overlap"][0]))
    if means:
        columns["spread"] = max(means) - min(means)
    if result["overlap"] is not None:
        columns["size of V·W"] = float(np.abs(result["overlap"]).mean())
    if (followed := claims.get("weights follow scores")) is not None:
        columns["weights as scores"] = followed
    return columns


def weights_follow_scores(result: Result) -> Estimate | None:
    """Give Spearman's rho over all words, also those not pictured."""
    claims = (claim for claim in result["claims"] if claim["name"] == "weights follow scores")
    return next((Estimate(claim["value"], claim["low"], claim["high"]) for claim in claims), None)


def draw_groups(results: Results) -> dict[str, Figure]:
    """Draw polarity and attention scores, a box for each group of words."""

    def boxes(result: Result) -> dict[str, Figure]:
        polarity, attention, groups = _columns(result, "polarity", "attention", "groups")
        return {"scores": group_scores(polarity, attention, groups, _names(result))}

    return _each(results, boxes)


def draw_groups_of(results: Results, pictures: Collection[tuple[str, str]]) -> dict[str, Figure]:
    """Draw the boxes of some rows, each on its data set; on data of one's own all of them."""
    named = {data for data, _ in pictures}
    return draw_groups({key: by_seed for key, by_seed in results.items() if key in pictures or key[0] not in named})


def draw_weights(results: Results) -> dict[str, Figure]:
    """Draw the mean attention weight of the words of each group, a box each."""

    def boxes(result: Result) -> dict[str, Figure]:
        share, groups = _columns(result, "share", "groups")
        return {"weights": group_weights(share, groups, _names(result))}

    return _each(results, boxes)


def draw_words(results: Results) -> dict[str, Figure]:
    """Draw a dot for each word: attention score against polarity, and attention weight against attention score."""

    def dots(result: Result) -> dict[str, Figure]:
        leaning, attention, share, groups = _columns(result, "leaning", "attention", "share", "groups")
        words, names = result["pictured"]["words"], _names(result)
        return {
            "polarity": polarity_attention(words, leaning, attention, groups, names),
            "weights": score_weight(attention, share, groups, names, weights_follow_scores(result)),
        }

    return _each(results, dots)


def draw_training(results: Results) -> dict[str, Figure]:
    """Draw the scores of each group epoch by epoch."""
    return _each(results, lambda a: {"training": scores_in_training(a["training"], _names(a))})


def draw_updates(results: Results) -> dict[str, Figure]:
    """Draw the terms A to F, a bar for each group of words."""

    def bars(result: Result) -> dict[str, Figure]:
        terms = {term: list(by_group.values()) for term, by_group in result["updates"].items()}
        return {"updates": update_terms(terms, _names(result))}

    return _each(results, bars)


def _each(results: Results, draw: Callable[[Result], Mapping[str, Figure]]) -> dict[str, Figure]:
    """Draw rows whose first seed is there."""
    return {
        f"{data}-{row.replace('/λ', '')}-{name}": figure
        for (data, row), by_seed in results.items()
        if by_seed[0]["pictured"] is not None
        for name, figure in draw(by_seed[0]).items()
    }


def _names(result: Result) -> list[str]:
    return [group["group"] for group in result["groups"]]


def _columns(result: Result, *names: str) -> list[np.ndarray]:
    return [np.array(result["pictured"][name]) for name in names]
