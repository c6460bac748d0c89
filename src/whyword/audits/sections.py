"""The sections of an audit, each computed from what was explained and measured."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import combinations
from platform import python_version

import numpy as np
import torch

from ..analysis.tsne import flatten, text_vectors
from ..blocks.gates import keep_statistics
from ..evaluation.measure import Scores, rank_agreement
from ..explaining.words import frequency_link, importance_in
from ..inference.fitted import FittedClassifier
from ..interfaces.classifier import Classifier, OpenClassifier, has_contributions
from ..interfaces.document import Document
from ..interfaces.explanation import Explainer, Explanation
from ..interfaces.method import Attending, Method
from ..interfaces.settings import json_ready
from ..maths.stats.calibration import Calibration, calibration
from ..maths.stats.comparisons import holm
from ..maths.stats.intervals import share_interval
from ..maths.stats.separation import separation
from .data import (
    Agreement,
    Confusion,
    Cost,
    CurvePoint,
    DataInfo,
    ExplainerCost,
    GlobalWords,
    MapPoint,
    MaskHealth,
    MetricsCost,
    ModelInfo,
    ScoreRow,
    Share,
    TextMap,
)

Explained = Mapping[str, Sequence[Explanation]]  # by explainer

PACKAGES = ("whyword", "torch", "numpy", "scipy", "scikit-learn")
MOST_WORDS, FEWEST_WORDS = 50, 10  # in all, and of each class
MOST_POINTS, FEWEST_POINTS = 500, 10
SEEN_TWICE = 2  # a word seen once says little about the word
ROUNDING = 1e-5  # by which the vectors of a text may differ, as a share of the largest, with its place in a batch


def kind_of(classifier: Classifier) -> str:
    """Say what there is to be looked at in a model."""
    if not isinstance(classifier, OpenClassifier):
        return "black box"
    if classifier.method.own_score == "gate":
        return "mask"
    return "attention" if isinstance(classifier.method, Attending) else "open"


def model_info(classifier: Classifier, name: str, settings: Mapping[str, object] | None) -> ModelInfo:
    """Describe the model; the settings are those it was trained with, if they are known."""
    method = classifier.method if isinstance(classifier, OpenClassifier) else None
    sections = {key: value for key, value in (settings or {}).items() if isinstance(value, Mapping)}
    return ModelInfo(
        name=name,
        method=sections["method"]["name"] if sections else _file(method),
        encoder=sections["encoder"]["name"] if sections else _encoder(method),
        classes=tuple(classifier.classes),
        settings=json_ready(sections) or None,
        own_score=None if method is None else method.own_score,
        kind=kind_of(classifier),
        weights=None if method is None else sum(weight.numel() for weight in method.parameters()),
        weights_explainers=weights_explainers(classifier),
        has_contributions=has_contributions(classifier),
    )


def weights_explainers(classifier: Classifier) -> tuple[str, ...]:
    """Name the explainers that show the weights of attention or a mask, if the model has any."""
    if not isinstance(classifier, OpenClassifier) or classifier.method.own_score is None:
        return ()
    name = "gate" if classifier.method.own_score == "gate" else "attention"
    return (name,) if classifier.has_contributions else ("own", name)


def _encoder(method: Method | None) -> str | None:
    """Name an encoder of ours after its file, and a network of others as its library does, where that is known."""
    encoder = None if method is None else method.encoder
    label: str | None = getattr(encoder, "label", None)
    return _file(encoder) if label is None else label or None


def _file(part: object) -> str | None:
    """Name a method or an encoder after the file it lives in."""
    return None if part is None else type(part).__module__.rpartition(".")[2].replace("_", "-")


def data_info(documents: Sequence[Document], name: str, of: int) -> DataInfo:
    """Describe the texts, drawn from this many."""
    return DataInfo(
        name=name,
        texts=len(documents),
        of=of,
        has_labels=any(document.label is not None or document.labels is not None for document in documents),
        has_rationales=any(d.rationale is not None or d.rationales is not None for d in documents),
        pairs=any(len(document.words.texts) > 1 for document in documents),
        words_per_text=sum(len(document.words) for document in documents) / len(documents),
    )


def quality(explanations: Sequence[Explanation]) -> tuple[Share, Confusion, Calibration | None] | None:
    """Compare predictions with labels: accuracy, confusion and calibration; None without labels."""
    labelled = [explanation for explanation in explanations if explanation.document.label is not None]
    if not labelled:
        return None
    classes = labelled[0].classes
    gold = np.array([classes.index(e.document.label) for e in labelled if e.document.label is not None])
    probabilities = np.stack([explanation.probabilities for explanation in labelled])
    predicted = np.array([explanation.predicted for explanation in labelled])
    counts = Counter(zip(gold.tolist(), predicted.tolist(), strict=True))
    cells = tuple((true, given, texts) for (true, given), texts in sorted(counts.items()))
    confusion = Confusion(tuple(str(name) for name in classes), cells)
    right = gold == predicted
    return _share(right), confusion, calibration(probabilities[np.arange(len(labelled)), predicted], right)


def _share(yes: np.ndarray) -> Share:
    low, high = share_interval(int(yes.sum()), len(yes))
    return Share(float(yes.mean()), low, high, len(yes))


def score_rows(scores: Scores) -> tuple[ScoreRow, ...]:
    """Give every score with its curve and its difference from random words, corrected for their number."""
    rows = scores.rows()
    p = np.array([math.nan if row["over_random_p"] is None else row["over_random_p"] for row in rows])
    curves = [score.to_dict()["curve"] for score in scores]
    return tuple(
        ScoreRow(
            **row,
            curve=None if curve is None else tuple(CurvePoint(**point) for point in curve),
            over_random_p_holm=_known(adjusted),
        )
        for row, curve, adjusted in zip(rows, curves, holm(p), strict=True)
    )


def _known(value: float) -> float | None:
    known: float | None = json_ready(float(value))
    return known


def agreements(explanations: Explained) -> tuple[Agreement, ...]:
    """Compare the rankings of each two explainers; sizes of scores where one of the two has no sign."""
    rows = []
    for (one, first), (other, second) in combinations(explanations.items(), 2):
        if not (first[0].signed and second[0].signed):
            first, second = _sizes(first), _sizes(second)
        tau = rank_agreement(first, second)
        low, high = tau.interval
        rows.append(Agreement(one, other, _known(tau.value), _known(low), _known(high), tau.texts))
    return tuple(rows)


def _sizes(explanations: Sequence[Explanation]) -> list[Explanation]:
    return [replace(explanation, scores=np.abs(explanation.scores)) for explanation in explanations]


def converged_shares(explanations: Explained, explainers: Mapping[str, Explainer]) -> dict[str, Share]:
    """Give, for each explainer that samples, the share of texts whose top words have converged."""
    shares = {}
    for name, explained in explanations.items():
        confidence = getattr(explainers[name], "confidence", None)
        known = [explanation.converged for explanation in explained if explanation.converged is not None]
        if confidence is not None and known:
            shares[name] = _share(np.array(known) >= confidence)
    return shares


def global_words(classifier: Classifier, explanations: Explained) -> GlobalWords | None:
    """Rank words over all texts: for every class, by its contributions or an explainer, else by weights for none."""
    names = sorted(explanations, key=lambda name: (not explanations[name][0].signed, name != "own"))
    explained = explanations[names[0]]
    if not any(len(e.scores) for e in explained):
        return None
    importance = importance_in(explained, classifier)
    often = importance.at_least(SEEN_TWICE)
    importance = often if len(often) >= MOST_WORDS else importance
    shown = max(FEWEST_WORDS, MOST_WORDS // max(1, len(importance.classes)))
    return GlobalWords(importance.top(shown), frequency_link(importance))


@torch.inference_mode()
def mask_health(classifier: Classifier, documents: Sequence[Document]) -> MaskHealth | None:
    """Say whether the mask of a mask model is alive on these texts."""
    if not isinstance(classifier, OpenClassifier) or kind_of(classifier) != "mask":
        return None
    batches = [batch for _, batch in classifier.batches([document.words for document in documents])]
    method = classifier.method.eval()
    keep = [weights for batch in batches if (weights := method(batch).token_weights) is not None]
    statistics = keep_statistics(batches, keep)
    return MaskHealth(statistics, " ".join(method.warnings(statistics)) or None)


def text_map(classifier: Classifier, explanations: Sequence[Explanation], seed: int) -> TextMap | None:
    """Lay the vectors of the first texts out in the plane by t-SNE."""
    some = explanations[:MOST_POINTS]
    if not isinstance(classifier, FittedClassifier) or len(some) < FEWEST_POINTS:
        return None
    vectors = text_vectors(classifier, [explanation.document.words for explanation in some]).astype(np.float64)
    if min(vectors.shape) < 2 or np.ptp(vectors, axis=0).max() <= ROUNDING * np.abs(vectors).max():
        return None  # all texts are the same to the model
    gold = [explanation.document.label for explanation in some]
    labels = [classifier.classes.index(label) for label in gold if label is not None]
    apart = separation(vectors[[label is not None for label in gold]], np.array(labels, dtype=int))
    points = tuple(
        MapPoint(float(x), float(y), label, e.classes[e.predicted])
        for (x, y), label, e in zip(flatten(vectors, seed), gold, some, strict=True)
    )
    return TextMap(
        points,
        None if apart is None else _known(apart.silhouette),
        None if apart is None else _known(apart.distance_ratio),
        "t-SNE of what the last layer reads of each text",
    )


def cost(explanations: Explained, scores: Scores, seconds: float) -> Cost:
    """Say what it cost, and what the metrics would have cost without sharing forward passes."""
    explainers = {}
    for name, explained in explanations.items():
        passes = sum(explanation.forward_passes for explanation in explained)
        explainers[name] = ExplainerCost(passes, sum(e.seconds for e in explained), passes / len(explained))
    return Cost(
        scores.forward_passes + sum(each.forward_passes for each in explainers.values()),
        seconds,
        explainers,
        MetricsCost(scores.forward_passes, scores.asked),
    )


def versions() -> dict[str, str]:
    """Name the versions that the numbers depend on."""
    return {"python": python_version(), **{name: version(name) for name in PACKAGES}}
