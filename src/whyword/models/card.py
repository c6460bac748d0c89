"""The section of an audit in the model card, README.md of a model folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..storage.atomic import replacing

BEGIN, END = "<!-- whyword audit: begin -->", "<!-- whyword audit: end -->"
MAIN_METRICS = ("comprehensiveness", "sufficiency", "probability-drop", "rationale-f1")
_SECTION = re.compile(f"{BEGIN}(?:(?!{BEGIN}).)*?{END}".encode(), re.DOTALL)


def add_audit(folder: Path, facts: Mapping[str, Any]) -> None:
    """Write the facts of an audit into README.md of a model folder, in the place of an earlier audit.

    Everything else in the file stays as it is, byte by byte. A copy saved of the model has a new card without them.
    """
    path = folder / "README.md"
    card = path.read_bytes() if path.is_file() else b""
    line_end = "\r\n" if b"\r\n" in card else "\n"
    section = line_end.join([BEGIN, *_audit(facts), END]).encode()
    if _SECTION.search(card):
        card = _SECTION.sub(lambda _: section, card, count=1)
    else:
        gap = line_end.encode() * (0 if not card else 1 if card.endswith(b"\n") else 2)
        card += gap + section + line_end.encode()
    with replacing(path) as beside:
        beside.write_bytes(card)


def _audit(facts: Mapping[str, Any]) -> Iterator[str]:
    data, again, accuracy = facts["data"], facts["again"], facts["accuracy"]
    better = {score["metric"]: "↑" if score["higher_is_better"] else "↓" for score in facts["scores"]}
    metrics = [name for name in MAIN_METRICS if name in better]
    yield from ("## Audit", "")
    yield f"Measured on {data['texts']:,} of {data['of']:,} texts of {_cell(data['name'])} on {again['when']}."
    if accuracy is not None:
        yield f"Accuracy {accuracy['value']:.1%}, 95 % interval {accuracy['low']:.1%} to {accuracy['high']:.1%}."
    yield ""
    yield from _row(["explainer", "verdict", "why", *(f"{m} {better[m]}" for m in metrics)])
    yield from _row(["---"] * (3 + len(metrics)))
    for verdict in facts["verdicts"]:
        name = verdict["explainer"]
        scores = {score["metric"]: score for score in facts["scores"] if score["explainer"] == name}
        yield from _row([name, verdict["verdict"], verdict["because"], *(_score(scores.get(m)) for m in metrics)])
    if metrics:
        note = "In brackets: the difference from random words, with its 95 % interval. ↑ higher is better, ↓ lower."
        yield from ("", note)
    if again["command"]:
        yield from ("", f"    {' '.join(again['command'].splitlines())}")
    versions = ", ".join(f"{name} {number}" for name, number in again["versions"].items())
    yield from ("", f"Seed {again['seed']}; {_cell(versions)}.")


def _row(cells: Iterable[str]) -> Iterator[str]:
    yield f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: Any) -> str:
    """Keep a text from ending its cell, its line or the section."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def _score(score: Mapping[str, Any] | None) -> str:
    if score is None or score["value"] is None:
        return "–"
    over = [score.get(f"over_random_{name}") for name in ("value", "low", "high")]
    if None in over:
        return f"{score['value']:z.3f}"
    value, low, high = over
    return f"{score['value']:z.3f} ({value:+z.3f}, {low:+z.3f} to {high:+z.3f})"
