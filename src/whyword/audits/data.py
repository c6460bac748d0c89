"""What an audit found out, as typed values; to_dict gives the JSON of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ..analysis.attention_tests import AttentionTests
from ..evaluation.measure import OF_LABELS
from ..explaining.words import FrequencyLink
from ..interfaces.document import Label
from ..interfaces.explanation import Explanation, WordImportance
from ..interfaces.settings import json_ready
from ..maths.stats.calibration import Calibration
from ..models.forbidden_words import Proxy

FORMAT = 1  # of the JSON; raised when the meaning of a key changes
SHOWN_MOVEMENT = 0.0005  # of an answer: less is 0 with three digits


@dataclass(frozen=True)
class ModelInfo:
    """What the model is."""

    name: str
    method: str | None
    encoder: str | None
    classes: tuple[Label, ...]
    settings: Mapping[str, Mapping[str, object]] | None  # those it was trained with, if they are known
    own_score: str | None
    kind: str  # mask, attention, open or black box
    weights: int | None
    weights_explainers: tuple[str, ...] = ()  # those that show the weights of its attention or mask
    has_contributions: bool = False  # learned, and then its own scores


@dataclass(frozen=True)
class DataInfo:
    """What the texts are."""

    name: str
    texts: int
    of: int  # texts that they were drawn from
    has_labels: bool
    has_rationales: bool
    pairs: bool
    words_per_text: float


@dataclass(frozen=True)
class Share:
    """A share of texts with its 95 % interval."""

    value: float
    low: float
    high: float
    texts: int


@dataclass(frozen=True)
class Confusion:
    """How many texts of a true class were given a class: of pairs that occur, as classes may be many."""

    classes: tuple[str, ...]
    cells: tuple[tuple[int, int, int], ...]  # number of the true class, of the given one, texts


@dataclass(frozen=True)
class CurvePoint:
    """The mean of a metric at one point of its curve, with its interval; None where nothing is defined."""

    at: float
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ScoreRow:
    """A metric of an explainer, and its paired difference from random words; None where it is not defined."""

    metric: str
    explainer: str
    value: float | None
    low: float | None
    high: float | None
    texts: int
    higher_is_better: bool
    meaning: str
    over_random_value: float | None
    over_random_low: float | None
    over_random_high: float | None
    over_random_p: float | None
    curve: tuple[CurvePoint, ...] | None
    over_random_p_holm: float | None  # corrected for the number of comparisons


@dataclass(frozen=True)
class Agreement:
    """Mean Kendall's tau-b between the scores of two explainers."""

    one: str
    other: str
    tau: float | None
    low: float | None
    high: float | None
    texts: int

    @property
    def value(self) -> float | None:
        """The number that is drawn and judged."""
        return self.tau


@dataclass(frozen=True)
class RankRow:
    """How near an explainer comes to the most faithful one, and what it costs."""

    explainer: str
    share: float | None  # of the comprehensiveness of the best explainer
    low: float | None
    high: float | None
    texts: int
    passes_per_text: float
    seconds_per_text: float
    opposes: float | None  # share of texts whose top word opposes the answer

    @property
    def value(self) -> float | None:
        """The number that is drawn and judged."""
        return self.share


@dataclass(frozen=True)
class Recommendation:
    """Which explanation to use on this model."""

    explainer: str | None  # the cheapest that is to be trusted; None if none is
    most_faithful: str | None
    next_better: str | None  # the cheapest of those more faithful than the one to use
    sentence: str

    def __str__(self) -> str:
        """Say it in a sentence or two."""
        return self.sentence


@dataclass(frozen=True)
class Cut:
    """How much of a long text is shown."""

    words_shown: int
    words: int


@dataclass(frozen=True, eq=False)
class GalleryItem:
    """One text as each explainer sees it."""

    why: str  # the reason for showing it, such as "right and sure"
    gold: Label | None
    predicted: Label
    probability: float
    explanations: Mapping[str, Explanation]  # by explainer
    cut: Cut | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give plain values; cut is left out where the whole text is shown."""
        values = {
            "why": self.why,
            "gold": self.gold,
            "predicted": self.predicted,
            "probability": self.probability,
            "explanations": {name: e.to_dict() | {"signed": e.signed} for name, e in self.explanations.items()},
        }
        return values if self.cut is None else values | {"cut": asdict(self.cut)}


@dataclass(frozen=True, eq=False)
class GlobalWords:
    """The words of the highest score over all texts, and whether scores follow frequency."""

    importance: WordImportance
    correlation: FrequencyLink

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, a row per word."""
        rows = list(self.importance.rows())
        return {"source": self.importance.source, "rows": rows, "correlation": self.correlation.to_dict()}


@dataclass(frozen=True)
class MaskHealth:
    """Statistics of the keep probability over words, by name, and what is wrong with them."""

    statistics: Mapping[str, float]
    warning: str | None


@dataclass(frozen=True)
class MapPoint:
    """A text on the map."""

    x: float
    y: float
    gold: Label | None
    predicted: Label


@dataclass(frozen=True)
class TextMap:
    """The texts in the plane, and how far apart the classes lie in the space they come from."""

    points: tuple[MapPoint, ...]
    silhouette: float | None
    ratio: float | None
    source: str


@dataclass(frozen=True)
class ExplainerCost:
    """What the explanations of one explainer cost."""

    forward_passes: int
    seconds: float
    passes_per_text: float


@dataclass(frozen=True)
class MetricsCost:
    """What the metrics cost, and what they would have cost without sharing forward passes."""

    forward_passes: int
    one_by_one: int


@dataclass(frozen=True)
class Cost:
    """What the audit cost."""

    forward_passes: int
    seconds: float
    explainers: Mapping[str, ExplainerCost]
    metrics: MetricsCost


@dataclass(frozen=True)
class Reproduction:
    """What is needed to reproduce the audit."""

    command: str | None
    seed: int
    sample: int
    rules: str  # "default", or the file they come from
    versions: Mapping[str, str]
    when: str


@dataclass(frozen=True)
class RuleResult:
    """What a rule says of an explainer; holds is None where it is undecided."""

    rule: str
    needed: bool
    holds: bool | None
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    threshold: float
    must_be: str
    quantity: str
    question: str
    answer: str


@dataclass(frozen=True)
class Verdict:
    """Whether an explainer is to be trusted, or whether it is human-like, and why."""

    explainer: str
    verdict: str  # trust, use with care, or do not trust; human-like, partly or not, undecided, or not measured
    because: str
    rules: tuple[RuleResult, ...]


@dataclass(frozen=True)
class LabelQuality:
    """How good a model of several labels a text is, over all labels."""

    micro_f1: Share
    macro_f1: Share


@dataclass(frozen=True)
class LabelAudit:
    """What was found out about the explanations of one label, on the texts that the model gives it to."""

    label: Label
    texts: int
    f1: float | None  # of the model; None without labels
    verdicts: tuple[Verdict, ...]  # none where there are too few texts
    best: Recommendation | None
    scores: tuple[ScoreRow, ...]
    human_like: tuple[Verdict, ...] = ()  # likewise
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class ForbiddenWords:
    """How far answers move without the words that must not decide."""

    entries: tuple[str, ...]  # of the list of forbidden words
    texts: int  # that hold any of them
    of: int
    mean: Share | None = None  # movement of an answer: the largest change of the probability of a class
    largest: float | None = None
    largest_without: tuple[str, ...] = ()  # the forbidden words of the text whose answer moves farthest
    answered_otherwise: int = 0  # texts whose class, or labels, are others without them
    rules: tuple[RuleResult, ...] = ()
    proxies: tuple[Proxy, ...] = ()  # words that may have taken over, as training found them

    def __str__(self) -> str:
        """Say how far answers move, and which words may have taken over."""
        others = "; ".join(map(str, self.proxies))
        return self.movement + f" Words that may have taken over from them: {others}." * bool(others)

    @property
    def movement(self) -> str:
        """How far answers move, in two sentences."""
        if self.mean is None or self.largest is None:
            return f"Forbidden words stand in none of the {self.of:,} texts, so it cannot be told whether they decide."
        answers = " ".join(rule.answer for rule in self.rules)
        words = ", ".join(dict.fromkeys(self.largest_without))
        farthest = f", the largest without {words}" if self.largest >= SHOWN_MOVEMENT else ""
        return (
            f"Forbidden words stand in {self.texts:,} of {self.of:,} texts; without them answers move by "
            f"{self.mean.value:.3f} on average and at most {self.largest:.3f}{farthest}, and "
            f"{self.answered_otherwise:,} are answered otherwise. {answers}".strip()
        )


@dataclass(frozen=True, eq=False)
class AuditData:
    """All of an audit; None or empty where there is nothing to tell, as accuracy without labels."""

    model: ModelInfo
    data: DataInfo
    cost: Cost
    reproduce: Reproduction
    accuracy: Share | None = None
    confusion: Confusion | None = None
    calibration: Calibration | None = None
    best: Recommendation | None = None
    ranking: tuple[RankRow, ...] = ()  # most faithful first, random words last
    verdicts: tuple[Verdict, ...] = ()  # is it true to the model?
    human_like: tuple[Verdict, ...] = ()  # does it find the words that people marked?
    human_shares: Mapping[str, Share] = field(default_factory=dict)  # gain over random words in that, of the best one's
    of_people: tuple[str, ...] = ()  # explainers that say what people would mark, whatever the model does
    warnings: tuple[str, ...] = ()  # of explainers that are human-like and not true
    scores: tuple[ScoreRow, ...] = ()
    agreement: tuple[Agreement, ...] = ()
    converged: Mapping[str, Share] = field(default_factory=dict)  # by explainer, of those that sample
    gallery: tuple[GalleryItem, ...] = ()
    words: GlobalWords | None = None
    attention_tests: AttentionTests | None = None
    mask: MaskHealth | None = None
    map: TextMap | None = None
    forbidden: ForbiddenWords | None = None  # where words must not decide, and some text holds any
    label_quality: LabelQuality | None = None  # where a text may have several labels, as all below
    labels: tuple[LabelAudit, ...] = ()
    label_means: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # metric → explainer → mean of labels

    @property
    def unit(self) -> str:
        """What scores are means over."""
        return "texts" if self.label_quality is None else OF_LABELS

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for strict JSON."""
        mask = None if self.mask is None else {**self.mask.statistics, "warning": self.mask.warning}
        values: dict[str, Any] = json_ready(
            {
                "format": FORMAT,
                "model": asdict(self.model),
                "data": asdict(self.data),
                "accuracy": asdict(self.accuracy) if self.accuracy else None,
                "confusion": asdict(self.confusion) if self.confusion else None,
                "calibration": _calibration(self.calibration) if self.calibration else None,
                "best": asdict(self.best) if self.best else None,
                "ranking": [asdict(row) for row in self.ranking],
                "verdicts": [asdict(verdict) for verdict in self.verdicts],
                "human_like": [asdict(verdict) for verdict in self.human_like],
                "human_shares": {name: asdict(share) for name, share in self.human_shares.items()},
                "of_people": list(self.of_people),
                "warnings": list(self.warnings),
                "scores": [asdict(score) for score in self.scores],
                "agreement": [asdict(pair) for pair in self.agreement],
                "converged": {name: asdict(share) for name, share in self.converged.items()},
                "gallery": [item.to_dict() for item in self.gallery],
                "words": self.words.to_dict() if self.words else None,
                "attention_tests": self.attention_tests.to_dict() if self.attention_tests else None,
                "mask": mask,
                "map": asdict(self.map) if self.map else None,
                "cost": asdict(self.cost),
                "again": asdict(self.reproduce),
            }
        )
        if self.forbidden is not None:
            values["forbidden"] = json_ready(asdict(self.forbidden))
        if self.labels:
            quality = asdict(self.label_quality) if self.label_quality else None
            rows = [asdict(label) for label in self.labels]
            values |= json_ready({"label_quality": quality, "labels": rows, "label_means": self.label_means})
        return values


def _calibration(calibration: Calibration) -> dict[str, Any]:
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
        for bin in calibration.bins
    ]
    return {"error": calibration.error, "bins": bins}
