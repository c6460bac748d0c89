"""The facts of an audit, each a plain value of what was explained and measured (the page shows nothing else)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import combinations
from platform import python_version
from typing import Any

import numpy as np

from ..evaluation.agreement import rank_agreement
from ..evaluation.measure import Scores
from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document
from ..interfaces.explainer import Explainer
from ..interfaces.explanation import Explanation
from ..interfaces.metric import Metric
from ..maths.stats.calibration import calibration
from ..maths.stats.comparisons import holm
from ..maths.stats.intervals import share_interval
from .model_views import kind_of

Explained = Mapping[str, Sequence[Explanation]]
PACKAGES = ("whyword", "torch", "numpy", "scipy", "scikit-learn")


def model_facts(classifier: Classifier, name: str, settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Say what the model is; the settings are those it was trained with, if they are known."""
    method = classifier.method if isinstance(classifier, OpenClassifier) else None
    sections = {key: value for key, value in (settings or {}).items() if isinstance(value, Mapping)}
    return {
        "name": name,
        "method": sections["method"]["name"] if sections else _file(method),
        "encoder": sections["encoder"]["name"] if sections else _file(None if method is None else method.encoder),
        "classes": list(classifier.classes),
        "settings": sections or None,
        "own_score": None if method is None else method.own_score,
        "kind": kind_of(classifier),
        "weights": None if method is None else sum(weight.numel() for weight in method.parameters()),
    }


def _file(part: object) -> str | None:
    """Name a method or an encoder after the file it lives in."""
    return None if part is None else type(part).__module__.rpartition(".")[2].replace("_", "-")


def data_facts(documents: Sequence[Document], name: str, of: int) -> dict[str, Any]:
    """Say what the texts are."""
    return {
        "name": name,
        "texts": len(documents),
        "of": of,
        "has_labels": any(document.label is not None for document in documents),
        "has_rationales": any(document.rationale is not None for document in documents),
        "pairs": any(len(document.words.texts) > 1 for document in documents),
        "words_per_text": sum(len(document.words) for document in documents) / len(documents),
    }


def answer_facts(explanations: Sequence[Explanation]) -> dict[str, Any]:
    """Say how good the model's answers are: accuracy, confusion and calibration; None without labels."""
    labelled = [explanation for explanation in explanations if explanation.document.label is not None]
    if not labelled:
        return {"accuracy": None, "confusion": None, "calibration": None}
    classes = labelled[0].classes
    gold = np.array([classes.index(e.document.label) for e in labelled if e.document.label is not None])
    probabilities = np.stack([explanation.probabilities for explanation in labelled])
    predicted = probabilities.argmax(1)
    counts = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(counts, (gold, predicted), 1)
    right = gold == predicted
    return {
        "accuracy": _share(right),
        "confusion": {"classes": [str(name) for name in classes], "counts": counts.tolist()},
        "calibration": _calibration(probabilities.max(1), right),
    }


def _share(yes: np.ndarray) -> dict[str, Any]:
    low, high = share_interval(int(yes.sum()), len(yes))
    return {"value": float(yes.mean()), "low": low, "high": high, "texts": len(yes)}


def _calibration(confidence: np.ndarray, right: np.ndarray) -> dict[str, Any] | None:
    found = calibration(confidence, right)
    if found is None:
        return None
    bins = [
        {
            "from": bin.above,
            "to": bin.up_to,
            "confidence": bin.confidence,
            "accuracy": bin.accuracy,
            "low": bin.low,
            "high": bin.high,
            "texts": bin.texts,
        }
        for bin in found.bins
    ]
    return {"error": found.error, "bins": bins}


def score_facts(scores: Scores) -> list[dict[str, Any]]:
    """Give every score with its curve and its difference from random words, corrected for their number."""
    rows = scores.rows()
    p = np.array([math.nan if row["over_random_p"] is None else row["over_random_p"] for row in rows])
    return [
        row | {"curve": score.to_dict()["curve"], "over_random_p_holm": float(adjusted)}
        for score, row, adjusted in zip(scores, rows, holm(p), strict=True)
    ]


def agreement_facts(explanations: Explained) -> list[dict[str, Any]]:
    """Compare the rankings of each two explainers; sizes of scores where one of the two has no sign."""
    rows = []
    for (one, first), (other, second) in combinations(explanations.items(), 2):
        if not (first[0].signed and second[0].signed):
            first, second = _sizes(first), _sizes(second)
        found = rank_agreement(first, second)
        low, high = found.interval
        rows.append({"one": one, "other": other, "tau": found.value, "low": low, "high": high, "texts": found.texts})
    return rows


def _sizes(explanations: Sequence[Explanation]) -> list[Explanation]:
    return [replace(explanation, scores=np.abs(explanation.scores)) for explanation in explanations]


def converged_facts(explanations: Explained, explainers: Mapping[str, Explainer]) -> dict[str, Any]:
    """Give, for each explainer that samples, the share of texts whose top words have converged."""
    facts = {}
    for name, found in explanations.items():
        confidence = getattr(explainers[name], "confidence", None)
        known = [explanation.converged for explanation in found if explanation.converged is not None]
        if confidence is not None and known:
            facts[name] = _share(np.array(known) >= confidence)
    return facts


def cost_facts(explanations: Explained, metrics: Sequence[Metric], scores: Scores, seconds: float) -> dict[str, Any]:
    """Say what it cost, and what the metrics would have cost without sharing their questions."""
    explainers = {
        name: {
            "forward_passes": (passes := sum(explanation.forward_passes for explanation in found)),
            "seconds": sum(explanation.seconds for explanation in found),
            "passes_per_text": passes / len(found),
        }
        for name, found in explanations.items()
    }
    apart = sum(len(m.subsets(e)) for m in metrics for found in explanations.values() for e in found)
    return {
        "forward_passes": scores.forward_passes + sum(cost["forward_passes"] for cost in explainers.values()),
        "seconds": seconds,
        "explainers": explainers,
        "metrics": {"forward_passes": scores.forward_passes, "one_by_one": apart},
    }


def versions() -> dict[str, str]:
    """Name the versions that the numbers depend on."""
    return {"python": python_version(), **{name: version(name) for name in PACKAGES}}
