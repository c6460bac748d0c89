"""How good are explanations? Metrics beside random words, words that people marked, and curves of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from matplotlib.figure import Figure

from ... import catalog
from ...catalog import make_explainer
from ...data.dataset import Dataset, load_dataset
from ...explaining.inputs import draw
from ...explaining.measure import RANDOM, measure_explanations
from ...explaining.stream import explain_documents
from ...grids.variant import Evaluation, Result, Settings, TrainedVariant, Variant, evaluation_identity
from ...interfaces.errors import DataError
from ...interfaces.metric import Score
from ...interfaces.settings import build
from ...maths.stats.intervals import Estimate, mean_over_runs
from ...models.folder import TrainedModel
from ...plots.curves import curves
from ..reproduction.paper import Read, Results, Row

NORMALIZED = "normalized-"  # metrics whose names begin so can be compared between models
REMOVED, LEFT = "normalized-comprehensiveness", "normalized-sufficiency"
NORMALIZED_NOTE = (
    "A drop of probability depends on how sure a model is, and on the class to which it falls back when words go, so "
    "raw drops of two models are not comparable. Normalized ones are: per text, the place (times 100) of the mean drop "
    "between those of the worst and the best order of its words for the same model, found by beam search."
)


@dataclass(frozen=True)
class Explained(Evaluation):
    """Metrics of an explainer on test texts, the same texts for all models."""

    name: ClassVar[str] = "explained"
    revision: ClassVar[int] = 2

    explainer: str
    metrics: Mapping[str, Settings]  # settings by name
    sample: int
    explainer_settings: Settings = field(default_factory=dict)
    judge: Variant | None = None  # a variant on the same data with the same seed
    each: tuple[int, ...] = ()  # numbers of words at which the record tells of each text

    def earlier(self, variant: Variant) -> tuple[Settings, ...]:
        """Take the first revision, which told of no single text and had no normalized metric beside the others."""
        raw = {name: settings for name, settings in self.metrics.items() if not name.startswith(NORMALIZED)}
        if not raw:
            return ()
        return ({**evaluation_identity(replace(self, metrics=raw, each=())), "revision": 1},)

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
                who: {metric.name: self._summary(scores[metric.name, explainer_name]) for metric in metrics}
                for who, explainer_name in (("words", self.explainer), ("random", RANDOM))
            },
        }

    def _summary(self, score: Score) -> Result:
        """Give the mean with its interval, the curve, and values of each text: of some points, or of the number."""
        mean = {name: value for name, value in score.to_dict().items() if name in ("value", "low", "high", "curve")}
        if score.curve is None or not score.points:
            return {**mean, "texts": {"": _short(score.per_text)}}
        at = {int(point): column for point, column in zip(score.points, score.curve.T, strict=True)}
        return {**mean, "texts": {str(k): _short(at[k]) for k in self.each if k in at}}


def _short(values: np.ndarray) -> list[float | None]:
    """Keep four digits of each; None where undefined."""
    return [None if np.isnan(value) else round(float(value), 4) for value in values]


@dataclass(frozen=True)
class Reading:
    """How a row reads a metric times 100: its one number, its value at one number of words, or a column for each."""

    metric: str
    at: int | tuple[int, ...] | None = None  # numbers of words; (): all that there are; None: it is a single number
    who: str = "words"

    def __call__(self, result: Result) -> dict[str, float]:
        """Read the means; what was recorded before it was measured has none."""
        score = result[self.who].get(self.metric)
        if score is None:
            return {}
        if self.at is None:
            return {} if score["value"] is None else {"value": 100 * score["value"]}
        points = {int(point["at"]): 100 * point["value"] for point in score["curve"] if point["value"] is not None}
        return {self._column(k): value for k, value in points.items() if self._wanted(k)}

    def texts(self, result: Result) -> dict[str, np.ndarray]:
        """Read the same for each text, where the record tells."""
        told = result[self.who].get(self.metric, {}).get("texts", {})
        if self.at is None:
            return {"value": _percent(told[""])} if "" in told else {}
        return {self._column(int(k)): _percent(values) for k, values in told.items() if k and self._wanted(int(k))}

    def _wanted(self, k: int) -> bool:
        return k == self.at if isinstance(self.at, int) else not self.at or k in self.at

    def _column(self, k: int) -> str:
        return "value" if isinstance(self.at, int) else str(k)


def _percent(values: Sequence[float | None]) -> np.ndarray:
    return 100 * np.array(values, dtype=np.float64)


def measured_row(name: str, variant: Variant, evaluation: Evaluation, reading: Reading, main: bool = True) -> Row:
    """Give a row that is read for each text, too."""
    return Row(name, variant, evaluation, reading, main, read_texts=reading.texts)


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
