"""The result of an audit: it shows itself in a terminal, on a page or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from html import escape
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ..evaluation.measure import Scores
from ..interfaces.errors import OptionError
from ..interfaces.places import as_place
from ..interfaces.settings import data_frame
from ..storage.atomic import write_text
from ..storage.lock import owned
from .data import AuditData, LabelAudit, Recommendation, Verdict
from .verdicts import NO_MARKS

if TYPE_CHECKING:
    import pandas

WIDTH = 100  # of the lines in a terminal
MOST_LABELS = 50  # lines in a terminal
ENDINGS = (".html", ".json")


@dataclass(frozen=True, eq=False)
class Audit:
    """What an audit found out, and the scores with a value per text."""

    data: AuditData
    scores: Scores

    @property
    def verdicts(self) -> dict[str, str]:
        """Whether each explainer is true to the model: trust, use with care, or do not trust."""
        return {verdict.explainer: verdict.verdict for verdict in self.data.verdicts}

    @property
    def human_like(self) -> dict[str, str]:
        """Whether each explainer finds the words that people marked, which says nothing of what the model does.

        It is human-like, partly human-like, not human-like, undecided or, without marked words, not measured.
        """
        return {verdict.explainer: verdict.verdict for verdict in self.data.human_like}

    @property
    def best(self) -> Recommendation | None:
        """Which explanation to use on this model, what it costs, and what the next better one would."""
        return self.data.best

    @property
    def accuracy(self) -> float | None:
        """Share of the texts that the model got right; None without labels."""
        return None if self.data.accuracy is None else self.data.accuracy.value

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return self.data.to_dict()

    def to_json(self) -> str:
        """Write all of it as one line of strict JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_frame(self) -> pandas.DataFrame:
        """Give a pandas frame with a row per metric and explainer."""
        rows = [asdict(replace(score, curve=None)) for score in self.data.scores]
        return data_frame([{name: value for name, value in row.items() if name != "curve"} for row in rows])

    def to_html(self) -> str:
        """Write a whole page that needs nothing from outside."""
        from .page import render

        return render(self.data)

    def save(self, path: str | Path) -> list[Path]:
        """Write a page (.html) and, beside it, JSON (.json); or JSON alone. Give the files written."""
        path = as_place(path)
        if path.suffix not in ENDINGS:
            raise OptionError(f"{path} ends in neither {' nor '.join(ENDINGS)}: name the report one or the other.")
        path.parent.mkdir(parents=True, exist_ok=True)
        files = {path.with_suffix(".json"): self.to_json() + "\n"}
        if path.suffix == ".html":
            files = {path: self.to_html(), **files}
        with owned(path):
            for file, text in files.items():
                write_text(file, text)
        return list(files)

    def _repr_html_(self) -> str:
        page = escape(self.to_html())
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40em; border: 0" title="Audit"></iframe>'

    def __str__(self) -> str:
        """Write what a person wants to know first: the model, what to use, the verdicts and why, then the numbers."""
        best = [] if self.best is None else [fill(self.best.sentence, WIDTH)]
        warnings = [fill(f"Warning: {warning}", WIDTH) for warning in self.data.warnings]
        verdicts = [_table(self.data)] * bool(self.data.verdicts)
        forbidden = [] if self.data.forbidden is None else [fill(str(self.data.forbidden), WIDTH)]
        parts = [self._heading(), *best, *warnings, *forbidden, *verdicts, *_reasons(self.data), str(self.scores)]
        if self.data.labels:
            parts.append("\n".join(map(_label_line, self.data.labels[:MOST_LABELS])))
        if self.data.attention_tests is not None:
            parts.append(f"Is the attention faithful?\n{self.data.attention_tests}")
        return "\n\n".join(parts)

    def _heading(self) -> str:
        data, accuracy, mask = self.data.data, self.data.accuracy, self.data.mask
        of = f" of {data.of:,}" if data.of > data.texts else ""
        lines = [f"{self.data.model.name}, asked about {data.texts:,}{of} texts: {data.name}"]
        if accuracy is not None:
            what = "All labels right" if self.data.label_quality is not None else "Accuracy"
            lines.append(f"{what} {accuracy.value:.1%} [{accuracy.low:.1%}, {accuracy.high:.1%}]")
        if self.data.label_quality is not None:
            micro, macro = self.data.label_quality.micro_f1, self.data.label_quality.macro_f1
            lines.append(
                f"Micro-F1 {micro.value:.1%} [{micro.low:.1%}, {micro.high:.1%}], "
                f"macro-F1 {macro.value:.1%} [{macro.low:.1%}, {macro.high:.1%}]"
            )
        if self.data.labels:
            lines.append("Scores are over every label that the model gives to a text.")
        if mask is not None and mask.warning:
            lines.append(f"Warning: {mask.warning}")
        return "\n".join(lines)


def _label_line(label: LabelAudit) -> str:
    """Say of one label how good the model is, and which of its explanations to use."""
    f1 = "" if label.f1 is None else f", F1 {label.f1:.1%}"
    like = {verdict.explainer: f" ({verdict.verdict})" for verdict in label.human_like if verdict.rules}
    judged = ", ".join(f"{one.explainer}: {one.verdict}{like.get(one.explainer, '')}" for one in label.verdicts)
    return f"{label.label} ({label.texts:,} texts{f1}): {judged or 'too few texts for a verdict'}"


def _table(data: AuditData) -> str:
    """Write both verdicts on each explainer side by side."""
    like = {verdict.explainer: verdict.verdict for verdict in data.human_like}
    rows = [(one.explainer, one.verdict, like.get(one.explainer, "")) for one in data.verdicts]
    lines = [("", "true to the model?", "human-like?" if like else ""), *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def _reasons(data: AuditData) -> Iterator[str]:
    """Say why, of each explainer; where nothing says which words people marked, once."""
    like = {verdict.explainer: verdict for verdict in data.human_like}
    for verdict in data.verdicts:
        other = [like[verdict.explainer]] if data.data.has_rationales and verdict.explainer in like else []
        yield "\n".join(map(_paragraph, [verdict, *other]))
    if data.human_like and not data.data.has_rationales:
        yield f"human-like: not measured\n  {NO_MARKS}"


def _paragraph(verdict: Verdict) -> str:
    because = fill(verdict.because, WIDTH, initial_indent="  ", subsequent_indent="  ")
    return f"{verdict.explainer}: {verdict.verdict}\n{because}"
