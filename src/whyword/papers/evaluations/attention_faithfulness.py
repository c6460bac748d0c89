"""Is attention faithful? Tests on test texts, trained adversaries, and what states still know of their words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...analysis.adversarial_model import WEIGHTS, Patience, jsd_tvd_curve
from ...analysis.attention_tests import run_attention_tests
from ...analysis.probing import word_information
from ...analysis.replaced_attention import Search
from ...data.dataset import Dataset
from ...explaining.inputs import draw
from ...grids.variant import Evaluation, Result, Settings, TrainedVariant, Variant, evaluation_identity
from ...models.config import make_config
from ...models.folder import TrainedModel


@dataclass(frozen=True)
class AttentionTests(Evaluation):
    """Even, permuted and adversarial attention, and agreement with other explainers, on the same texts for all."""

    name: ClassVar[str] = "attention-tests"

    sample: int
    steps: int = Search.steps  # of the search for an adversary of each text

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Give each test's mean with its interval."""
        documents = draw(dataset.test or dataset.dev, self.sample, seed=0)
        attention_tests = run_attention_tests(model.classifier, documents, trained.seed, Search(steps=self.steps))
        shown = ("value", "low", "high")
        return {
            "texts": len(documents),
            "tests": {name: {key: score[key] for key in shown} for name, score in attention_tests.to_dict().items()},
        }


def attention_test_values(result: Result) -> dict[str, float]:
    """Read the mean of each test."""
    return {name: score["value"] for name, score in result["tests"].items() if score["value"] is not None}


GRID = (0.1, 0.2, 0.3, 0.4, 0.5)  # values of JSD at which curves are compared
MEAN = "mean"


@dataclass(frozen=True)
class AdversarialModels(Evaluation):
    """One adversary per λ; each is kept beside the model, so that a run that is killed resumes."""

    name: ClassVar[str] = "adversarial-models"

    weights: tuple[float, ...] = WEIGHTS
    epochs: int = 80  # of an adversary, at most
    stale: int = 10  # epochs without a lower training loss before it stops

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Train the adversaries and compare them on the test texts."""
        assert trained.models is not None
        folder = trained.models / f"{trained.name}.adversaries" / f"{self.epochs}-{self.stale}"
        patience = Patience(self.epochs, self.stale)
        curve = jsd_tvd_curve(model, dataset, self.weights, folder, patience, seed=1_000 + trained.seed)
        return {"curve": [point.to_dict() for point in curve]}


def floor(result: Result) -> float | None:
    """TVD of the adversary only asked to imitate (λ = 0): what is hard to imitate, or was trained too little."""
    return next((point["tvd"] for point in result["curve"] if point["weight"] == 0), None)


def above_floor(result: Result) -> list[dict[str, float]]:
    """Give the curve with the TVD of imitation alone taken off; empty where λ = 0 was not tried."""
    ground = floor(result)
    if ground is None:
        return []
    moved = ("tvd", "tvd_low", "tvd_high")
    return [{**point, **{name: point[name] - ground for name in moved}} for point in result["curve"]]


def price(curve: list[dict[str, float]]) -> dict[str, float]:
    """Read the lowest TVD at which attention differs by JSD x or more, for each x of the grid, and the mean of these.

    Between adversaries the curve is straight. Beyond its last one nothing is known, and then there is no mean either.
    """
    if not curve:
        return {}
    jsd, tvd = np.array(sorted((point["jsd"], point["tvd"]) for point in curve)).T
    costs = {f"{x:g}": float(min(np.interp(x, jsd, tvd), *tvd[jsd >= x])) for x in GRID if x <= jsd[-1]}
    return {**costs, MEAN: float(np.mean(list(costs.values())))} if len(costs) == len(GRID) else costs


def tvd_cost(result: Result) -> dict[str, float]:
    """Read the price at each JSD, the TVD of imitation alone, and how far adversaries got in how many epochs."""
    curve, ground = result["curve"], floor(result)
    return {
        **price(curve),
        **({} if ground is None else {"λ = 0": ground}),
        "furthest JSD": max(point["jsd"] for point in curve),
        "epochs": float(np.mean([point["epochs"] for point in curve])),
    }


def price_above_floor(result: Result) -> dict[str, float]:
    """Read the price at each JSD above the TVD of imitation alone."""
    return price(above_floor(result))


@dataclass(frozen=True)
class Probing(Evaluation):
    """Estimated on test texts, the same texts for all models."""

    name: ClassVar[str] = "probing"
    revision: ClassVar[int] = 2

    texts: int = 2_000  # at most

    def earlier(self, variant: Variant) -> tuple[Settings, ...]:
        """Take the first revision, but for models that attend to word vectors too: it measured both together."""
        if make_config(variant.settings).to_dict()["method"].get("concat"):
            return ()
        return ({**evaluation_identity(self), "revision": 1},)

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Cluster the states of frequent words and count."""
        documents = draw(dataset.test or dataset.dev, self.texts, seed=0)
        return {
            "test_accuracy": model.metrics["test_accuracy"],
            "conicity": model.metrics.get("health", {}).get("conicity"),
            "information": word_information(model.classifier, documents).to_dict(),
        }


def knowledge(result: Result) -> dict[str, float]:
    """Read accuracy in percent, information in nats and as a share above chance, the probe in percent, conicity."""
    information = result["information"]
    columns = {
        "accuracy": 100 * result["test_accuracy"],
        "MI (nats)": information["information"],
        "MI share": information["share"],
        "probe": 100 * information["probe_accuracy"],
    }
    return columns if result["conicity"] is None else {**columns, "conicity": result["conicity"]}
