"""What became of the parts that are fitted after a classifier: contributions, and the reader of rationales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..training.contributions import CONTRIBUTIONS
from ..training.rationales import RATIONALES


def contribution_metrics(history: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Say how well contributions explain sub-texts of dev: 1 is all, 0 no better than equal shares for all words."""
    return _health_of(CONTRIBUTIONS, history)


def rationale_metrics(history: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Say from how many texts it was learned what people mark, and how well that is told on dev."""
    return _health_of(RATIONALES, history)


def refinement_warnings(metrics: Mapping[str, Any]) -> list[str]:
    """Say so where contributions came out no better than equal shares for all words."""
    facts = metrics.get(CONTRIBUTIONS, {})
    if facts.get("explained", 1.0) > 0:
        return []
    return [
        f"contributions explain nothing of what sub-texts change ({facts['explained']:.1%}): give a smaller "
        "contributions.learning_rate or more texts, and do not rely on them."
    ]


def _health_of(phase: str, history: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Give what the best epoch of a refinement means; nothing if there was none."""
    best = [record for record in history if record["phase"] == phase and record["best"]]
    return {phase: best[-1]["health"]} if best else {}
