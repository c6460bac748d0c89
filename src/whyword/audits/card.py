"""The part of a model card that an audit writes: README.md of the model folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..storage.atomic import replacing
from .data import AuditData, RankRow, ScoreRow

BEGIN, END = "<!-- whyword audit: begin -->", "<!-- whyword audit: end -->"
MAIN_METRICS = (
    "comprehensiveness", "normalized-comprehensiveness", "sufficiency", "direction", "probability-drop", "rationale-f1",
)  # fmt: skip
_SECTION = re.compile(f"{BEGIN}(?:(?!{BEGIN}).)*?{END}".encode(), re.DOTALL)


def add_audit(folder: Path, audit: AuditData) -> None:
    """Write the results of an audit into README.md of a model folder, in the place of an earlier audit.

    Everything else in the file stays as it is, byte by byte. A copy saved of the model has a new card without them.
    """
    path = folder / "README.md"
    card = path.read_bytes() if path.is_file() else b""
    line_end = "\r\n" if b"\r\n" in card else "\n"
    section = line_end.join([BEGIN, *_lines(audit), END]).encode()
    if _SECTION.search(card):
        card = _SECTION.sub(lambda _: section, card, count=1)
    else:
        gap = line_end.encode() * (0 if not card else 1 if card.endswith(b"\n") else 2)
        card += gap + section + line_end.encode()
    with replacing(path) as beside:
        beside.write_bytes(card)


def _lines(audit: AuditData) -> Iterator[str]:
    data, reproduce, accuracy = audit.data, audit.reproduce, audit.accuracy
    better = {score.metric: "↑" if score.higher_is_better else "↓" for score in audit.scores}
    metrics = [name for name in MAIN_METRICS if name in better]
    yield from ("## Audit", "")
    yield f"Measured on {data.texts:,} of {data.of:,} texts of {_cell(data.name)} on {reproduce.when}."
    if accuracy is not None:
        yield f"Accuracy {accuracy.value:.1%}, 95 % interval {accuracy.low:.1%} to {accuracy.high:.1%}."
    if audit.best is not None:
        yield from ("", f"**{_cell(audit.best.sentence)}**")
    if audit.forbidden is not None:
        yield from ("", _cell(audit.forbidden.movement))
    yield ""
    ranking = {row.explainer: row for row in audit.ranking}
    ranked = ["of the best", "passes a text"] if ranking else []
    like = {one.explainer: one.verdict for one in audit.human_like if audit.data.has_rationales}
    likeness = ["human-like"] * bool(like)
    yield _row(["explainer", "verdict", "why", *likeness, *ranked, *(f"{m} {better[m]}" for m in metrics)])
    yield _row(["---"] * (3 + len(likeness) + len(ranked) + len(metrics)))
    scores = {(score.metric, score.explainer): score for score in audit.scores}
    for verdict in audit.verdicts:
        numbers = [_score(scores.get((metric, verdict.explainer))) for metric in metrics]
        rank = _rank(ranking.get(verdict.explainer)) if ranked else []
        people = [like.get(verdict.explainer, "–")] * bool(like)
        yield _row([verdict.explainer, verdict.verdict, verdict.because, *people, *rank, *numbers])
    for warning in audit.warnings:
        yield from ("", f"Warning: {_cell(warning)}")
    if metrics:
        note = "In brackets: the difference from random words, with its 95 % interval. ↑ higher is better, ↓ lower."
        note += " Of the best: share of the comprehensiveness of the best explainer." if ranked else ""
        yield from ("", note)
    if reproduce.command:
        yield from ("", f"    {' '.join(reproduce.command.splitlines())}")
    versions = ", ".join(f"{name} {number}" for name, number in reproduce.versions.items())
    yield from ("", f"Seed {reproduce.seed}; {_cell(versions)}.")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    """Keep a text from ending its cell, its line or the section."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _rank(row: RankRow | None) -> list[str]:
    if row is None or row.share is None:
        return ["–", "–"]
    interval = (
        "" if row.low == row.high or row.low is None or row.high is None else f" ({row.low:.0%} to {row.high:.0%})"
    )
    return [f"{row.share:.0%}{interval}", f"{row.passes_per_text:,.0f}"]


def _score(score: ScoreRow | None) -> str:
    if score is None or score.value is None:
        return "–"
    value, low, high = score.over_random_value, score.over_random_low, score.over_random_high
    if value is None or low is None or high is None:
        return f"{score.value:z.3f}"
    return f"{score.value:z.3f} ({value:+z.3f}, {low:+z.3f} to {high:+z.3f})"
