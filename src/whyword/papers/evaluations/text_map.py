"""Where does it put texts? Test texts in the plane by t-SNE, and how far apart the classes lie in truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ...analysis.tsne import panel
from ...data.dataset import Dataset
from ...explaining.inputs import draw
from ...grids.evaluation import Question
from ...grids.trial import Trial
from ...maths.stats.separation import Separation
from ...models.folder import TrainedModel
from ...plots.text_vectors import Panel, text_vectors
from ..reproduction.paper import Answers

SILHOUETTE, RATIO = "silhouette", "between / within"


@dataclass(frozen=True)
class TextMap(Question):
    """A point for each text, the same texts for all models."""

    sample: int = 500

    def ask(self, model: TrainedModel, dataset: Dataset, trial: Trial) -> dict[str, Any]:
        """Give points, labels, and the separation of the vectors themselves, None where there is one class only."""
        found = panel(model.classifier, draw(dataset.test or dataset.dev, self.sample, seed=0), "", trial.seed)
        apart = found.separation
        return {
            "points": [[round(float(x), 2), round(float(y), 2)] for x, y in found.points],
            "labels": [str(label) for label in found.labels],
            "silhouette": None if apart is None else apart.silhouette,
            "distance_ratio": None if apart is None else apart.distance_ratio,
        }


def separations(answer: Mapping[str, Any]) -> dict[str, float]:
    """Read the silhouette of the classes, and distances between classes over distances within."""
    if answer["silhouette"] is None:
        return {}
    return {SILHOUETTE: answer["silhouette"], RATIO: answer["distance_ratio"]}


def maps_by_dataset(answers: Answers) -> dict[str, Figure]:
    """Draw the first seed of each row, a picture for each data set."""
    figures = {}
    for dataset in dict.fromkeys(dataset for dataset, _ in answers):
        panels = [as_panel(row, **found[0]) for (name, row), found in answers.items() if name == dataset]
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
