"""Can it be imitated by a model that attends elsewhere? The JSD–TVD curve of trained adversaries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...analysis.adversarial_model import WEIGHTS, Patience, jsd_tvd_curve
from ...data.dataset import Dataset
from ...grids.evaluation import Question
from ...grids.trial import Trial
from ...models.folder import TrainedModel

GRID = (0.1, 0.2, 0.3, 0.4, 0.5)  # values of JSD at which curves are compared
MEAN = "mean"


@dataclass(frozen=True)
class AdversarialModels(Question):
    """One adversary per λ; each is kept beside the model, so that a run that is killed goes on."""

    weights: tuple[float, ...] = WEIGHTS
    epochs: int = 80  # of an adversary, at most
    stale: int = 10  # epochs without a lower training loss before it stops

    def ask(self, model: TrainedModel, dataset: Dataset, trial: Trial) -> dict[str, Any]:
        """Train the adversaries and compare them on the test texts."""
        folder = trial.models / f"{trial.name}.adversaries" / f"{self.epochs}-{self.stale}"
        patience = Patience(self.epochs, self.stale)
        curve = jsd_tvd_curve(model, dataset, self.weights, folder, patience, seed=1_000 + trial.seed)
        return {"curve": [point.to_dict() for point in curve]}


def floor(answer: Mapping[str, Any]) -> float | None:
    """TVD of the adversary only asked to imitate (λ = 0): what is hard to imitate, or was trained too little."""
    return next((point["tvd"] for point in answer["curve"] if point["weight"] == 0), None)


def above_floor(answer: Mapping[str, Any]) -> list[dict[str, float]]:
    """Give the curve with the TVD of imitation alone taken off; empty where λ = 0 was not tried."""
    ground = floor(answer)
    if ground is None:
        return []
    moved = ("tvd", "tvd_low", "tvd_high")
    return [{**point, **{name: point[name] - ground for name in moved}} for point in answer["curve"]]


def price(curve: list[dict[str, float]]) -> dict[str, float]:
    """Read the lowest TVD at which attention differs by JSD x or more, for each x of the grid, and the mean of these.

    Between adversaries the curve is straight. Beyond its last one nothing is known, and then there is no mean either.
    """
    if not curve:
        return {}
    jsd, tvd = np.array(sorted((point["jsd"], point["tvd"]) for point in curve)).T
    found = {f"{x:g}": float(min(np.interp(x, jsd, tvd), *tvd[jsd >= x])) for x in GRID if x <= jsd[-1]}
    return {**found, MEAN: float(np.mean(list(found.values())))} if len(found) == len(GRID) else found


def tvd_cost(answer: Mapping[str, Any]) -> dict[str, float]:
    """Read the price at each JSD, the TVD of imitation alone, and how far adversaries got in how many epochs."""
    curve, ground = answer["curve"], floor(answer)
    return {
        **price(curve),
        **({} if ground is None else {"λ = 0": ground}),
        "furthest JSD": max(point["jsd"] for point in curve),
        "epochs": float(np.mean([point["epochs"] for point in curve])),
    }


def price_above_floor(answer: Mapping[str, Any]) -> dict[str, float]:
    """Read the price at each JSD above the TVD of imitation alone."""
    return price(above_floor(answer))
