"""An audit: all that was found out about a model's explanations, ready for a terminal, a page or a program."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ..evaluation.measure import Scores
from ..interfaces.errors import OptionError
from ..interfaces.values import data_frame
from ..storage.atomic import write_text

if TYPE_CHECKING:
    import pandas

WIDTH = 100  # of the lines in a terminal
ENDINGS = (".html", ".json")


@dataclass(frozen=True, eq=False)
class Audit:
    """The facts, as plain values ready for JSON, and the scores with a value per text."""

    facts: Mapping[str, Any]
    scores: Scores

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict on each explainer: trust, use with care, or do not trust."""
        return {row["explainer"]: row["verdict"] for row in self.facts["verdicts"]}

    @property
    def accuracy(self) -> float | None:
        """Share of the texts that the model got right; None without labels."""
        found = self.facts["accuracy"]
        return None if found is None else found["value"]

    def to_dict(self) -> dict[str, Any]:
        """Give all facts."""
        return dict(self.facts)

    def to_json(self) -> str:
        """Write all facts as one line of strict JSON."""
        return json.dumps(self.facts, ensure_ascii=False, allow_nan=False)

    def to_frame(self) -> pandas.DataFrame:
        """Give a pandas frame with a row per metric and explainer."""
        return data_frame([{k: v for k, v in row.items() if k != "curve"} for row in self.facts["scores"]])

    def to_html(self) -> str:
        """Write a whole page that needs nothing from outside."""
        from .page import render

        return render(self.facts)

    def save(self, path: str | Path) -> list[Path]:
        """Write a page (.html) and, beside it, all facts (.json); or the facts alone. Give the files written."""
        path = Path(path)
        if path.suffix not in ENDINGS:
            raise OptionError(f"{path} ends in neither {' nor '.join(ENDINGS)}: name the report one or the other.")
        path.parent.mkdir(parents=True, exist_ok=True)
        files = {path.with_suffix(".json"): self.to_json() + "\n"}
        if path.suffix == ".html":
            files = {path: self.to_html(), **files}
        for file, text in files.items():
            write_text(file, text)
        return list(files)

    def _repr_html_(self) -> str:
        page = escape(self.to_html())
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40em; border: 0" title="Audit"></iframe>'

    def __str__(self) -> str:
        """Write what a person wants to know first: the model, the verdicts and why, then the numbers."""
        parts = [self._heading(), *map(_verdict, self.facts["verdicts"]), str(self.scores)]
        if self.facts["attention_tests"]:
            lines = [_attention_tests(row) for row in self.facts["attention_tests"].values()]
            parts.append("\n".join(["Is the attention faithful?", *lines]))
        return "\n\n".join(parts)

    def _heading(self) -> str:
        model, data, accuracy = (self.facts[name] for name in ("model", "data", "accuracy"))
        of = f" of {data['of']:,}" if data["of"] > data["texts"] else ""
        lines = [f"{model['name']}, asked about {data['texts']:,}{of} texts: {data['name']}"]
        if accuracy is not None:
            lines.append(f"Accuracy {accuracy['value']:.1%} [{accuracy['low']:.1%}, {accuracy['high']:.1%}]")
        if self.facts["mask"] and self.facts["mask"]["warning"]:
            lines.append(f"Warning: {self.facts['mask']['warning']}")
        return "\n".join(lines)


def _verdict(row: Mapping[str, Any]) -> str:
    because = fill(row["because"], WIDTH, initial_indent="  ", subsequent_indent="  ")
    return f"{row['explainer']}: {row['verdict']}\n{because}"


def _attention_tests(row: Mapping[str, Any]) -> str:
    value, low, high = (float("nan") if row[name] is None else row[name] for name in ("value", "low", "high"))
    return f"{row['metric']:<22} {value:6.3f} [{low:.3f}, {high:.3f}]  {row['meaning']}"
