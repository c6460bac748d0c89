"""What does each iteration of VAT bring? Test accuracy, and how far apart the classes lie among the text vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...analysis.tsne import panel
from ...analysis.vat_iterations import train_by_iteration
from ...data.dataset import Dataset
from ...explaining.inputs import draw
from ...grids.evaluation import Question
from ...grids.trial import Trial
from ...models.config import make_config, overlay
from ...models.folder import TrainedModel
from ...models.train import measure

GAIN = "1 minus 0"  # the column of what the first iteration brings


@dataclass(frozen=True)
class VatIterations(Question):
    """Numbers and a picture for every iteration, 0 being plain attention."""

    iterations: int = 5
    sample: int = 500  # texts in the picture

    def ask(self, model: TrainedModel, dataset: Dataset, trial: Trial) -> dict[str, Any]:
        """Train once more with so many iterations, and look at the model that each of them ends with."""
        config = make_config(overlay(model.config.to_dict(), [f"method.iterations={self.iterations}"]))
        models = train_by_iteration(config, dataset)
        documents = draw(dataset.test or dataset.dev, self.sample, seed=0)
        tested = models if dataset.test else ()
        pictures = [panel(m, documents, f"iteration {i}", trial.seed) for i, m in enumerate(models)]
        return {
            "test_accuracy": [measure(m, dataset.test, "test")["test_accuracy"] for m in tested],
            "silhouette": [p.separation.silhouette if p.separation else None for p in pictures],
            "distance_ratio": [p.separation.distance_ratio if p.separation else None for p in pictures],
            "points": [[[round(float(x), 2), round(float(y), 2)] for x, y in p.points] for p in pictures],
            "labels": [str(label) for label in pictures[0].labels],
        }


def accuracies(answer: Any) -> dict[str, float]:
    """Read test accuracy in percent, a column for each iteration, and what the first one brings."""
    found = {str(i): 100 * accuracy for i, accuracy in enumerate(answer["test_accuracy"])}
    return {**found, GAIN: found["1"] - found["0"]} if found else {}


def silhouettes(answer: Any) -> dict[str, float]:
    """Read the silhouette of the classes, a column for each iteration."""
    return {str(i): value for i, value in enumerate(answer["silhouette"]) if value is not None}
