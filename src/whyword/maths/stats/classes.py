"""Right and wrong class by class: precision, recall and macro-F1, with intervals, of one model and of two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from .intervals import RESAMPLES, Estimate, share_difference_interval, share_interval
from .ordered import median_classes

SMALLEST = 1e-300  # probability whose logarithm is taken
UNEQUAL = 1.5  # times as many texts in the largest class as in the smallest: accuracy may then ignore a class


# balanced-loss: mean over classes of their log-loss; absolute-error: of the median, where classes have an order
Selection = Literal["accuracy", "macro-f1", "balanced-loss", "absolute-error"]


def are_unequal(labels: np.ndarray) -> bool:
    """Whether the largest class of (text,) labels has more than 1.5 times the texts of the smallest."""
    counts = np.unique(labels, return_counts=True)[1]
    return bool(len(counts) and counts.max() > UNEQUAL * counts.min())


class Counts(NamedTuple):
    """What is counted of each class, (class,): nothing grows with the pairs of classes, of which there may be many."""

    hits: np.ndarray  # texts that have the class and were given it
    having: np.ndarray  # texts that have it
    given: np.ndarray  # texts that were given it


def count(predicted: np.ndarray, labels: np.ndarray, classes: int) -> Counts:
    """Count the texts of each class, of (text,) predicted and true classes."""
    rows = (labels[predicted == labels], labels, predicted)
    return Counts(*(np.bincount(row, minlength=classes) for row in rows))


def macro_f1(predicted: np.ndarray, labels: np.ndarray, classes: int) -> float:
    """Mean F1 over the classes that texts have or were given; 0 / 0 is left out.

    As scikit-learn's f1_score(average="macro"), which leaves out classes that neither labels nor predictions have.
    """
    counts = count(predicted, labels, classes)
    total = counts.having + counts.given
    met = total > 0
    return float((2 * counts.hits[met] / total[met]).sum() / max(1, met.sum()))


def log_probabilities(probabilities: np.ndarray) -> np.ndarray:
    """Take logarithms; a probability that was rounded to 0 has one too."""
    logs: np.ndarray = np.log(np.maximum(probabilities, SMALLEST))
    return logs


def judge(log_probability: np.ndarray, labels: np.ndarray, by: Selection) -> tuple[float, float]:
    """Judge (text, class) log-probabilities by a metric, and by the mean log-probability of the labels.

    Both are the mean over classes of the latter where the balanced loss decides.
    """
    predicted, of_label = log_probability.argmax(1), log_probability[np.arange(len(labels)), labels]
    if by == "balanced-loss":
        texts = np.bincount(labels)
        mean = float((np.bincount(labels, of_label)[texts > 0] / texts[texts > 0]).mean())
        return mean, mean
    if by == "absolute-error":
        apart = np.abs(median_classes(np.exp(log_probability)) - labels)
        return -float(apart.mean()), float(of_label.mean())
    if by == "macro-f1":
        return macro_f1(predicted, labels, log_probability.shape[1]), float(of_label.mean())
    return float((predicted == labels).mean()), float(of_label.mean())


@dataclass(frozen=True)
class ClassEstimate:
    """How well one class is found: None where there is nothing to count."""

    texts: int  # that have the class
    precision: Estimate | None  # share of those predicted to have it that have it
    recall: Estimate | None  # share of those that have it that were found


def class_estimates(predicted: np.ndarray, labels: np.ndarray, classes: int) -> list[ClassEstimate]:
    """Give precision and recall of each class with Wilson's intervals."""
    counts = count(predicted, labels, classes)
    rows = zip(*(each.tolist() for each in counts), strict=True)
    return [ClassEstimate(having, _share(hits, given), _share(hits, having)) for hits, having, given in rows]


def accuracy_estimate(predicted: np.ndarray, labels: np.ndarray) -> Estimate:
    """Give the share of texts that are right, with Wilson's interval."""
    right = _share(int((predicted == labels).sum()), len(labels))
    return right or Estimate(float("nan"), float("nan"), float("nan"))


def macro_f1_estimate(predicted: np.ndarray, labels: np.ndarray, classes: int, seed: int = 0) -> Estimate:
    """Give macro-F1 with its bootstrap interval over texts: those of one class and one answer are alike."""
    (of_class, answers), counts = np.unique(np.stack([labels, predicted]), axis=1, return_counts=True)
    resampled = _macro_f1_of_cells(of_class, answers, _resample(counts, seed))
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Estimate(macro_f1(predicted, labels, classes), float(low), float(high))


def difference_of_accuracy(one: np.ndarray, other: np.ndarray, labels: np.ndarray, classes: int) -> Estimate:
    """Compare two models on the same texts, (text,) predicted classes: one minus other, Agresti & Min's interval."""
    ups, downs = (one == labels) & (other != labels), (one != labels) & (other == labels)
    count = len(labels)
    low, high = share_difference_interval(int(ups.sum()), int(downs.sum()), count)
    return Estimate(float(ups.sum() - downs.sum()) / count, low, high)


def difference_of_macro_f1(
    one: np.ndarray, other: np.ndarray, labels: np.ndarray, classes: int, seed: int = 0
) -> Estimate:
    """Compare the macro-F1 of two models on the same texts by the bootstrap over texts: one minus other."""
    kinds, counts = np.unique(np.stack([labels, one, other]), axis=1, return_counts=True)
    resampled = np.concatenate([counts[None], _resample(counts, seed)])
    values = [_macro_f1_of_cells(kinds[0], predicted, resampled) for predicted in kinds[1:]]
    gains = values[0] - values[1]
    low, high = np.quantile(gains[1:], [0.025, 0.975])
    return Estimate(float(gains[0]), float(low), float(high))


def _macro_f1_of_cells(labels: np.ndarray, predicted: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Macro-F1 of (resample, cell) counts, where a cell is a class and a predicted class: no table of all pairs."""
    met, numbers = np.unique(np.stack([labels, predicted]), return_inverse=True)
    labels, predicted = numbers.reshape(2, -1)
    hits, total = (np.zeros((len(met), len(counts))) for _ in range(2))
    np.add.at(hits, labels, np.where(labels == predicted, counts, 0).T)
    np.add.at(total, labels, counts.T)
    np.add.at(total, predicted, counts.T)
    f1 = np.divide(2 * hits, total, out=np.zeros(total.shape), where=total > 0)
    mean: np.ndarray = f1.sum(0) / np.maximum(1, (total > 0).sum(0))
    return mean


def _resample(counts: np.ndarray, seed: int) -> np.ndarray:
    """Draw as many texts as there are, again and again: (resample, cell) counts."""
    total = int(counts.sum())
    return np.random.default_rng(seed).multinomial(total, counts / total, RESAMPLES)


def _share(ones: int, count: int) -> Estimate | None:
    return Estimate(ones / count, *share_interval(ones, count)) if count else None
