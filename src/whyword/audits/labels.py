"""The audit of a model of several labels a text: every label by itself, and all of them together.

What is judged is a label that the model gives to a text: its explanation, and what the label's own probability does
when words go. Scores over all labels count each such label of a text once; means over labels count each label once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..evaluation.measure import Scores
from ..interfaces.classifier import Classifier, predicted_labels
from ..interfaces.document import Document
from ..maths.stats.calibration import Calibration, calibration
from ..maths.stats.intervals import share_interval
from ..maths.stats.labels import estimate_labels, f1
from .data import AuditData, ExplainerCost, LabelAudit, LabelQuality, Share
from .ranking import human_shares, rank, recommend
from .rules import Rules
from .sections import score_rows
from .verdicts import with_verdicts

FEWEST = 20  # texts with a label below which there is no verdict on it


def audit_labels(
    data: AuditData,
    classifier: Classifier,
    scores: Mapping[int, Scores],
    costs: Mapping[str, ExplainerCost],
    rules: Rules,
    documents: Sequence[Document],
) -> tuple[LabelAudit, ...]:
    """Judge every label, with a verdict where there are enough texts."""
    known = [document for document in documents if document.labels is not None]
    table = predicted_labels(classifier, classifier.probabilities([document.words for document in known]))
    audits = []
    for number, measured in scores.items():
        label = classifier.classes[number]
        own = replace(
            data,
            scores=score_rows(measured),
            ranking=rank(measured, costs, measured.texts),
            human_shares=human_shares(measured),
            labels=(),
        )
        own = with_verdicts(own, rules) if measured.texts >= FEWEST else own
        has = np.array([label in (document.labels or ()) for document in known], dtype=bool)
        chosen = table[:, number]
        audits.append(
            LabelAudit(
                label=label,
                texts=measured.texts,
                f1=float(f1((chosen & has).sum(), chosen.sum(), has.sum())) if known else None,
                verdicts=own.verdicts,
                best=recommend(own.ranking, own.verdicts) if own.verdicts else None,
                human_like=own.human_like,
                warnings=own.warnings,
                scores=tuple(replace(row, curve=None) for row in own.scores),
            )
        )
    return tuple(audits)


def label_means(scores: Mapping[int, Scores]) -> dict[str, dict[str, float]]:
    """Average every metric over labels, each counting once: by metric, and explainer."""
    every = list(scores.values())
    shared = [score for score in every[0] if all((score.metric in one.metrics) for one in every)]
    means: dict[str, dict[str, float]] = {}
    for score in shared:
        values = [one[score.metric, score.explainer].value for one in every]
        defined = [value for value in values if value == value]
        means.setdefault(score.metric, {})[score.explainer] = float(np.mean(defined)) if defined else float("nan")
    return means


def label_quality(
    classifier: Classifier, documents: Sequence[Document]
) -> tuple[Share, LabelQuality, Calibration | None] | None:
    """Compare predicted labels with those of the texts: subset accuracy, F1, and calibration; None without labels."""
    known = [document for document in documents if document.labels is not None]
    if not known:
        return None
    probabilities = classifier.probabilities([document.words for document in known])
    predicted = predicted_labels(classifier, probabilities)
    labels = np.array([[name in (d.labels or ()) for name in classifier.classes] for d in known], dtype=bool)
    scores = estimate_labels(predicted, labels)
    right = int((predicted == labels).all(1).sum())
    accuracy = Share(right / len(known), *share_interval(right, len(known)), len(known))
    micro, macro = (Share(one.value, one.low, one.high, len(known)) for one in (scores.micro_f1, scores.macro_f1))
    table = probabilities.double().numpy()
    return accuracy, LabelQuality(micro, macro), calibration(table.ravel(), labels.ravel())
