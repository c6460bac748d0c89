"""Do its states still know their words? Accuracy, mutual information of words and states, a probe, and conicity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...analysis.probing import word_information
from ...data.dataset import Dataset
from ...explaining.inputs import draw
from ...grids.evaluation import Question
from ...grids.trial import Trial
from ...models.folder import TrainedModel


@dataclass(frozen=True)
class Probing(Question):
    """Estimated on test texts, the same texts for all models."""

    texts: int = 2_000  # at most

    def ask(self, model: TrainedModel, dataset: Dataset, trial: Trial) -> dict[str, Any]:
        """Cluster the states of frequent words and count."""
        documents = draw(dataset.test or dataset.dev, self.texts, seed=0)
        return {
            "test_accuracy": model.metrics["test_accuracy"],
            "conicity": model.metrics.get("health", {}).get("conicity"),
            "information": word_information(model.classifier, documents).to_dict(),
        }


def knowledge(answer: Mapping[str, Any]) -> dict[str, float]:
    """Read accuracy in percent, information in nats and as a share above chance, the probe in percent, conicity."""
    information = answer["information"]
    found = {
        "accuracy": 100 * answer["test_accuracy"],
        "MI (nats)": information["information"],
        "MI share": information["share"],
        "probe": 100 * information["probe_accuracy"],
    }
    return found if answer["conicity"] is None else {**found, "conicity": answer["conicity"]}
