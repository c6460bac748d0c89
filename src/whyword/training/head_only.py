"""A last layer for an encoder that stays as it is: vectors are computed once, and logistic regression solves it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import nn

from ..blocks.label_regression import solve_label
from ..blocks.ordered import CutPoints
from ..blocks.ordered_regression import OrderedFit, solve_ordered
from ..data.padding import by_token_budget
from ..inference.fitted import BATCH_TOKENS
from ..interfaces.errors import OptionError
from ..interfaces.method import LabelledTexts, Method, Phase
from ..maths.stats.classes import Selection, judge, log_probabilities
from ..maths.stats.labels import judge_labels
from ..maths.tensors.ordered import class_logits

PENALTIES = (0.01, 0.1, 1.0, 10.0)  # scikit-learn's C, strongest penalty first; dev chooses
MOST_ITERATIONS = 1_000
HEAD = "head"  # the name of the phase


def head_phase(method: Method) -> Phase:
    """Plan to learn nothing but the last layer of a classifier that pools states."""
    linear = getattr(getattr(method, "head", None), "linear", None)
    if not isinstance(linear, nn.Linear) or method.own_score is not None:
        raise OptionError("training.head_only is for the method base: name that one, or leave it out.")

    def solve(train: LabelledTexts, dev: LabelledTexts, by: Selection) -> Iterator[tuple[int, int]]:
        batches = [(texts, chosen) for texts in (train, dev) for chosen in by_token_budget(texts.lengths, BATCH_TOKENS)]
        vectors = [np.zeros((len(texts.lengths), linear.in_features), dtype=np.float32) for texts in (train, dev)]
        method.eval()
        for number, (texts, chosen) in enumerate(batches, 1):
            with torch.inference_mode():
                pooled = method(texts.batch(chosen).to(linear.weight.device)).pooled
            vectors[0 if texts is train else 1][chosen] = pooled.float().cpu().numpy()
            yield number, len(batches) + 1
        method.train()
        if method.ordered:
            _fit_ordered(linear, method.head.cuts, vectors, train, dev, by)  # type: ignore[union-attr, arg-type]
        else:
            _fit(linear, vectors, train, dev, by)
        yield len(batches) + 1, len(batches) + 1

    return Phase(HEAD, 1, [], solve=solve)


def _fit(linear: nn.Linear, vectors: list[np.ndarray], train: LabelledTexts, dev: LabelledTexts, by: Selection) -> None:
    """Take the weights of the penalty that is best on dev; features are scaled for the fit, and back afterwards."""
    from sklearn.linear_model import LogisticRegression

    mean, scaled, scale = _scaled(vectors)
    if train.labels.ndim == 2:
        raw_weights, raw_bias = _fit_labels(scaled, train, dev, by)
        linear.weight.data = torch.from_numpy(raw_weights / scale).to(linear.weight)
        linear.bias.data = torch.from_numpy(raw_bias - (raw_weights / scale) @ mean).to(linear.bias)
        return
    fit = LogisticRegression(max_iter=MOST_ITERATIONS, warm_start=True)
    best: tuple[float, float] | None = None
    for penalty in PENALTIES:
        fit.set_params(C=penalty).fit(scaled[0], train.labels, sample_weight=train.weights)
        score = judge(log_probabilities(fit.predict_proba(scaled[1])), dev.labels, by)
        if best is None or score > best:
            best = score
            weights, bias = fit.coef_ / scale, fit.intercept_ - (fit.coef_ / scale) @ mean
            if len(weights) == 1:  # of two classes: each has half of the log-odds
                weights, bias = np.concatenate([-weights, weights]) / 2, np.concatenate([-bias, bias]) / 2
            linear.weight.data = torch.from_numpy(weights).to(linear.weight)
            linear.bias.data = torch.from_numpy(bias).to(linear.bias)


def _scaled(vectors: list[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """Give features of mean 0 and deviation 1 in training, with what they were before."""
    mean, scale = vectors[0].mean(0), np.maximum(vectors[0].std(0), 1e-6)
    return mean, [(features - mean) / scale for features in vectors], scale


def _fit_ordered(
    linear: nn.Linear,
    cuts: CutPoints,
    vectors: list[np.ndarray],
    train: LabelledTexts,
    dev: LabelledTexts,
    by: Selection,
) -> None:
    """Take the weights and cut points of the penalty that is best on dev."""
    mean, scaled, scale = _scaled(vectors)
    best: tuple[float, float] | None = None
    fit: OrderedFit | None = None
    for penalty in PENALTIES:
        fit = solve_ordered(scaled[0], train.labels, len(cuts.steps) + 2, penalty, train.weights, fit)
        score = judge(class_logits(torch.from_numpy(fit.odds(scaled[1]))).numpy(), dev.labels, by)
        if best is None or score > best:
            best = score
            weights = fit.weights / scale
            linear.weight.data = torch.from_numpy(weights[None]).to(linear.weight)
            cuts.place(torch.from_numpy(fit.cuts + weights @ mean))


def _fit_labels(
    scaled: list[np.ndarray], train: LabelledTexts, dev: LabelledTexts, by: Selection
) -> tuple[np.ndarray, np.ndarray]:
    """Solve a regression for each label of several a text: (label, feature) weights and (label,) intercepts."""
    solved = []
    for penalty in PENALTIES:
        found = [solve_label(scaled[0], train, label, penalty) for label in range(train.labels.shape[1])]
        weights, bias = np.stack([weights for weights, _ in found]), np.array([bias for _, bias in found])
        solved.append((judge_labels(scaled[1] @ weights.T + bias, dev.labels, by), weights, bias))
    _, weights, bias = max(solved, key=lambda one: one[0])
    return weights, bias
