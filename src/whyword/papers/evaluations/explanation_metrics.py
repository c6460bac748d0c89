"""How good are explanations? Metrics beside random words, words that people marked, and curves of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from matplotlib.figure import Figure

from ... import catalog
from ...catalog import make_explainer
from ...data.dataset import Dataset, load_dataset
from ...explaining.inputs import draw
from ...explaining.measure import RANDOM, measure_explanations
from ...explaining.stream import explain_documents
from ...grids.variant import Evaluation, Result, Settings, TrainedVariant, Variant
from ...interfaces.errors import DataError
from ...interfaces.metric import Score
from ...interfaces.settings import build
from ...maths.stats.intervals import Estimate, mean_over_runs
from ...models.folder import TrainedModel
from ...plots.curves import curves
from ..reproduction.paper import Read, Results, Row


@dataclass(frozen=True)
class Explained(Evaluation):
    """Metrics of an explainer on test texts, the same texts for all models."""

    name: ClassVar[str] = "explained"

    explainer: str
    metrics: Mapping[str, Settings]  # settings by name
    sample: int
    explainer_settings: Settings = field(default_factory=dict)
    judge: Variant | None = None  # a variant on the same data with the same seed

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Explain the predicted classes and measure."""
        documents = draw(dataset.test or dataset.dev, self.sample, seed=0)
        explainer = make_explainer(self.explainer, model.classifier, trained.seed, self.explainer_settings)
        explanations = list(explain_documents(model.classifier, documents, explainer))
        judge = None if self.judge is None else trained.other(self.judge).model(dataset).classifier
        metrics = [
            build(catalog.load("metrics", name), values, f"metric {name}") for name, values in self.metrics.items()
        ]
        scores = measure_explanations(
            model.classifier, {self.explainer: explanations}, metrics, judge=judge, seed=trained.seed
        )
        return {
            "texts": len(documents),
            "passes": sum(explanation.forward_passes for explanation in explanations) / len(documents),
            **{
                who: {metric.name: _summary(scores[metric.name, explainer_name]) for metric in metrics}
                for who, explainer_name in (("words", self.explainer), ("random", RANDOM))
            },
        }


def _summary(score: Score) -> Result:
    return {name: value for name, value in score.to_dict().items() if name in ("value", "low", "high", "curve")}


def metric_at(result: Result, metric: str, k: int, who: str = "words") -> dict[str, float]:
    """Read a metric's value at k words, times 100."""
    points = _points(result, metric, who)
    return {"value": points[k]} if k in points else {}


def metric_curve(
    result: Result, metric: str, who: str = "words", at: tuple[int, ...] | None = None
) -> dict[str, float]:
    """Read a metric's curve times 100, a column for each k, or for some of them."""
    return {str(k): value for k, value in _points(result, metric, who).items() if at is None or k in at}


def _points(result: Result, metric: str, who: str) -> dict[int, float]:
    curve = result[who][metric]["curve"]
    return {int(point["at"]): 100 * point["value"] for point in curve if point["value"] is not None}


METRICS = ("rationale-precision", "rationale-recall", "rationale-f1")


@dataclass(frozen=True)
class TokenDetection(Evaluation):
    """Precision, recall and F1 of the top k words against marked words, averaged per text (METHODS: VAT, table 5)."""

    name: ClassVar[str] = "token-detection"

    marked: Mapping[str, str]  # by data set, the one whose texts have marked words; else its own
    classes: tuple[str, ...]
    k: tuple[int, ...]
    explainer: str = "own"

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Explain the gold class of every marked text of each class."""
        name = self.marked.get(trained.source.name)
        marked = dataset.test if name is None else load_dataset(name, data_dir=trained.data_dir).test
        counts: dict[str, int] = {}
        values: dict[str, dict[str, dict[str, float]]] = {"words": {}, "random": {}}
        for label in self.classes:
            documents = [d for d in marked if d.label == label and d.rationale_words and any(d.rationale_words)]
            if not documents:
                raise DataError(f"{name or dataset.name} has no text of class '{label}' with marked words.")
            explainer = make_explainer(self.explainer, model.classifier, trained.seed)
            explanations = {self.explainer: list(explain_documents(model.classifier, documents, explainer))}
            for k in self.k:
                metrics = [catalog.load("metrics", name)(k=k) for name in METRICS]
                scores = measure_explanations(model.classifier, explanations, metrics, seed=trained.seed)
                for who, name in (("words", self.explainer), ("random", RANDOM)):
                    values[who][f"{label}@{k}"] = {
                        metric.rpartition("-")[2]: 100 * scores[metric, name].value for metric in METRICS
                    }
            counts[label] = len(documents)
        return {**values, "texts": counts}


def detection(result: Result, who: str) -> dict[str, float]:
    """Read precision, recall and F1 for each class and k."""
    return {f"{group} {name}": value for group, values in result[who].items() for name, value in values.items()}


def draw_lines(results: Results, read: Read | Sequence[Row], across: str, up: str) -> dict[str, Figure]:
    """Draw a line per row over its columns, a picture for each data set; rows may each read in their own way."""
    names = {row for _, row in results}
    readers = dict.fromkeys(names, read) if callable(read) else {row.name: row.read for row in read}
    figures = {}
    for dataset in dict.fromkeys(dataset for dataset, _ in results):
        lines = {
            row: _over_seeds([readers[row](result) for result in by_seed])
            for (name, row), by_seed in results.items()
            if name == dataset
        }
        figures[dataset] = curves(lines, dataset, across, up)
    return figures


def _over_seeds(values: Sequence[Mapping[str, float]]) -> dict[float, Estimate]:
    return {float(column): mean_over_runs([columns[column] for columns in values]) for column in values[0]}
