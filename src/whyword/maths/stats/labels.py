"""Right and wrong where a text may have several labels: micro- and macro-F1, subset accuracy, thresholds, temperatures.

Each label is a task of its own: tables are (text, label).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .calibration import fit_scale
from .classes import Selection
from .intervals import RESAMPLES, Estimate, share_interval

FEWEST = 10  # texts with a label, and without it, below which a threshold or temperature would follow chance
MOST_RESAMPLED = 20_000_000  # numbers of a bootstrap that are held at a time


def f1(hits: np.ndarray, chosen: np.ndarray, present: np.ndarray) -> np.ndarray:
    """F1 of counts: 2 hits / (chosen + present); 0 where nothing is present or chosen, as scikit-learn has it."""
    total = chosen + present
    value: np.ndarray = np.divide(2.0 * hits, total, out=np.zeros(np.shape(total)), where=total > 0)
    return value


def micro_f1(predicted: np.ndarray, labels: np.ndarray) -> float:
    """F1 of all decisions together."""
    return float(f1((predicted & labels).sum(), predicted.sum(), labels.sum()))


def macro_f1_of_labels(predicted: np.ndarray, labels: np.ndarray) -> float:
    """Mean over the labels that texts have, or were given, of their F1."""
    hits, chosen, present = (table.sum(0) for table in (predicted & labels, predicted, labels))
    known = chosen + present > 0
    return float(f1(hits, chosen, present)[known].mean()) if known.any() else 0.0


def subset_accuracy(predicted: np.ndarray, labels: np.ndarray) -> float:
    """Share of the texts all of whose labels are right."""
    return float((predicted == labels).all(1).mean()) if len(labels) else 0.0


def log_loss_of_labels(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(text, label) binary cross-entropy: log(1 + exp(−s)) of a label that is there, log(1 + exp(s)) of one not."""
    loss: np.ndarray = np.logaddexp(0.0, np.where(labels, -logits, logits))
    return loss


def judge_labels(logits: np.ndarray, labels: np.ndarray, by: Selection) -> tuple[float, float]:
    """Judge logits by a metric at one half, and by minus the mean loss.

    Accuracy is subset accuracy. Both are the balanced loss where that decides: the mean over labels of the mean loss of
    the texts that have it and of those that have not.
    """
    loss = log_loss_of_labels(logits, labels)
    if by == "balanced-loss":
        halves = [
            loss[side, number].mean() for number, has in enumerate(labels.T) for side in (has, ~has) if side.any()
        ]
        return -float(np.mean(halves)), -float(np.mean(halves))
    predicted = logits >= 0
    score = macro_f1_of_labels(predicted, labels) if by == "macro-f1" else subset_accuracy(predicted, labels)
    return score, -float(loss.mean())


def tune_thresholds(probabilities: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Find, for each label, the probability from which on F1 is best: the middle of the gap between two texts.

    One half where it is as good, and where fewer than ten texts have the label, or have it not.
    """
    thresholds = np.full(probabilities.shape[1], 0.5)
    for number, (column, has) in enumerate(zip(probabilities.T, labels.T, strict=True)):
        if min(has.sum(), (~has).sum()) < FEWEST:
            continue
        order = np.argsort(-column, kind="stable")
        ordered, hits = column[order], np.cumsum(has[order])
        scores = 2.0 * hits / (np.arange(1, len(hits) + 1) + has.sum())  # of the first so many
        scores[:-1][ordered[:-1] == ordered[1:]] = -1.0  # equal probabilities are decided alike
        best, chosen = int(scores.argmax()), column >= thresholds[number]
        if scores[best] > f1((chosen & has).sum(), chosen.sum(), has.sum()):
            after = ordered[best + 1] if best + 1 < len(ordered) else 0.0
            thresholds[number] = (ordered[best] + after) / 2
    return thresholds


def label_scales(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Find what to multiply the logits of each label by so that its probabilities say how often it is there.

    1 where fewer than ten texts have the label, or have it not.
    """
    scales = np.ones(logits.shape[1])
    for number, (column, has) in enumerate(zip(logits.T, labels.T, strict=True)):
        if min(has.sum(), (~has).sum()) >= FEWEST:
            scales[number] = fit_scale(np.stack([np.zeros_like(column), column], 1), has.astype(np.int64))
    return scales


@dataclass(frozen=True)
class LabelScores:
    """How good decisions about several labels a text are, with 95 % intervals over texts."""

    micro_f1: Estimate
    macro_f1: Estimate
    subset_accuracy: Estimate


def estimate_labels(predicted: np.ndarray, labels: np.ndarray, seed: int = 0) -> LabelScores:
    """Measure decisions; the intervals of F1 are by the bootstrap over texts, that of subset accuracy is Wilson's."""
    tables = _resampled(predicted, labels, seed)
    right, texts = int((predicted == labels).all(1).sum()), len(labels)
    return LabelScores(
        _estimate(micro_f1(predicted, labels), _micro(tables)),
        _estimate(macro_f1_of_labels(predicted, labels), _macro(tables)),
        Estimate(right / texts, *share_interval(right, texts)),
    )


def difference_of_labels(one: np.ndarray, other: np.ndarray, labels: np.ndarray, seed: int = 0) -> Estimate:
    """Compare the macro-F1 of two models on the same texts by the bootstrap over texts: one minus other."""
    gains = _macro(_resampled(one, labels, seed)) - _macro(_resampled(other, labels, seed))
    return _estimate(macro_f1_of_labels(one, labels) - macro_f1_of_labels(other, labels), gains)


def _resampled(predicted: np.ndarray, labels: np.ndarray, seed: int) -> np.ndarray:
    """Draw as many texts as there are, again and again: (count, resample, label) hits, chosen and present."""
    texts, generator = len(labels), np.random.default_rng(seed)
    counted = np.concatenate([predicted & labels, predicted, labels], 1).astype(np.float32)
    at_once = max(1, MOST_RESAMPLED // texts)
    parts = []
    for start in range(0, RESAMPLES, at_once):
        times = generator.multinomial(texts, np.full(texts, 1 / texts), min(at_once, RESAMPLES - start))
        parts.append(times.astype(np.float32) @ counted)
    return np.stack(np.split(np.concatenate(parts), 3, axis=1))


def _micro(tables: np.ndarray) -> np.ndarray:
    return f1(*tables.sum(-1))


def _macro(tables: np.ndarray) -> np.ndarray:
    known = (tables[1] + tables[2] > 0).sum(-1)
    mean: np.ndarray = f1(*tables).sum(-1) / np.maximum(1, known)
    return mean


def _estimate(value: float, resampled: np.ndarray) -> Estimate:
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Estimate(value, float(low), float(high))
