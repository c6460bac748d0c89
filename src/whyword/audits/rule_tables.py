"""Rules of an audit, arranged as one table of all questions and one table of numbers per explainer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..report.charts.axes import spread
from ..report.charts.intervals import interval
from ..report.charts.series import style_of

Facts = Mapping[str, Any]


def rule_tables(verdicts: Sequence[Facts]) -> dict[str, Any] | None:
    """Give the questions with each explainer's answer, and the rules of each explainer with a picture."""
    told = [verdict for verdict in verdicts if verdict.get("rules")]
    if not told:
        return None
    asked = {rule["rule"]: rule for verdict in told for rule in verdict["rules"]}
    answers = [{rule["rule"]: rule for rule in verdict["rules"]} for verdict in told]
    return {
        "verdicts": [{**verdict, "rules": [_drawn(rule) for rule in verdict["rules"]]} for verdict in told],
        "questions": [{**rule, "answers": [answer.get(name) for answer in answers]} for name, rule in asked.items()],
    }


def _drawn(rule: Facts) -> dict[str, Any]:
    bounds = spread([*(rule.get(key) for key in ("value", "low", "high", "threshold")), 0.0])
    return {**rule, "picture": interval(rule, bounds, style_of(0), threshold=rule.get("threshold"), height=26)}
