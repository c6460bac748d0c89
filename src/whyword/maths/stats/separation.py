"""How far apart classes lie: silhouette, distances between over within, a linear discriminant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

CHUNK = 1_000  # rows of the distance matrix at a time: bounds memory
RIDGE = 1e-3  # of the mean variance, added to every dimension: states may lie in a plane, those of a word on one spot


@dataclass(frozen=True)
class Separation:
    """Numbers that say what a picture of points seems to show."""

    silhouette: float  # -1 to 1 (Rousseeuw 1987); 0: classes overlap
    distance_ratio: float  # mean distance between classes over mean distance within; 1: no difference


def separation(vectors: np.ndarray, labels: np.ndarray) -> Separation | None:
    """Compare (text, dim) vectors by the class of each text; None unless two classes are there, one of them twice."""
    classes, number, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(classes) < 2 or counts.max() < 2:
        return None
    totals = _distances_to_classes(vectors, np.eye(len(classes))[number])
    own = np.zeros(totals.shape, dtype=bool)
    own[np.arange(len(number)), number] = True
    return Separation(_silhouette(totals, own, counts), _distance_ratio(totals, own, counts))


def _distances_to_classes(vectors: np.ndarray, members: np.ndarray) -> np.ndarray:
    """(text, class) sums of the distances from each text to all texts of a class."""
    rows = (vectors[start : start + CHUNK] for start in range(0, len(vectors), CHUNK))
    return np.concatenate([cdist(chunk, vectors) @ members for chunk in rows])


def _silhouette(totals: np.ndarray, own: np.ndarray, counts: np.ndarray) -> float:
    """Mean of (b - a) / max(a, b): a the mean distance to the own class, b to the nearest other; 0 if alone in it."""
    number = own.argmax(1)
    within = totals[own] / np.maximum(counts[number] - 1, 1)
    nearest = np.where(own, np.inf, totals / counts).min(1)
    largest = np.maximum(within, nearest)
    values = np.divide(nearest - within, largest, out=np.zeros_like(within), where=largest > 0)
    return float(np.where(counts[number] > 1, values, 0.0).mean())


def _distance_ratio(totals: np.ndarray, own: np.ndarray, counts: np.ndarray) -> float:
    """Mean over pairs of two classes, divided by the mean over pairs of one class; infinite if only the latter is 0."""
    same = float((counts * (counts - 1)).sum())
    other = float(counts.sum() ** 2 - (counts**2).sum())
    between, within = totals[~own].sum() / other, totals[own].sum() / same
    if within == 0.0:
        return float("inf") if between > 0.0 else 1.0
    return float(between / within)


def linear_discriminant(known: np.ndarray, classes: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Fisher's linear discriminant (1936): classes differ in their mean and share one covariance.

    Learn from known (text, dim) points and their classes, whole numbers, and give the class of each new one.
    """
    present, number, counts = np.unique(classes, return_inverse=True, return_counts=True)
    totals = np.zeros((len(present), known.shape[1]))
    np.add.at(totals, number, known)
    means = totals / counts[:, None]
    within = known - means[number]
    covariance = within.T @ within / len(known)
    scale = RIDGE * max(known.var(0).mean(), np.finfo(np.float64).tiny)
    weights = np.linalg.solve(covariance + scale * np.eye(len(covariance)), means.T)  # (dim, class)
    offsets = np.log(counts / len(known)) - (means * weights.T).sum(1) / 2
    predicted: np.ndarray = present[(new @ weights + offsets).argmax(1)]
    return predicted
