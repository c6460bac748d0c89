"""How often it is right, on test and on dev, and how long training took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...analysis.vat_iterations import dev_accuracy_by_iteration
from ...data.dataset import Dataset
from ...grids.evaluation import Question
from ...grids.trial import Trial
from ...models.folder import TrainedModel


@dataclass(frozen=True)
class Accuracy(Question):
    """The numbers of the training run itself."""

    def ask(self, model: TrainedModel, dataset: Dataset, trial: Trial) -> dict[str, Any]:
        """Give the metrics of the model folder."""
        epochs = len(model.history)
        return {
            **model.metrics,
            "epochs": epochs,
            "epoch_seconds": model.metrics["seconds"] / max(1, epochs),
            "weights": sum(weight.numel() for weight in model.classifier.method.parameters()),
            "iterations": dev_accuracy_by_iteration(model.history) if model.config.method == "vat" else None,
        }


def accuracy_on_test(answer: Mapping[str, Any]) -> dict[str, float]:
    """Read test accuracy in percent; data without a test split have none."""
    return {"value": 100 * answer["test_accuracy"]} if "test_accuracy" in answer else {}


def accuracy_on_dev(answer: Mapping[str, Any]) -> dict[str, float]:
    """Read dev accuracy in percent."""
    return {"value": 100 * answer["dev_accuracy"]}


def epoch_seconds(answer: Mapping[str, Any]) -> dict[str, float]:
    """Read how long an epoch took."""
    return {"value": answer["epoch_seconds"]}
