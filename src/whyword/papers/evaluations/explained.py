"""How good are explanations, by one explainer, with random words beside them? Judged by the model or by another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ... import catalog
from ...data.dataset import Dataset
from ...explaining.inputs import draw
from ...explaining.measure import RANDOM, measure_explanations
from ...explaining.stream import explain_documents, make_explainer
from ...grids.evaluation import Question
from ...grids.trial import Run, Trial
from ...interfaces.metric import Score
from ...interfaces.settings import build
from ...models.folder import TrainedModel


@dataclass(frozen=True)
class Explained(Question):
    """Metrics of an explainer on test texts, the same texts for all models."""

    explainer: str
    metrics: Mapping[str, Mapping[str, Any]]  # settings by name
    sample: int
    explainer_settings: Mapping[str, Any] = field(default_factory=dict)
    judge: Run | None = None  # a run on the same data with the same seed

    def ask(self, model: TrainedModel, dataset: Dataset, trial: Trial) -> dict[str, Any]:
        """Explain the predicted classes and measure."""
        documents = draw(dataset.test or dataset.dev, self.sample, seed=0)
        explainer = make_explainer(self.explainer, model.classifier, trial.seed, self.explainer_settings)
        explanations = list(explain_documents(model.classifier, documents, explainer))
        judge = None if self.judge is None else trial.other(self.judge).model(dataset).classifier
        metrics = [
            build(catalog.load("metrics", name), values, f"metric {name}") for name, values in self.metrics.items()
        ]
        scores = measure_explanations(
            model.classifier, {self.explainer: explanations}, metrics, judge=judge, seed=trial.seed
        )
        return {
            "texts": len(documents),
            "passes": sum(explanation.forward_passes for explanation in explanations) / len(documents),
            **{
                who: {metric.name: _kept(scores[metric.name, explainer_name]) for metric in metrics}
                for who, explainer_name in (("words", self.explainer), ("random", RANDOM))
            },
        }


def _kept(score: Score) -> dict[str, Any]:
    return {name: value for name, value in score.to_dict().items() if name in ("value", "low", "high", "curve")}


def metric_at(metric: str, k: int, who: str = "words") -> Callable[[Any], dict[str, float]]:
    """Make the function that reads a metric's value at k words, times 100."""

    def read(answer: Any) -> dict[str, float]:
        points = _points(answer, metric, who)
        return {"value": points[k]} if k in points else {}

    return read


def metric_curve(
    metric: str, who: str = "words", at: tuple[int, ...] | None = None
) -> Callable[[Any], dict[str, float]]:
    """Make the function that reads a metric's curve times 100, a column for each k, or for some of them."""
    return lambda answer: {str(k): value for k, value in _points(answer, metric, who).items() if at is None or k in at}


def _points(answer: Any, metric: str, who: str) -> dict[int, float]:
    curve = answer[who][metric]["curve"]
    return {int(point["at"]): 100 * point["value"] for point in curve if point["value"] is not None}
