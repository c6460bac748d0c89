"""Do the words it attends to carry the sentiment that people marked? Word-level detection, by class and by k."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ... import catalog
from ...data.dataset import Dataset, load_dataset
from ...explaining.measure import RANDOM, measure_explanations
from ...explaining.stream import explain_documents, make_explainer
from ...grids.evaluation import Question
from ...grids.trial import Trial
from ...interfaces.errors import DataError
from ...models.folder import TrainedModel

METRICS = ("rationale-precision", "rationale-recall", "rationale-f1")


@dataclass(frozen=True)
class TokenDetection(Question):
    """Precision, recall and F1 of the top k words against marked words, averaged per text (METHODS: VAT, table 5)."""

    marked: Mapping[str, str]  # by data set, the one whose texts have marked words; else its own
    classes: tuple[str, ...]
    k: tuple[int, ...]
    explainer: str = "own"

    def ask(self, model: TrainedModel, dataset: Dataset, trial: Trial) -> dict[str, Any]:
        """Explain the gold class of every marked text of each class."""
        name = self.marked.get(trial.source.name)
        marked = dataset.test if name is None else load_dataset(name, data_dir=trial.data_dir).test
        found: dict[str, Any] = {}
        for label in self.classes:
            documents = [d for d in marked if d.label == label and d.rationale_words and any(d.rationale_words)]
            if not documents:
                raise DataError(f"{name or dataset.name} has no text of class '{label}' with marked words.")
            explainer = make_explainer(self.explainer, model.classifier, trial.seed)
            explanations = {self.explainer: list(explain_documents(model.classifier, documents, explainer))}
            for k in self.k:
                metrics = [catalog.load("metrics", name)(k=k) for name in METRICS]
                scores = measure_explanations(model.classifier, explanations, metrics, seed=trial.seed)
                for who, name in (("words", self.explainer), ("random", RANDOM)):
                    values = {metric.rpartition("-")[2]: 100 * scores[metric, name].value for metric in METRICS}
                    found.setdefault(who, {})[f"{label}@{k}"] = values
            found.setdefault("texts", {})[label] = len(documents)
        return found


def detection(who: str) -> Callable[[Mapping[str, Any]], dict[str, float]]:
    """Make the function that reads precision, recall and F1 for each class and k."""

    def read(answer: Mapping[str, Any]) -> dict[str, float]:
        return {f"{group} {name}": value for group, values in answer[who].items() for name, value in values.items()}

    return read
