"""Where does a model put texts? Test texts in the plane by t-SNE, of one model or of each iteration of VAT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from matplotlib.figure import Figure

from ...analysis.tsne import panel
from ...analysis.vat_iterations import train_by_iteration
from ...data.dataset import Dataset
from ...explaining.inputs import draw
from ...grids.variant import Evaluation, Result, Settings, TrainedVariant, Variant, evaluation_identity
from ...maths.stats.separation import Separation
from ...models.config import make_config, overlay
from ...models.folder import TrainedModel
from ...models.train import measure
from ...plots.text_vectors import Panel, text_vectors
from ..reproduction.accuracy import packed, right_answers, unpacked
from ..reproduction.paper import Results

SILHOUETTE, RATIO = "silhouette", "between / within"


@dataclass(frozen=True)
class TextMap(Evaluation):
    """A point for each text, the same texts for all models."""

    name: ClassVar[str] = "text-map"

    sample: int = 500

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Give points, labels, and the separation of the vectors themselves, None where there is one class only."""
        points = panel(model.classifier, draw(dataset.test or dataset.dev, self.sample, seed=0), "", trained.seed)
        apart = points.separation
        return {
            "points": [[round(float(x), 2), round(float(y), 2)] for x, y in points.points],
            "labels": [str(label) for label in points.labels],
            "silhouette": None if apart is None else apart.silhouette,
            "distance_ratio": None if apart is None else apart.distance_ratio,
        }


def separations(result: Result) -> dict[str, float]:
    """Read the silhouette of the classes, and distances between classes over distances within."""
    if result["silhouette"] is None:
        return {}
    return {SILHOUETTE: result["silhouette"], RATIO: result["distance_ratio"]}


def draw_maps(results: Results) -> dict[str, Figure]:
    """Draw the first seed of each row, a picture for each data set."""
    figures = {}
    for dataset in dict.fromkeys(dataset for dataset, _ in results):
        panels = [as_panel(row, **by_seed[0]) for (name, row), by_seed in results.items() if name == dataset]
        figures[dataset] = text_vectors(panels)
    return figures


def as_panel(
    title: str,
    points: Sequence[Sequence[float]],
    labels: Sequence[str],
    silhouette: float | None,
    distance_ratio: float | None,
) -> Panel:
    """Give back what a picture shows."""
    apart = None if silhouette is None or distance_ratio is None else Separation(silhouette, distance_ratio)
    return Panel(title, np.array(points).reshape(-1, 2), labels, apart)


GAIN = "1 minus 0"  # the column of what the first iteration brings


@dataclass(frozen=True)
class VatIterations(Evaluation):
    """Numbers and a picture for every iteration, 0 being plain attention."""

    name: ClassVar[str] = "vat-iterations"
    revision: ClassVar[int] = 2

    iterations: int = 5
    sample: int = 500  # texts in the picture

    def earlier(self, variant: Variant) -> tuple[Settings, ...]:
        """Take the first revision, which told of no single text."""
        return ({**evaluation_identity(self), "revision": 1},)

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Train once more with this number of iterations, and look at the model that each of them ends with."""
        config = make_config(overlay(model.config.to_dict(), [f"method.iterations={self.iterations}"]))
        models = train_by_iteration(config, dataset)
        documents = draw(dataset.test or dataset.dev, self.sample, seed=0)
        tested = models if dataset.test else ()
        pictures = [panel(m, documents, f"iteration {i}", trained.seed) for i, m in enumerate(models)]
        points = [[[round(float(x), 2), round(float(y), 2)] for x, y in p.points] for p in pictures]
        return {
            "test_accuracy": [measure(m, dataset.test, "test")["test_accuracy"] for m in tested],
            "test_texts": len(dataset.test),
            "right": [packed(right_answers(m, dataset.test)) for m in tested],
            "silhouette": [p.separation.silhouette if p.separation else None for p in pictures],
            "distance_ratio": [p.separation.distance_ratio if p.separation else None for p in pictures],
            "points": points if trained.seed == 0 else None,  # which alone is drawn
            "labels": [str(label) for label in pictures[0].labels],
        }


def accuracies(result: Result) -> dict[str, float]:
    """Read test accuracy in percent, a column for each iteration, and what the first one brings."""
    columns = {str(i): 100 * accuracy for i, accuracy in enumerate(result["test_accuracy"])}
    return {**columns, GAIN: columns["1"] - columns["0"]} if columns else {}


def gains(result: Result) -> dict[str, np.ndarray]:
    """Read for each test text what the first iteration brings, times 100; older records do not tell."""
    if not result.get("right"):
        return {}
    before, after = (unpacked(bits, result["test_texts"]) for bits in result["right"][:2])
    return {GAIN: 100.0 * (after - before)}


def silhouettes(result: Result) -> dict[str, float]:
    """Read the silhouette of the classes, a column for each iteration."""
    return {str(i): value for i, value in enumerate(result["silhouette"]) if value is not None}
