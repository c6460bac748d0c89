"""How often it is right, on test and on dev, and how long training took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...analysis.vat_iterations import dev_accuracy_by_iteration
from ...data.dataset import Dataset
from ...grids.variant import Evaluation, Result, TrainedVariant
from ...models.folder import TrainedModel


@dataclass(frozen=True)
class Accuracy(Evaluation):
    """The numbers of the training run itself."""

    name: ClassVar[str] = "accuracy"

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Give the metrics of the model folder."""
        epochs = len(model.history)
        return {
            **model.metrics,
            "epochs": epochs,
            "epoch_seconds": model.metrics["seconds"] / max(1, epochs),
            "weights": sum(weight.numel() for weight in model.classifier.method.parameters()),
            "iterations": dev_accuracy_by_iteration(model.history) if model.config.method == "vat" else None,
        }


def accuracy_on_test(result: Result) -> dict[str, float]:
    """Read test accuracy in percent; data without a test split have none."""
    return {"value": 100 * result["test_accuracy"]} if "test_accuracy" in result else {}


def accuracy_on_dev(result: Result) -> dict[str, float]:
    """Read dev accuracy in percent."""
    return {"value": 100 * result["dev_accuracy"]}


def epoch_seconds(result: Result) -> dict[str, float]:
    """Read how long an epoch took."""
    return {"value": result["epoch_seconds"]}
