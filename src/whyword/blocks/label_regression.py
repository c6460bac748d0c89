"""Logistic regression of one label where a text may have several: one against the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..interfaces.method import LabelledTexts

MOST_ITERATIONS = 1_000


def solve_label(features: Any, train: LabelledTexts, label: int, penalty: float) -> tuple[np.ndarray, float]:
    """Give the (feature,) weights and the intercept; a label that all texts have, or none, has an intercept only."""
    from sklearn.linear_model import LogisticRegression

    has = train.labels[:, label]
    if has.all() or not has.any():
        share = (has.sum() + 0.5) / (len(has) + 1)
        return np.zeros(features.shape[1]), float(np.log(share / (1 - share)))
    weights = train.weights
    weights = weights if weights is None or weights.ndim == 1 else weights[:, label]
    fit = LogisticRegression(max_iter=MOST_ITERATIONS, C=penalty).fit(features, has, sample_weight=weights)
    return fit.coef_[0], float(fit.intercept_[0])
