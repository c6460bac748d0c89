"""The page of a comparison: for each data set a picture and a table, then what is needed to make them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..report.charts.axes import styles
from ..report.charts.pareto import front, pareto
from ..report.template import fill
from ..views.characters import showable


def render(facts: Mapping[str, Any]) -> str:
    """Fill the page from the plain values of a Comparison."""
    rows = [_rounded(row, facts["metrics"]) for row in facts["rows"]]
    looks = styles(row["method"] for row in rows)
    measure = f"{facts['measure']} over random words"
    sections = [
        _section([row for row in rows if row["dataset"] == name], looks, measure)
        for name in dict.fromkeys(row["dataset"] for row in rows)
    ]
    others = [name for name in facts["metrics"] if name != facts["measure"]]
    command = facts["command"] and showable(facts["command"])
    counts = {name: len({row[name] for row in rows}) for name in ("encoder", "method")}
    return fill(
        "whyword.grids",
        "comparison.html",
        {**facts, "sections": sections, "others": others, "command": command, "counts": counts},
    )


def _section(rows: Sequence[Mapping[str, Any]], looks: Mapping[str, Any], measure: str) -> dict[str, Any]:
    encoders = {row["encoder"] for row in rows}
    points = [
        {**row, "name": row["method"] if len(encoders) == 1 else f"{row['method']} · {row['encoder']}"}
        for row in rows
        if row["interpretability"] is not None
    ]
    on_front = {(point["encoder"], point["method"]) for point in front(points)} if points else set()
    shown = [
        {**row, "key": looks[row["method"]].key, "front": (row["encoder"], row["method"]) in on_front} for row in rows
    ]
    return {
        "name": rows[0]["dataset"],
        "first": rows[0],
        "rows": shown,
        "chart": pareto(points, looks, measure) if points else None,
        "compared": any(row["accuracy_difference"] is not None for row in rows),
    }


def _rounded(row: Mapping[str, Any], metrics: Sequence[str]) -> dict[str, Any]:
    """Round what is shown, so that no tiny number shows as −0.000."""
    return {**row, **{name: round(row[name], 3) + 0.0 for name in metrics if row[name] is not None}}
