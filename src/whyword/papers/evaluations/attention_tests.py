"""Is its attention faithful? The tests that need no training, on test texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...analysis.attention_tests import run_attention_tests
from ...analysis.replaced_attention import Search
from ...data.dataset import Dataset
from ...explaining.inputs import draw
from ...grids.evaluation import Question
from ...grids.trial import Trial
from ...models.folder import TrainedModel


@dataclass(frozen=True)
class AttentionTestResults(Question):
    """Even, permuted and adversarial attention, and agreement with other explainers, on the same texts for all."""

    sample: int
    steps: int = Search.steps  # of the search for an adversary of each text

    def ask(self, model: TrainedModel, dataset: Dataset, trial: Trial) -> dict[str, Any]:
        """Give each test's mean with its interval."""
        documents = draw(dataset.test or dataset.dev, self.sample, seed=0)
        attention_tests = run_attention_tests(model.classifier, documents, trial.seed, Search(steps=self.steps))
        kept = ("value", "low", "high")
        return {
            "texts": len(documents),
            "tests": {name: {key: score[key] for key in kept} for name, score in attention_tests.to_dict().items()},
        }


def attention_test_values(answer: Mapping[str, Any]) -> dict[str, float]:
    """Read the mean of each test."""
    return {name: score["value"] for name, score in answer["tests"].items() if score["value"] is not None}
