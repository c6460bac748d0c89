"""What came out of a grid: a leaderboard, as a value that shows itself in a terminal, in papers and on a page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import catalog
from ..interfaces.settings import data_frame, json_ready, strict_json
from ..report.charts.axes import Style, styles
from ..report.charts.pareto import front, pareto
from ..report.tables import MINUS, NONE, TWO_SEEDS, Entry, escape_latex, latex, markdown, plain, with_interval
from ..report.template import fill, p_value
from ..storage.atomic import write_text
from ..views.characters import showable
from .leaderboard import LEVEL, Measured, Row, leaderboard
from .runner import RunRecord

if TYPE_CHECKING:
    import pandas

MOST_NAMED = 10  # forbidden words
FIGURES = {  # beside accuracy, where texts may have several labels or classes have an order: name, scale, digits
    "macro_f1": ("macro-F1", 100, 1),
    "micro_f1": ("micro-F1", 100, 1),
    "absolute_error": ("mean absolute error", 1, 3),
    "kappa": ("weighted kappa", 1, 3),
}
Values = Mapping[str, Any]  # of a row or of the whole, ready for JSON


@dataclass(frozen=True, eq=False)
class Comparison:
    """The records of all runs, and how they are to be summed up."""

    records: Sequence[RunRecord]  # of all runs, in the order of the grid, failed ones too
    measure: str = "comprehensiveness"  # the metric by which explanations are ranked
    baseline: str = "base"  # the method that the others are compared with
    command: str | None = None  # what reproduces it

    @cached_property
    def rows(self) -> list[Row]:
        """A row per data set, encoder and method."""
        return leaderboard([record for record in self.records if record.failed is None], self.measure, self.baseline)

    @property
    def failures(self) -> list[RunRecord]:
        """The runs without numbers."""
        return [record for record in self.records if record.failed is not None]

    @property
    def compared(self) -> bool:
        """Whether some row has another to be compared with."""
        return any(row.accuracy.difference for row in self.rows)

    @property
    def weighed(self) -> bool:
        """Whether some method has attention weights or gates beside its contributions."""
        return any(row.mechanism for row in self.rows)

    @property
    def several(self) -> list[str]:
        """The data sets whose texts may have several labels."""
        return list(dict.fromkeys(row.dataset for row in self.rows if "macro_f1" in row.first.result))

    @property
    def figures(self) -> list[str]:
        """The figures beside accuracy that some run measured."""
        return [name for name in FIGURES if any(name in row.first.result for row in self.rows)]

    @property
    def metrics(self) -> list[str]:
        """All metrics that some run measured."""
        return list(dict.fromkeys(name for row in self.rows for name in row.first.result.get("scores", {})))

    def values(self) -> list[Values]:
        """Give every number of every row as plain values; None where there is none."""
        return [json_ready(dict(self._values(row))) for row in self.rows]

    def notes(self) -> list[str]:
        """Say what the numbers are, and what a reader must know about them."""
        notes = [
            "Accuracy in %, mean over seeds ± half of the 95 % interval (Student's t), or with both ends where one is "
            "cut at 0 or 100 %, on the test split (on dev where there is none)."
        ]
        if self.several:
            notes.append(
                f"Texts of {', '.join(self.several)} may have several labels: accuracy is the share of texts all of "
                "whose labels are right, macro-F1 counts every label alike, and what is explained is each label that "
                "the model gives to a text."
            )
        if "kappa" in self.figures:
            notes.append(
                "Classes have an order: the median class is predicted, the absolute error (lower is better) is in "
                "steps of the scale, kappa has quadratic weights."
            )
        if any(row.interpretability for row in self.rows):
            most = max(row.first.result["explained_texts"] for row in self.rows if row.interpretability)
            notes.append(
                f"'{self.measure}' is how much better the explanations are than random words "
                f"({catalog.load('metrics', self.measure).meaning}), on up to {most:,} texts; higher is better. Other "
                "metrics stand as they are."
            )
        if self.weighed:
            notes.append(
                "Explanations are contributions; 'of its weights' is the same of a method's attention weights or gates."
            )
        if self.compared:
            notes.append(
                f"Δ is the difference from '{self.baseline}' on the same texts and seeds; p takes both as sources of "
                "chance and is corrected after Holm for the number of differences in its column."
            )
        notes.append(f"Marked as best: better than every other row of the data set, each p < {LEVEL} after Holm.")
        notes += [
            f"Training texts of {name} capped at {rows:,}."
            for name, rows in {(row.dataset, row.first.rows): None for row in self.rows if row.first.rows}
        ]
        notes += list(dict.fromkeys(note for row in self.rows for note in _of_forbidden(row.first.settings)))
        if any(len(row.records) == 1 for row in self.rows):
            notes.append("One seed gives no interval, and says nothing about other seeds.")
        if any(len(row.records) == 2 for row in self.rows):
            notes.append(TWO_SEEDS)
        notes += [f"Failed: {r.dataset} {r.encoder} {r.method} seed {r.seed}: {r.failed}" for r in self.failures]
        return notes

    def table(self, full: bool = True) -> list[list[Entry]]:
        """Lay out the leaderboard, its head first; if not full, without the metrics that do not rank it."""
        others = [name for name in self.metrics if name != self.measure] if full else []
        marks = [f"{name} {'↑' if catalog.load('metrics', name).higher_is_better else '↓'}" for name in others]
        delta = ["Δ", "p"] if self.compared else []
        measure = [f"{self.measure} over random", *delta] if self.metrics else []
        if self.weighed:
            measure.append("of its weights")
        figures = [FIGURES[name][0] for name in self.figures]
        numbers = ["seeds", "accuracy", *delta, *figures, *measure, *marks]
        head = [*map(Entry, ("data", "encoder", "method")), *(Entry(name, right=True) for name in numbers)]
        head += [Entry("explainer"), Entry("train s", right=True), Entry("ms/step", right=True)]
        return [head, *([*self._entries(row, others)] for row in self.rows)]

    def _entries(self, row: Row, others: list[str]) -> Iterator[Entry]:
        yield from map(Entry, (row.dataset, row.encoder, row.method))
        yield Entry(str(len(row.records)), right=True)
        yield from _measured(row.accuracy, self.compared, 100, 1)
        for name in self.figures:
            _, scale, digits = FIGURES[name]
            yield Entry(with_interval(row.figure(name), digits, scale), right=True)
        if self.metrics:
            yield from _measured(row.interpretability, self.compared, 1, 3)
        if self.weighed:
            yield from _measured(row.mechanism, False, 1, 3)
        for name in others:
            yield Entry(with_interval(row.score(name)), right=True)
        yield Entry(row.first.result.get("explainer") or NONE)
        yield Entry(f"{row.mean('train_seconds'):,.1f}", right=True)
        yield Entry(f"{1000 * row.step_seconds:,.1f}", right=True)

    def _values(self, row: Row) -> Iterator[tuple[str, Any]]:
        first, result = row.first, row.first.result
        yield from {"dataset": row.dataset, "rows": first.rows, "train_texts": first.train_texts}.items()
        yield from {"encoder": row.encoder, "method": row.method, "seeds": len(row.records)}.items()
        yield from {"split": result["split"], "texts": result["texts"]}.items()
        yield from _flat("accuracy", row.accuracy)
        for name in self.figures:
            figure = row.figure(name)
            yield from {name: figure.value, f"{name}_low": figure.low, f"{name}_high": figure.high}.items()
        yield from {"baseline": self.baseline, "explainer": result.get("explainer")}.items()
        yield from {"explained_texts": result.get("explained_texts"), "measure": self.measure}.items()
        yield from _flat("interpretability", row.interpretability)
        if self.weighed:
            yield from _flat("mechanism", row.mechanism)
        for name in self.metrics:
            score = row.score(name)
            yield from {name: score.value, f"{name}_low": score.low, f"{name}_high": score.high}.items()
        yield from {"train_seconds": row.mean("train_seconds"), "step_seconds": row.step_seconds}.items()
        yield from {
            "wall_seconds": row.wall_seconds,
            "epochs": row.mean("epochs"),
            "weights": row.mean("weights"),
        }.items()

    def to_csv(self) -> str:
        """Write all numbers, a line per row of the leaderboard."""
        values, text = self.values(), io.StringIO()
        writer = csv.DictWriter(text, list(values[0]) if values else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(values)
        return text.getvalue()

    def to_markdown(self) -> str:
        """Write the leaderboard and its notes for Markdown."""
        return markdown(self.table()) + "\n" + "".join(f"- {note}\n" for note in self.notes())

    def to_latex(self) -> str:
        """Write the leaderboard for LaTeX's booktabs, its notes below it."""
        notes = "\n".join(f"% {line}" for note in self.notes() for line in escape_latex(note).splitlines())
        return f"% needs \\usepackage{{booktabs}}\n{latex(self.table())}{notes}\n"

    def to_frame(self) -> pandas.DataFrame:
        """Give a pandas frame with all numbers, a line per row of the leaderboard."""
        return data_frame(self.values())

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return {
            "measure": self.measure,
            "baseline": self.baseline,
            "command": self.command,
            "runs": len(self.records),
            "rows": self.values(),
            "failures": [{n: v for n, v in record.to_dict().items() if n != "trace"} for record in self.failures],
            "notes": self.notes(),
        }

    def to_html(self) -> str:
        """Write a page that needs nothing from outside."""
        versions = {json.dumps(record.versions) for row in self.rows for record in row.records}
        sorted_versions = [json.loads(text) for text in sorted(versions)]
        shown = {"versions": sorted_versions, "metrics": self.metrics, "several": self.several}
        return render_page({**self.to_dict(), **shown})

    def save(self, folder: str | Path) -> None:
        """Write the leaderboard in every form, and the page."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        write_text(place / "leaderboard.csv", self.to_csv())
        write_text(place / "leaderboard.md", self.to_markdown())
        write_text(place / "leaderboard.tex", self.to_latex())
        write_text(place / "comparison.json", strict_json(self.to_dict(), indent=1))
        write_text(place / "comparison.html", self.to_html())

    def __str__(self) -> str:
        """Write the leaderboard and its notes for a terminal."""
        return "\n".join([plain(self.table(full=False)), "", *self.notes()])


def _measured(measured: Measured | None, compared: bool, scale: float, digits: int) -> Iterator[Entry]:
    if measured is None:
        yield from [Entry(NONE, right=True)] * (3 if compared else 1)
        return
    yield Entry(with_interval(measured.mean, digits, scale), measured.best, right=True)
    if compared:
        difference = measured.difference
        known = difference is not None and not isnan(difference.p)
        shown = f"{scale * difference.value:+z.{digits}f}".replace("-", MINUS) if difference and known else NONE
        yield Entry(shown, right=True)
        yield Entry(p_value(difference.p if difference else None), right=True)


def _flat(name: str, measured: Measured | None) -> Iterator[tuple[str, Any]]:
    mean = None if measured is None else measured.mean
    difference = None if measured is None else measured.difference
    yield name, mean and mean.value
    yield f"{name}_low", mean and mean.low
    yield f"{name}_high", mean and mean.high
    yield f"{name}_difference", difference and difference.value
    yield f"{name}_difference_low", difference and difference.low
    yield f"{name}_difference_high", difference and difference.high
    yield f"{name}_p", difference and difference.p
    yield f"{name}_best", measured is not None and measured.best


def _of_forbidden(settings: Mapping[str, Any]) -> Iterator[str]:
    """Name the words that must not decide."""
    meanings = {"forbid": "Not read by any model", "forbid_soft": "Taught to move no answer (tfidf does not read them)"}
    for name, meaning in meanings.items():
        entries = settings.get(name) or ()
        if entries:
            yield f"{meaning}: {', '.join(entries[:MOST_NAMED])}{' …' if len(entries) > MOST_NAMED else ''}."


def render_page(values: Values) -> str:
    """Fill the page: for each data set a picture and a table, then what is needed to reproduce them."""
    rows = [_rounded(row, values["metrics"]) for row in values["rows"]]
    looks = styles(row["method"] for row in rows)
    measure = f"{values['measure']} over random words"
    sections = [
        _section([row for row in rows if row["dataset"] == name], looks, measure)
        for name in dict.fromkeys(row["dataset"] for row in rows)
    ]
    others = [name for name in values["metrics"] if name != values["measure"]]
    command = values["command"] and showable(values["command"])
    counts = {name: len({row[name] for row in rows}) for name in ("encoder", "method")}
    shown = {"sections": sections, "others": others, "command": command, "counts": counts}
    return fill("whyword.grids", "comparison.html", {**values, **shown})


def _section(rows: Sequence[Values], looks: Mapping[str, Style], measure: str) -> Values:
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
        "several": rows[0].get("macro_f1") is not None,
        "figures": [
            (name, title[0].upper() + title[1:], scale != 1)
            for name, (title, scale, _) in FIGURES.items()
            if rows[0].get(name) is not None
        ],
        "compared": any(row["accuracy_difference"] is not None for row in rows),
    }


def _rounded(row: Values, metrics: Sequence[str]) -> Values:
    """Round what is shown, so that no tiny number shows as −0.000."""
    return {**row, **{name: round(row[name], 3) + 0.0 for name in metrics if row[name] is not None}}
