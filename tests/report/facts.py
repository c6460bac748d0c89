"""A full set of facts of an audit, as experiments gather them, with believable numbers."""

from __future__ import annotations

import math
import re
from typing import Any

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


def explanation(text: str, explainer: str, label: str, probability: float) -> dict[str, Any]:
    words = list(re.finditer(r"\w+", text))
    signed = explainer != "own"
    scores = [_score(match.group().lower(), position, explainer) for position, match in enumerate(words)]
    return {
        "text": text,
        "label": label,
        "probability": probability,
        "probabilities": {"negative": 1 - probability, "positive": probability},
        "explainer": explainer,
        "words": [match.group() for match in words],
        "spans": [list(match.span()) for match in words],
        "scores": scores,
        "signed": signed,
        "base_value": None,
        "converged": None,
        "truncated_words": 0,
        "windows": 1,
        "forward_passes": 500,
        "seconds": 0.1,
    }


def _score(word: str, position: int, explainer: str) -> float:
    loud = LOUD.get(word, 0.0)
    if explainer == "own":
        return 0.5 + abs(loud)
    if explainer == "random":
        return math.sin(7 * position + 1)
    return loud * (1.0 if explainer == "lime" else 0.8) + 0.01 * math.sin(position)


def score(metric: str, explainer: str) -> dict[str, Any]:
    meaning, higher = METRICS[metric]
    shares = metric in ("comprehensiveness", "sufficiency")
    places = (0.01, 0.05, 0.1, 0.2, 0.5) if shares else tuple(range(1, 11))
    best = STRENGTH[explainer]
    best = 0.5 - best if not higher else best
    best = 0.5 + best if metric == "posthoc-accuracy" else best
    curve = [
        {
            "at": at,
            "value": (value := best * (1 - math.exp(-4 * (n + 1) / len(places)))),
            "low": value - 0.03,
            "high": value + 0.03,
        }
        for n, at in enumerate(places)
    ]
    over = best - (0.5 - 0.08 if not higher else 0.58 if metric == "posthoc-accuracy" else 0.08)
    random = explainer == "random"
    return {
        "metric": metric,
        "explainer": explainer,
        "value": best,
        "low": best - 0.031,
        "high": best + 0.029,
        "texts": 300,
        "higher_is_better": higher,
        "meaning": meaning,
        "curve": None if metric.startswith("rationale") else curve,
        "over_random_value": None if random else over,
        "over_random_low": None if random else over - 0.04,
        "over_random_high": None if random else over + 0.04,
        "over_random_p": None if random else 0.0005,
        "over_random_p_holm": None if random else (0.0031 if explainer == "own" else 0.0005),
    }


def rules(explainer: str) -> list[dict[str, Any]]:
    good = explainer != "own"
    return [
        {
            "rule": "removal",
            "needed": True,
            "holds": True,
            "value": 0.34 if good else 0.22,
            "low": 0.3 if good else 0.18,
            "high": 0.38 if good else 0.26,
            "threshold": 0.0,
            "must_be": "above",
            "question": "Does removing its top words lower the probability more than removing random words?",
            "answer": "Yes: by 0.34 more than random words do.",
        },
        {
            "rule": "stability",
            "needed": True,
            "holds": good or None,
            "value": 0.82 if good else 0.71,
            "low": 0.78 if good else 0.64,
            "high": 0.86 if good else 0.79,
            "threshold": 0.7,
            "must_be": "above",
            "question": "Do its top words alone lead to the same answer?",
            "answer": "Mostly." if good else "Undecided: the interval holds the threshold.",
        },
        {
            "rule": "rationale",
            "needed": False,
            "holds": False,
            "value": 0.31,
            "low": 0.28,
            "high": 0.34,
            "threshold": 0.5,
            "must_be": "above",
            "question": "Are they the words that people marked?",
            "answer": "No: a third of them are.",
        },
    ]


def facts() -> dict[str, Any]:
    """Give the facts of an audited word-mask model, with every section filled."""
    return {
        "format": 1,
        "model": {
            "name": "reviews-vmask",
            "method": "vmask",
            "encoder": "lstm",
            "classes": ["negative", "positive"],
            "settings": {"method": {"beta": 1.0, "gate_dim": 300}, "training": {"epochs": 10, "learning_rate": 0.001}},
            "own_score": "gate",
            "kind": "mask",
            "weights": 1_234_567,
        },
        "data": {
            "name": "sst2",
            "texts": 300,
            "of": 1821,
            "has_labels": True,
            "has_rationales": True,
            "pairs": False,
            "words_per_text": 17.4,
        },
        "accuracy": {"value": 0.857, "low": 0.813, "high": 0.892, "texts": 300},
        "confusion": {"classes": ["negative", "positive"], "counts": [[128, 24], [19, 129]]},
        "calibration": {
            "error": 0.041,
            "bins": [
                {
                    "from": lower,
                    "to": lower + 0.1,
                    "confidence": lower + 0.05,
                    "accuracy": right,
                    "low": right - 0.09,
                    "high": min(right + 0.09, 1.0),
                    "texts": texts,
                }
                for lower, right, texts in (
                    (0.5, 0.53, 22),
                    (0.6, 0.61, 28),
                    (0.7, 0.68, 35),
                    (0.8, 0.82, 60),
                    (0.9, 0.95, 155),
                )
            ],
        },
        "verdicts": [
            {
                "explainer": "own",
                "verdict": "use with care",
                "because": "Its words matter more than random ones, but whether they suffice is undecided.",
                "rules": rules("own"),
            },
            {
                "explainer": "lime",
                "verdict": "trust",
                "because": "Its words decide: without them the answer changes, with them alone it stays.",
                "rules": rules("lime"),
            },
            {
                "explainer": "occlusion",
                "verdict": "do not trust",
                "because": "Its words matter no more than random ones.",
                "rules": rules("occlusion"),
            },
        ],
        "scores": [score(metric, explainer) for metric in METRICS for explainer in EXPLAINERS],
        "agreement": [
            {"one": "own", "other": "lime", "tau": 0.31, "low": 0.27, "high": 0.35, "texts": 300},
            {"one": "own", "other": "occlusion", "tau": 0.28, "low": 0.24, "high": 0.32, "texts": 300},
            {"one": "lime", "other": "occlusion", "tau": 0.74, "low": 0.71, "high": 0.77, "texts": 300},
        ],
        "gallery": [
            {
                "why": why,
                "gold": gold,
                "predicted": predicted,
                "probability": probability,
                "explanations": {name: explanation(text, name, predicted, probability) for name in EXPLAINERS[:3]},
            }
            for why, (gold, predicted, probability, text) in TEXTS.items()
        ],
        "words": {
            "source": "the learned gate",
            "rows": [
                {"word": word, "score": 0.5 + abs(loud), "frequency": 3 + 17 * len(word)}
                for word, loud in sorted(LOUD.items(), key=lambda row: -abs(row[1]))
            ],
            "correlation": {
                "pearson": {"value": -0.02, "low": -0.06, "high": 0.02},
                "spearman": {"value": 0.05, "low": 0.01, "high": 0.09},
                "meaning": "Importance does not simply follow frequency.",
            },
        },
        "attention_tests": {
            "uniform": {
                "metric": "uniform",
                "explainer": "own",
                "value": 0.12,
                "low": 0.1,
                "high": 0.14,
                "texts": 300,
                "higher_is_better": True,
                "meaning": "TVD of the answer when all tokens count the same",
                "curve": None,
            },
            "adversarial": {
                "metric": "adversarial",
                "explainer": "own",
                "value": 0.61,
                "low": 0.58,
                "high": 0.63,
                "texts": 300,
                "higher_is_better": False,
                "meaning": "JSD of the most different attention found that keeps the answer",
                "curve": None,
            },
        },
        "mask": {"keep_min": 0.11, "keep_mean": 0.52, "keep_max": 0.97, "keep_sd": 0.13, "warning": None},
        "map": {
            "points": [
                {
                    "x": 9 * math.cos(i) + (14 if i % 2 else -14),
                    "y": 9 * math.sin(2.3 * i),
                    "gold": "positive" if i % 2 else "negative",
                    "predicted": "positive" if i % 2 and i % 15 else "negative",
                }
                for i in range(200)
            ],
            "silhouette": 0.43,
            "ratio": 1.87,
            "source": "t-SNE of what the last layer reads of each text",
        },
        "cost": {
            "forward_passes": 201_345,
            "seconds": 93.4,
            "explainers": {
                "own": {"forward_passes": 300, "seconds": 0.4, "passes_per_text": 1.0},
                "lime": {"forward_passes": 150_000, "seconds": 61.2, "passes_per_text": 500.0},
                "occlusion": {"forward_passes": 5_520, "seconds": 3.1, "passes_per_text": 18.4},
                "random": {"forward_passes": 300, "seconds": 0.2, "passes_per_text": 1.0},
            },
            "metrics": {"forward_passes": 45_225, "one_by_one": 142_000},
        },
        "again": {
            "command": "whyword audit reviews-vmask sst2 --sample 300 --seed 0 -o report.html",
            "seed": 0,
            "sample": 300,
            "rules": "1",
            "versions": {"whyword": "0.1.0", "torch": "2.13.0", "python": "3.12.4"},
            "when": "2026-11-16",
        },
    }
