"""Accuracy of the models themselves: on dev and test, epoch by epoch, beside the floors of majority and TF-IDF."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...analysis.vat_iterations import dev_accuracy_by_iteration
from ...data.dataset import Dataset
from ...grids.variant import Evaluation, Result, Settings, TrainedVariant, Variant
from ...inference.fitted import FittedClassifier
from ...interfaces.classifier import predicted_classes
from ...interfaces.document import Document, Label
from ...maths.stats.correlation import matthews
from ...models.folder import TrainedModel
from .paper import Row

LAST = "best is last (%)"


@dataclass(frozen=True)
class Accuracy(Evaluation):
    """The numbers of the training run itself, its curve, and which test texts were answered right."""

    name: ClassVar[str] = "accuracy"
    revision: ClassVar[int] = 2

    def earlier(self, variant: Variant) -> tuple[Settings, ...]:
        """Take the first revision, which told of no curve, and mostly of no single text."""
        return ({"name": self.name, "revision": 1},)

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Give the metrics of the model folder."""
        epochs = len(model.history)
        return {
            **model.metrics,
            "epochs": epochs,
            "epoch_seconds": model.metrics["seconds"] / max(1, epochs),
            "weights": sum(weight.numel() for weight in model.classifier.method.parameters()),
            "iterations": dev_accuracy_by_iteration(model.history) if model.config.method == "vat" else None,
            "curve": [[record["phase"], record["epoch"], record["dev_accuracy"]] for record in model.history],
            "search": trained.searched(dataset),
            **_on_test(model, dataset),
        }


def _on_test(model: TrainedModel, dataset: Dataset) -> Result:
    """Give which texts were answered right, the share of the class most frequent in training, and Matthews' phi."""
    if not dataset.test:
        return {"right": "", "majority": None, "matthews": None}
    said, gold = answers(model.classifier, dataset.test), [document.label for document in dataset.test]
    most_frequent, _ = Counter(document.label for document in dataset.train).most_common(1)[0]
    return {
        "right": packed(np.array([mine == label for mine, label in zip(said, gold, strict=True)])),
        "majority": gold.count(most_frequent) / len(gold),
        "matthews": matthews(said, gold),
    }


def answers(classifier: FittedClassifier, documents: Sequence[Document]) -> list[Label]:
    """Give the class that is predicted of each text."""
    predicted = predicted_classes(classifier, classifier.probabilities([document.words for document in documents]))
    return [classifier.classes[i] for i in predicted]


def right_answers(classifier: FittedClassifier, documents: Sequence[Document]) -> np.ndarray:
    """Give (text,) bool."""
    said = answers(classifier, documents)
    return np.array([mine == document.label for mine, document in zip(said, documents, strict=True)])


def packed(right: np.ndarray) -> str:
    """Write (text,) bool as hexadecimal digits, a bit each."""
    return np.packbits(right).tobytes().hex()


def unpacked(bits: str, texts: int) -> np.ndarray:
    """Read what packed wrote, (text,) of 0 and 1."""
    return np.unpackbits(np.frombuffer(bytes.fromhex(bits), dtype=np.uint8), count=texts).astype(np.float64)


def accuracy_on_test(result: Result) -> dict[str, float]:
    """Read test accuracy in percent; data without a test split have none."""
    return {"value": 100 * result["test_accuracy"]} if "test_accuracy" in result else {}


def right_on_test(result: Result) -> dict[str, np.ndarray]:
    """Read which test texts were answered right, times 100; older records do not tell."""
    if "test_accuracy" not in result or not result.get("right"):
        return {}
    return {"value": 100.0 * unpacked(result["right"], result["test_texts"])}


def matthews_on_test(result: Result) -> dict[str, float]:
    """Read Matthews' correlation of answers and labels, times 100, as CoLA is judged; older records do not tell."""
    return {} if result.get("matthews") is None else {"value": 100 * result["matthews"]}


def majority_on_test(result: Result) -> dict[str, float]:
    """Read the accuracy of always answering with the most frequent class, in percent."""
    return {} if result.get("majority") is None else {"value": 100 * result["majority"]}


def ends_at_best(result: Result) -> dict[str, float]:
    """Read how many epochs the phase of the chosen weights had, which was best, and in percent whether the last was.

    Where the last one is best, dev was still rising: the run has not converged. Older records do not tell.
    """
    epochs = [epoch for phase, epoch, _ in result.get("curve", ()) if phase == result.get("phase")]
    if not epochs or "epoch" not in result:
        return {}
    return {"epochs": max(epochs), "best": result["epoch"], LAST: 100.0 * (result["epoch"] >= max(epochs))}


FLOOR = "TF-IDF"
LINEAR = Variant(FLOOR, {"encoder": {"name": "tfidf"}})


def accuracy_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Give rows of test accuracy below those of the majority and of TF-IDF with logistic regression."""
    floors = (
        Row("majority", LINEAR, Accuracy(), majority_on_test, seeds=1),
        Row(FLOOR, LINEAR, Accuracy(), accuracy_on_test, seeds=1),
    )
    return (*floors, *rows)


def accuracy_row(variant: Variant, main: bool = True, seeds: int | None = None) -> Row:
    """Give the row of a variant's test accuracy."""
    return Row(variant.name, variant, Accuracy(), accuracy_on_test, main, seeds, right_on_test)


def accuracy_on_dev(result: Result) -> dict[str, float]:
    """Read dev accuracy in percent."""
    return {"value": 100 * result["dev_accuracy"]}


def epoch_seconds(result: Result) -> dict[str, float]:
    """Read how long an epoch took."""
    return {"value": result["epoch_seconds"]}
