"""A full audit, every section filled, with believable numbers."""

from __future__ import annotations

import math
import re

import numpy as np

from whyword.analysis.attention_tests import AttentionTests
from whyword.audits.data import (
    Agreement,
    AuditData,
    Confusion,
    Cost,
    CurvePoint,
    DataInfo,
    ExplainerCost,
    GalleryItem,
    GlobalWords,
    MapPoint,
    MaskHealth,
    MetricsCost,
    ModelInfo,
    RankRow,
    Recommendation,
    Reproduction,
    RuleResult,
    ScoreRow,
    Share,
    TextMap,
    Verdict,
)
from whyword.explaining.words import FrequencyLink
from whyword.interfaces.document import Document, Words
from whyword.interfaces.explanation import Explanation, WordImportance
from whyword.interfaces.metric import Score
from whyword.maths.stats.calibration import Bin, Calibration
from whyword.maths.stats.intervals import Estimate

EXPLAINERS = ("own", "lime", "occlusion", "random")
STRENGTH = {"own": 0.30, "lime": 0.42, "occlusion": 0.39, "random": 0.08}
METRICS = {
    "probability-drop": ("how far the probability of the explained class falls when the top k words are removed", True),
    "accuracy-drop": ("how far the judge's accuracy falls when the top k words are removed", True),
    "posthoc-accuracy": ("share of texts whose top k words alone are given the explained class", True),
    "comprehensiveness": (
        "mean fall of the probability of the explained class when the top shares of the words are removed",
        True,
    ),
    "normalized-comprehensiveness": (
        "mean fall of the probability as words go, top first: 0 the lowest that any order of the words reaches, 1 the "
        "highest",
        True,
    ),
    "direction": ("share of texts in which one of the top k words opposes the answer", False),
    "sufficiency": (
        "mean fall of the probability of the explained class when only the top shares of the words stay",
        False,
    ),
    "rationale-f1": ("mean over texts of the F1 of the top k words against the marked ones", True),
}
TEXTS = {
    "right and sure": (
        "positive",
        "positive",
        0.981,
        "A gorgeous, witty, seductive movie that never once forgets its audience.",
    ),
    "right and unsure": (
        "negative",
        "negative",
        0.561,
        "It is not without charm, yet the second half drags and the jokes wear thin.",
    ),
    "wrong and sure": (
        "negative",
        "positive",
        0.944,
        "You will love it if your idea of a wonderful evening is watching paint dry.",
    ),
    "wrong and unsure": (
        "positive",
        "negative",
        0.532,
        "Unflinchingly bleak and desperate, and I could not look away for a minute of it.",
    ),
}
LOUD = {
    "gorgeous": 0.31,
    "witty": 0.22,
    "seductive": 0.12,
    "never": -0.06,
    "forgets": -0.1,
    "without": 0.07,
    "charm": -0.21,
    "drags": 0.33,
    "thin": 0.19,
    "love": 0.36,
    "wonderful": 0.41,
    "dry": -0.17,
    "bleak": 0.26,
    "desperate": 0.23,
    "unflinchingly": -0.14,
    "minute": -0.03,
    "away": 0.05,
} | {"not": 0.2}


def explanation(text: str, explainer: str, label: str, probability: float) -> Explanation:
    matches = list(re.finditer(r"\w+", text))
    scores = [_score(match.group().lower(), position, explainer) for position, match in enumerate(matches)]
    return Explanation(
        document=Document(Words((text,), (tuple(match.span() for match in matches),))),
        scores=np.array(scores, dtype=float),
        target=1,
        classes=("another class", label),
        probabilities=np.array([1 - probability, probability]),
        explainer=explainer,
        signed=explainer != "own",
        forward_passes=500,
        seconds=0.1,
    )


def _score(word: str, position: int, explainer: str) -> float:
    loud = LOUD.get(word, 0.0)
    if explainer == "own":
        return 0.5 + abs(loud)
    if explainer == "random":
        return math.sin(7 * position + 1)
    return loud * (1.0 if explainer == "lime" else 0.8) + 0.01 * math.sin(position)


def score(metric: str, explainer: str) -> ScoreRow:
    meaning, higher = METRICS[metric]
    shares = metric in ("comprehensiveness", "sufficiency")
    places = (0.01, 0.05, 0.1, 0.2, 0.5) if shares else tuple(range(1, 11))
    best = STRENGTH[explainer]
    best = 0.5 - best if not higher else best
    best = 0.5 + best if metric == "posthoc-accuracy" else best
    values = [best * (1 - math.exp(-4 * (n + 1) / len(places))) for n in range(len(places))]
    curve = tuple(CurvePoint(at, value, value - 0.03, value + 0.03) for at, value in zip(places, values, strict=True))
    over = best - (0.5 - 0.08 if not higher else 0.58 if metric == "posthoc-accuracy" else 0.08)
    random = explainer == "random"
    return ScoreRow(
        metric=metric,
        explainer=explainer,
        value=best,
        low=best - 0.031,
        high=best + 0.029,
        texts=300,
        higher_is_better=higher,
        meaning=meaning,
        curve=None if metric.startswith("rationale") else curve,
        over_random_value=None if random else over,
        over_random_low=None if random else over - 0.04,
        over_random_high=None if random else over + 0.04,
        over_random_p=None if random else 0.0005,
        over_random_p_holm=None if random else (0.0031 if explainer == "own" else 0.0005),
    )


def rules(explainer: str) -> tuple[RuleResult, ...]:
    good = explainer != "own"
    removal = (0.34, 0.3, 0.38) if good else (0.22, 0.18, 0.26)
    enough = (0.82, 0.78, 0.86) if good else (0.71, 0.64, 0.79)
    return (
        RuleResult(
            "removal", True, True, *removal, 0.001, 0.0, "above", "comprehensiveness over random",
            "Does removing its top words lower the probability more than removing random words?",
            "Yes: by 0.34 more than random words do.",
        ),
        RuleResult(
            "enough", True, good or None, *enough, None, 0.7, "above", "posthoc-accuracy",
            "Do its top words alone lead to the same answer?",
            "Mostly." if good else "Undecided: the interval holds the threshold.",
        ),
        RuleResult(
            "rationale", False, False, 0.31, 0.28, 0.34, None, 0.5, "above", "rationale-f1",
            "Are they the words that people marked?", "No: a third of them are.",
        ),
    )  # fmt: skip


def human_rule(holds: bool | None) -> RuleResult:
    return RuleResult(
        "marked", True, holds, 0.21, 0.17, 0.25, 0.002, 0.0, "above", "rationale-auprc over random",
        "Does it find the words people marked better than random words do?", "It does." if holds else "It does not.",
    )  # fmt: skip


def attention_test(name: str, value: float, interval: tuple[float, float], higher: bool, meaning: str) -> Score:
    return Score(name, "own", np.full(300, value), interval, higher, meaning)


def audit_data() -> AuditData:
    """Give the audit of a word-mask model."""
    loud = sorted(LOUD, key=lambda word: -abs(LOUD[word]))
    return AuditData(
        model=ModelInfo(
            name="reviews-vmask",
            method="vmask",
            encoder="lstm",
            classes=("negative", "positive"),
            settings={"method": {"beta": 1.0, "gate_dim": 300}, "training": {"epochs": 10, "learning_rate": 0.001}},
            own_score="gate",
            kind="mask",
            weights=1_234_567,
            weights_explainers=("own", "gate"),
        ),
        data=DataInfo("sst2", 300, 1821, has_labels=True, has_rationales=True, pairs=False, words_per_text=17.4),
        accuracy=Share(0.857, 0.813, 0.892, 300),
        confusion=Confusion(("negative", "positive"), ((0, 0, 128), (0, 1, 24), (1, 0, 19), (1, 1, 129))),
        calibration=Calibration(
            0.041,
            tuple(
                Bin(low, low + 0.1, low + 0.05, right, right - 0.09, min(right + 0.09, 1.0), texts)
                for low, right, texts in (
                    (0.5, 0.53, 22), (0.6, 0.61, 28), (0.7, 0.68, 35), (0.8, 0.82, 60), (0.9, 0.95, 155),
                )
            ),
        ),
        best=Recommendation(
            "lime",
            "lime",
            None,
            "Use lime: none audited here is more faithful. It takes 500 forward passes (0.2 s) a text; its top word "
            "opposes the answer in 0.7% of texts.",
        ),
        ranking=(
            RankRow("lime", 1.0, 1.0, 1.0, 300, 500.0, 0.204, 0.007),
            RankRow("occlusion", 0.93, 0.9, 0.96, 300, 18.4, 0.0103, 0.0),
            RankRow("own", 0.71, 0.66, 0.76, 300, 1.0, 0.0013, 0.14),
            RankRow("random", 0.19, 0.17, 0.21, 300, 1.0, 0.0007, 0.49),
        ),
        verdicts=(
            Verdict(
                "own",
                "use with care",
                "Its words matter more than random ones, but whether they suffice is undecided.",
                rules("own"),
            ),
            Verdict(
                "lime",
                "trust",
                "Its words decide: without them the answer changes, with them alone it stays.",
                rules("lime"),
            ),
            Verdict("occlusion", "do not trust", "Its words matter no more than random ones.", rules("occlusion")),
        ),
        human_like=tuple(
            Verdict(name, word, because, (human_rule(holds),))
            for name, word, because, holds in (
                ("own", "human-like", "It finds the words that people marked.", True),
                ("lime", "partly human-like", "Another explainer finds more of what people marked.", None),
                ("occlusion", "not human-like", "It finds no more of them than random words do.", False),
            )
        ),
        human_shares={"own": Share(1.0, 1.0, 1.0, 300), "lime": Share(0.9, 0.85, 0.95, 300)},
        warnings=("own is convincing, but may not be the model's reason.",),
        scores=tuple(score(metric, explainer) for metric in METRICS for explainer in EXPLAINERS),
        agreement=(
            Agreement("own", "lime", 0.31, 0.27, 0.35, 300),
            Agreement("own", "occlusion", 0.28, 0.24, 0.32, 300),
            Agreement("lime", "occlusion", 0.74, 0.71, 0.77, 300),
        ),
        gallery=tuple(
            GalleryItem(
                why,
                gold,
                predicted,
                probability,
                {name: explanation(text, name, predicted, probability) for name in EXPLAINERS[:3]},
            )
            for why, (gold, predicted, probability, text) in TEXTS.items()
        ),
        words=GlobalWords(
            WordImportance(
                tuple(loud),
                np.array([0.5 + abs(LOUD[word]) for word in loud]),
                np.array([3 + 17 * len(word) for word in loud]),
                "the learned gate",
            ),
            FrequencyLink(Estimate(-0.02, -0.06, 0.02), Estimate(0.05, 0.01, 0.09)),
        ),
        attention_tests=AttentionTests(
            (
                attention_test(
                    "uniform", 0.12, (0.1, 0.14), True, "TVD of the answer when all tokens count the same"
                ),
                attention_test(
                    "adversarial",
                    0.61,
                    (0.58, 0.63),
                    False,
                    "JSD of the most different attention found that keeps the answer",
                ),
            )
        ),
        mask=MaskHealth({"keep_min": 0.11, "keep_mean": 0.52, "keep_max": 0.97, "keep_sd": 0.13}, None),
        map=TextMap(
            tuple(
                MapPoint(
                    9 * math.cos(i) + (14 if i % 2 else -14),
                    9 * math.sin(2.3 * i),
                    "positive" if i % 2 else "negative",
                    "positive" if i % 2 and i % 15 else "negative",
                )
                for i in range(200)
            ),
            silhouette=0.43,
            ratio=1.87,
            source="t-SNE of what the last layer reads of each text",
        ),
        cost=Cost(
            201_345,
            93.4,
            {
                "own": ExplainerCost(300, 0.4, 1.0),
                "lime": ExplainerCost(150_000, 61.2, 500.0),
                "occlusion": ExplainerCost(5_520, 3.1, 18.4),
                "random": ExplainerCost(300, 0.2, 1.0),
            },
            MetricsCost(45_225, 142_000),
        ),
        reproduce=Reproduction(
            command="whyword audit reviews-vmask sst2 --sample 300 --seed 0 -o report.html",
            seed=0,
            sample=300,
            rules="default",
            versions={"whyword": "0.1.0", "torch": "2.13.0", "python": "3.12.4"},
            when="2026-11-16",
        ),
    )  # fmt: skip


def smallest() -> AuditData:
    """Give an audit of a closed model without labels, in which nothing but its cost is known."""
    return AuditData(
        model=ModelInfo("f", None, None, (), None, None, "black box", None),
        data=DataInfo("texts", 1, 1, has_labels=False, has_rationales=False, pairs=False, words_per_text=0.0),
        cost=Cost(0, 0.0, {}, MetricsCost(0, 0)),
        reproduce=Reproduction(None, 0, 1, "default", {}, "2026-11-16"),
    )
