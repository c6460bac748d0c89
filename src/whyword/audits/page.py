"""The page of an audit: a pure function of its facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import Any

from ..report.charts import bars, calibration, confusion, intervals, scatter, series
from ..report.template import fill
from .highlighting import highlighted, legend
from .metric_tables import MAIN_CURVES, by_metric, metric_curves, metric_table
from .rule_tables import rule_tables

MOST_EXPLAINERS = 16
MOST_PAINTERS = 8  # explainers in the gallery
MOST_TEXTS = 12  # in the gallery
MOST_METRICS = 30
MOST_PAIRS = 45
SHOWN_AT_FIRST = 3  # explainers side by side before the reader chooses

SECTIONS = (  # in the order of the page: its part of the facts, and its heading
    ("verdicts", "Verdicts"),
    ("rules", "Why this verdict"),
    ("gallery", "Texts"),
    ("curves", "Curves"),
    ("metrics", "Metrics"),
    ("agreement", "Agreement"),
    ("words", "Words"),
    ("confusion", "Confusions"),
    ("calibration", "Calibration"),
    ("map", "Map"),
    ("attention_tests", "Attention tests"),
    ("mask", "Mask health"),
    ("cost", "Cost"),
    ("again", "Make it again"),
)
HALVES = (
    "confusion",
    "calibration",
    "map",
    "attention_tests",
    "mask",
    "cost",
    "again",
)  # two of them stand side by side

Facts = Mapping[str, Any]


def render(facts: Facts) -> str:
    """Write the whole page; parts of which there are no facts are left out."""
    explainers = _explainers(facts)
    looks = series.styles(explainers)
    groups = dict(list(by_metric(facts.get("scores") or (), [*explainers, series.RANDOM]).items())[:MOST_METRICS])
    drawn = {name: metric_curves(scores, looks) for name, scores in groups.items()}
    verdicts = [verdict for verdict in facts.get("verdicts") or () if verdict["explainer"] in looks]
    parts: dict[str, Any] = {
        "verdicts": verdicts,
        "rules": rule_tables(verdicts),
        "gallery": _gallery(facts, explainers),
        "curves": {name: curve for name, curve in drawn.items() if curve},
        "metrics": [metric_table(scores, looks) for scores in groups.values() if scores],
        "agreement": _agreement(facts.get("agreement") or (), looks),
        "words": _words(facts.get("words")),
        "confusion": _confusion(facts.get("confusion")),
        "calibration": _calibration(facts.get("calibration")),
        "map": _map(facts.get("map")),
        "attention_tests": facts.get("attention_tests"),
        "mask": facts.get("mask"),
        "cost": _cost(facts.get("cost"), looks),
        "again": facts.get("again"),
    }
    paired = [name for name in HALVES if parts[name]]
    return fill(
        "audit.html",
        {
            "facts": facts,
            "parts": parts,
            "sections": [(name, heading) for name, heading in SECTIONS if parts[name]],
            "looks": looks,
            "main_curves": [name for name in MAIN_CURVES if parts["curves"].get(name)] or [*parts["curves"]][:2],
            "halves": paired[: len(paired) // 2 * 2],
        },
    )


def _explainers(facts: Facts) -> list[str]:
    """List the explainers but random words: those with a verdict first, then as they were measured."""
    named = [part["explainer"] for key in ("verdicts", "scores") for part in facts.get(key) or ()]
    named += [name for item in facts.get("gallery") or () for name in item.get("explanations") or ()]
    return [name for name in dict.fromkeys(named) if name != series.RANDOM][:MOST_EXPLAINERS]


def _gallery(facts: Facts, explainers: Sequence[str]) -> dict[str, Any] | None:
    """Paint the texts, those of one kind together."""
    items = (facts.get("gallery") or ())[:MOST_TEXTS]
    there = {name for item in items for name in item.get("explanations") or ()}
    names = [name for name in [*explainers, series.RANDOM] if name in there][:MOST_PAINTERS]
    if not names:
        return None
    kinds: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        found = item.get("explanations") or {}
        painted = [(number, name, highlighted(found[name])) for number, name in enumerate(names) if name in found]
        kinds.setdefault(item.get("why") or "", []).append({**item, "painted": painted})
    signs = {
        bool(item["explanations"][name].get("signed", True))
        for item in items
        for name in names
        if name in item["explanations"]
    }
    return {
        "names": names,
        "hidden": list(range(SHOWN_AT_FIRST, len(names))),
        "kinds": kinds,
        "legends": [legend("the predicted class", signed) for signed in sorted(signs, reverse=True)],
    }


def _agreement(pairs: Sequence[Facts], looks: Facts) -> list[dict[str, Any]]:
    known = [pair for pair in pairs if pair.get("tau") is not None]
    least = min([0.0, *(pair.get("low") or 0.0 for pair in known)])
    return [
        {
            **pair,
            "least": least,
            "picture": intervals.interval({**pair, "value": pair["tau"]}, (least, 1.0), series.style_of(0), height=24),
        }
        for pair in sorted(known, key=lambda pair: -pair["tau"])[:MOST_PAIRS]
    ]


def _words(facts: Facts | None) -> dict[str, Any] | None:
    rows = [row for row in (facts or {}).get("rows") or () if row.get("score") is not None][:50]
    if facts is None or not rows:
        return None
    largest = max(abs(row["score"]) for row in rows) or 1.0
    most = max(row.get("frequency") or 0 for row in rows) or 1
    signed = any(row["score"] < 0 for row in rows)
    drawn = [
        {
            **row,
            "score_bar": bars.bar(row["score"], largest, signed),
            "frequency_bar": bars.bar(log1p(row.get("frequency") or 0), log1p(most), color="random"),
        }
        for row in rows
    ]
    return {**facts, "rows": drawn}


def _confusion(facts: Facts | None) -> dict[str, Any] | None:
    """Draw the matrix of few classes; of any number list the pairs that are confused most."""
    if not facts or not facts.get("counts"):
        return None
    classes, counts = [str(label) for label in facts["classes"]], facts["counts"]
    wrong = [
        {"gold": classes[i], "predicted": classes[j], "texts": count, "share": count / sum(row)}
        for i, row in enumerate(counts)
        for j, count in enumerate(row)
        if i != j and count
    ]
    drawn = confusion.confusion(classes, counts) if len(classes) <= confusion.MOST_CLASSES else None
    listed = 0 if len(classes) <= 2 else 10 if drawn is None else 5
    return {
        "picture": drawn,
        "wrong": sorted(wrong, key=lambda pair: -pair["texts"])[:listed],
        "classes": len(classes),
    }


def _calibration(facts: Facts | None) -> dict[str, Any] | None:
    return {**facts, "picture": calibration.calibration(facts["bins"])} if facts and facts.get("bins") else None


def _map(facts: Facts | None) -> dict[str, Any] | None:
    if not facts or not facts.get("points"):
        return None
    return {**facts, "picture": scatter.scatter(facts["points"]), "classes": scatter.classes(facts["points"])}


def _cost(facts: Facts | None, looks: Facts) -> dict[str, Any] | None:
    if not facts:
        return None
    rows = [{"name": name, **row} for name, row in (facts.get("explainers") or {}).items() if name in looks]
    most = max((row.get("passes_per_text") or 0 for row in rows), default=0) or 1
    return {**facts, "rows": [{**row, "bar": bars.bar(row.get("passes_per_text"), most)} for row in rows]}
