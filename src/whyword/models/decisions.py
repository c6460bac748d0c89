"""What dev decides once a model is trained: its thresholds; and what its temperature has brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from ..data.labels import numbered
from ..inference.fitted import FittedClassifier
from ..interfaces.document import Document
from ..interfaces.errors import OptionError
from ..interfaces.method import Method
from ..maths.stats.calibration import calibration
from ..maths.stats.classes import log_probabilities, macro_f1
from ..maths.stats.labels import macro_f1_of_labels, tune_thresholds
from ..maths.stats.thresholds import decide, offsets_of, threshold_of, tune_offsets
from ..maths.tensors.ordered import scale_odds
from ..training.optimizer import Training


def check_threshold(settings: Training, classes: int, multi_label: bool) -> None:
    """Refuse a threshold that cannot decide between so many classes, before anything is trained."""
    if isinstance(settings.threshold, float) and classes != 2 and not multi_label:
        raise OptionError(
            f"training.threshold is {settings.threshold}, but there are {classes} classes: a number decides between "
            "two only, so give auto."
        )


def decide_on_dev(
    classifier: FittedClassifier, settings: Training, dev: Sequence[Document]
) -> tuple[FittedClassifier, dict[str, Any]]:
    """Give the classifier its thresholds, if any are wanted, and the metrics of thresholds and calibration."""
    if classifier.multi_label:
        return _decide_labels(classifier, settings, dev)
    if not settings.calibrate and settings.threshold is None:
        return classifier, {}
    probabilities = classifier.probabilities([document.words for document in dev]).double().numpy()
    labels = np.array([classifier.classes.index(document.label) for document in dev if document.label is not None])
    metrics: dict[str, Any] = {}
    if settings.calibrate:
        known = classifier.known_words([document.words for document in dev])
        scaled = np.ones(len(dev), dtype=bool) if known is None else np.array(known) > 0
        metrics["calibration"] = _calibration(classifier.method, scaled, probabilities, labels)
    if settings.threshold is None:
        return classifier, metrics
    wanted = settings.threshold
    offsets = tune_offsets(probabilities, labels) if isinstance(wanted, str) else offsets_of(wanted)
    before, after = (
        macro_f1(decide(probabilities, values), labels, len(classifier.classes)) for values in (None, offsets)
    )
    names = map(str, classifier.classes)
    decision: dict[str, Any] = {"offsets": dict(zip(names, offsets.tolist(), strict=True))}
    if len(offsets) == 2:
        decision["threshold"] = threshold_of(offsets)
    metrics["decision"] = {**decision, "dev_macro_f1_before": before, "dev_macro_f1": after}
    return replace(classifier, offsets=offsets), metrics


def _decide_labels(
    classifier: FittedClassifier, settings: Training, dev: Sequence[Document]
) -> tuple[FittedClassifier, dict[str, Any]]:
    """Tune the threshold of each label on dev, unless the user names one for all."""
    probabilities = classifier.probabilities([document.words for document in dev]).double().numpy()
    labels = numbered(dev, classifier.classes)
    if isinstance(settings.threshold, float):
        thresholds = np.full(len(classifier.classes), settings.threshold)
    else:
        thresholds = tune_thresholds(probabilities, labels)
    before, after = (macro_f1_of_labels(probabilities >= values, labels) for values in (0.5, thresholds))
    names = map(str, classifier.classes)
    decision = {"thresholds": dict(zip(names, thresholds.tolist(), strict=True))}
    metrics = {"decision": {**decision, "dev_macro_f1_before": before, "dev_macro_f1": after}}
    return replace(classifier, thresholds=thresholds), metrics


def _calibration(method: Method, scaled: np.ndarray, after: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Measure error and log-loss on dev, with the temperature and as they were without it.

    Scaled, (text,) bool, are the texts that it was applied to: those with a known word.
    """
    scale = float(method.logit_scale)
    if method.ordered:
        unscaled = scale_odds(torch.from_numpy(log_probabilities(after)), 1 / scale).exp().numpy()
    else:
        unscaled = after ** (1 / scale)
    before = np.where(scaled[:, None], unscaled, after)
    before /= before.sum(1, keepdims=True)
    facts = {"temperature": 1 / scale}
    for name, table in (("_before", before), ("", after)):
        error = calibration(table.max(1), table.argmax(1) == labels)
        facts[f"dev_error{name}"] = 0.0 if error is None else error.error
        facts[f"dev_log_loss{name}"] = float(-np.log(np.maximum(table[np.arange(len(labels)), labels], 1e-30)).mean())
    return facts
