"""Metrics of explanations, one file each, and what a metric of your own is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interfaces.lazy import lazy

if TYPE_CHECKING:
    from ..evaluation.measure import Scores
    from ..evaluation.top_words import TopSharesMetric, TopWordsMetric
    from ..interfaces.explanation import Explanation
    from ..interfaces.metric import Metric, Score
    from .accuracy_drop import AccuracyDrop
    from .comprehensiveness import Comprehensiveness
    from .direction import Direction
    from .mean_probability_drop import MeanProbabilityDrop
    from .normalized_comprehensiveness import NormalizedComprehensiveness
    from .normalized_sufficiency import NormalizedSufficiency
    from .posthoc_accuracy import PosthocAccuracy
    from .posthoc_accuracy_gold import PosthocAccuracyGold
    from .probability_drop import ProbabilityDrop
    from .rationale_auprc import RationaleAuprc
    from .rationale_f1 import RationaleF1
    from .rationale_iou import RationaleIou
    from .rationale_precision import RationalePrecision
    from .rationale_recall import RationaleRecall
    from .sufficiency import Sufficiency

_HOMES = {
    "AccuracyDrop": ".accuracy_drop",
    "Comprehensiveness": ".comprehensiveness",
    "Direction": ".direction",
    "Explanation": "..interfaces.explanation",
    "MeanProbabilityDrop": ".mean_probability_drop",
    "Metric": "..interfaces.metric",
    "NormalizedComprehensiveness": ".normalized_comprehensiveness",
    "NormalizedSufficiency": ".normalized_sufficiency",
    "PosthocAccuracy": ".posthoc_accuracy",
    "PosthocAccuracyGold": ".posthoc_accuracy_gold",
    "ProbabilityDrop": ".probability_drop",
    "RationaleAuprc": ".rationale_auprc",
    "RationaleF1": ".rationale_f1",
    "RationaleIou": ".rationale_iou",
    "RationalePrecision": ".rationale_precision",
    "RationaleRecall": ".rationale_recall",
    "Score": "..interfaces.metric",
    "Scores": "..evaluation.measure",
    "Sufficiency": ".sufficiency",
    "TopSharesMetric": "..evaluation.top_words",
    "TopWordsMetric": "..evaluation.top_words",
}

__all__ = [
    "AccuracyDrop",
    "Comprehensiveness",
    "Direction",
    "Explanation",
    "MeanProbabilityDrop",
    "Metric",
    "NormalizedComprehensiveness",
    "NormalizedSufficiency",
    "PosthocAccuracy",
    "PosthocAccuracyGold",
    "ProbabilityDrop",
    "RationaleAuprc",
    "RationaleF1",
    "RationaleIou",
    "RationalePrecision",
    "RationaleRecall",
    "Score",
    "Scores",
    "Sufficiency",
    "TopSharesMetric",
    "TopWordsMetric",
]

__getattr__, __dir__ = lazy(__name__, _HOMES)
