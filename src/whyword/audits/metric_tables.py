"""Scores of an audit, arranged as one table per metric and one chart per curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ..report.charts.axes import spread
from ..report.charts.curves import Curve, curves
from ..report.charts.intervals import interval
from ..report.charts.series import RANDOM, Style

CHANCE = 0.05  # p-values below it count as a difference
FIRST = ("probability-drop", "posthoc-accuracy", "comprehensiveness", "sufficiency")
MAIN_CURVES = FIRST[:2]
ACROSS = {  # what happens along the x axis of a curve
    "probability-drop": "words removed, top first",
    "mean-probability-drop": "words removed, top first",
    "accuracy-drop": "words removed, top first",
    "comprehensiveness": "share of the words removed, top first",
    "posthoc-accuracy": "words kept, top first",
    "posthoc-accuracy-gold": "words kept, top first",
    "sufficiency": "share of the words kept, top first",
}

Facts = Mapping[str, Any]


def by_metric(scores: Sequence[Facts], explainers: Sequence[str]) -> dict[str, list[Facts]]:
    """Group the scores of these explainers by metric, in their order."""
    place = {name: number for number, name in enumerate(explainers)}
    known = sorted((score for score in scores if score["explainer"] in place), key=lambda s: place[s["explainer"]])
    names = sorted(dict.fromkeys(score["metric"] for score in known), key=_weight)
    return {name: [score for score in known if score["metric"] == name] for name in names}


def metric_table(scores: Sequence[Facts], looks: Mapping[str, Style]) -> dict[str, Any]:
    """Give a metric's name and meaning, and a row per explainer with its picture and its place beside random words."""
    bounds = _bounds(scores)
    floor = next((score for score in scores if score["explainer"] == RANDOM), None)
    first = scores[0]
    return {
        "name": first["metric"],
        "meaning": first.get("meaning"),
        "higher": first.get("higher_is_better", True),
        "texts": max((score.get("texts") or 0 for score in scores), default=0),
        "bounds": bounds,
        "rows": [
            {
                **score,
                "random": score["explainer"] == RANDOM,
                "picture": interval(score, bounds, looks[score["explainer"]], floor),
                "better": _better(score),
            }
            for score in scores
        ],
    }


def metric_curves(scores: Sequence[Facts], looks: Mapping[str, Style]) -> Markup | None:
    """Draw the curves of a metric; nothing if it is a single number."""
    lines = [Curve(s["explainer"], looks[s["explainer"]], s["curve"]) for s in scores if len(s.get("curve") or ()) > 1]
    if not any(line.known for line in lines):
        return None
    name = scores[0]["metric"]
    percent = all(point["at"] <= 1 for line in lines for point in line.known)
    return curves(f"{name} of {len(lines)} explainers", lines, ACROSS.get(name, "top words"), percent)


def _better(score: Facts) -> bool | None:
    """Say whether it beats random words for sure, loses to them for sure, or neither."""
    over, chance = score.get("over_random_value"), score.get("over_random_p_holm")
    if over is None or chance is None or chance >= CHANCE or over == 0:
        return None
    return bool((over > 0) == score.get("higher_is_better", True))


def _weight(metric: str) -> tuple[bool, int]:
    """Put first what is shown first, and last the comparison with what people marked."""
    return metric.startswith("rationale"), FIRST.index(metric) if metric in FIRST else len(FIRST)


def _bounds(scores: Sequence[Facts]) -> tuple[float, float]:
    """Give some air around all intervals, but none below 0 or above 1 where no interval goes."""
    known = [score[key] for score in scores for key in ("value", "low", "high") if score.get(key) is not None]
    low, high = spread(known)
    return max(low, 0.0) if min(known, default=-1) >= 0 else low, min(high, 1.0) if max(known, default=2) <= 1 else high
