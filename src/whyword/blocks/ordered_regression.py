"""Ordinal logistic regression: p(y > k) = σ(w·x - θ_k) with a penalty on w, solved at once on a table of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

MOST_ITERATIONS = 1_000
TOLERANCE = 1e-5  # of the gradient of the mean loss
LEAST_SHARE = 1e-4  # of a class, where the cut points start from


@dataclass(frozen=True)
class OrderedFit:
    """A solution."""

    weights: np.ndarray  # (feature,)
    cuts: np.ndarray  # (class - 1,) θ, rising

    def odds(self, features: Any) -> np.ndarray:
        """Give the (text, class - 1) log-odds of p(y > k)."""
        odds: np.ndarray = (features @ self.weights)[:, None] - self.cuts
        return odds


def solve_ordered(
    features: Any,
    labels: np.ndarray,
    classes: int,
    penalty: float,
    sample_weight: np.ndarray | None = None,
    start: OrderedFit | None = None,
) -> OrderedFit:
    """Find the most probable weights and cut points; the penalty is scikit-learn's C, its inverse."""
    from scipy.optimize import minimize

    counts = np.ones(len(labels)) if sample_weight is None else sample_weight
    if start is None:
        shares = np.maximum(np.bincount(labels, counts, classes) / counts.sum(), LEAST_SHARE)
        below = shares.cumsum()[:-1] / shares.sum()
        start = OrderedFit(np.zeros(features.shape[1]), np.log(below / (1 - below)))
    begin = np.concatenate([start.weights, start.cuts[:1], np.log(np.diff(start.cuts))])
    found = minimize(
        loss_and_gradient,
        begin,
        args=(features, labels, classes, penalty, counts),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MOST_ITERATIONS, "gtol": TOLERANCE, "ftol": 1e-10},
    )
    return OrderedFit(*_split(found.x, classes))


def loss_and_gradient(
    packed: np.ndarray, features: Any, labels: np.ndarray, classes: int, penalty: float, counts: np.ndarray
) -> tuple[float, np.ndarray]:
    """Give the mean loss of weights, first cut point and logarithms of the distances to the others; and its gradient.

    -log p(y) = log(1 + exp(θ_y-1 - f)) + log(1 + exp(f - θ_y)) - log(1 - exp(θ_y-1 - θ_y)).
    """
    weights, cuts = _split(packed, classes)
    scores = features @ weights
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])
    above, below = scores - edges[labels], scores - edges[labels + 1]
    apart = edges[labels + 1] - edges[labels]
    total = counts.sum()
    losses = np.logaddexp(0, -above) + np.logaddexp(0, below) - np.log(-np.expm1(-apart))
    pull, push = counts * expit(-above) / total, counts * expit(below) / total  # up across a cut, and down
    squeeze = counts * np.exp(-apart) / -np.expm1(-apart) / total
    of_edges = np.bincount(labels, pull + squeeze, classes + 1) - np.bincount(labels + 1, push + squeeze, classes + 1)
    of_cuts = of_edges[1:-1]
    behind = of_cuts[::-1].cumsum()[::-1]  # what moves with each cut point
    strength = 1 / (penalty * total)
    gradient = np.concatenate([features.T @ (push - pull) + strength * weights, behind[:1], np.diff(cuts) * behind[1:]])
    return float(counts @ losses / total + strength / 2 * weights @ weights), gradient


def _split(packed: np.ndarray, classes: int) -> tuple[np.ndarray, np.ndarray]:
    weights, first, steps = np.split(packed, [len(packed) - classes + 1, len(packed) - classes + 2])
    return weights, first + np.concatenate([[0.0], np.exp(steps).cumsum()])
