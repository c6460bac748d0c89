"""A reproduced paper, as a value that shows itself in a terminal and writes itself into a folder."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from PIL import Image

from ...grids.runner import RunRecord
from ...grids.variant import Settings
from ...interfaces.settings import json_ready, strict_json
from ...maths.stats.intervals import Estimate
from ...report.tables import TWO_SEEDS, Entry, Table, markdown, plain, with_interval
from ...storage.atomic import write_text
from .claims import ClaimResult, DatasetEffect
from .paper import Paper, Results, Scale, TableOrFigure, in_seeds
from .tables import Number, ReproducedTable

DPI, COLORS = 80, 64  # of figures
NOT_RUN = "not run"  # a claim of whose rows no data set has both


@dataclass(frozen=True)
class ReproductionReport:
    """Tables and figures of a paper, ours beside the published."""

    paper: Paper
    scale_name: str
    scale: Scale
    tables: Sequence[ReproducedTable]
    command: str | None = None
    records: Collection[RunRecord] = ()  # all that was run for it, also models that only judge
    missing: int = 0  # runs that are still to come
    earlier: int = 0  # runs whose evaluation has an earlier form, which tells the same numbers, but fewer

    @property
    def caps(self) -> str:
        """Say how much of the paper this is."""
        missing = [f"runs still missing: {self.missing}"] if self.missing else []
        earlier = [f"runs recorded in an earlier form, to be run again: {self.earlier}"] if self.earlier else []
        return ", ".join([f"scale {self.scale_name}", *self.scale.caps, *missing, *earlier])

    @property
    def hours(self) -> float:
        """Hours that all runs took, one after the other."""
        return round(sum(record.wall_seconds for record in self.records) / 3600, 1)

    @property
    def versions(self) -> str:
        """The versions that it was made with."""
        versions: dict[str, set[str]] = {}
        for record in self.records:
            for name, version in record.versions.items():
                versions.setdefault(name, set()).add(version)
        return ", ".join(f"{name} {' and '.join(sorted(numbers))}" for name, numbers in versions.items())

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        values = {
            "paper": self.paper.name,
            "title": self.paper.title,
            "scale": {"name": self.scale_name, **asdict(self.scale)},
            "command": self.command,
            "hours": self.hours,
            "missing": self.missing,
            "earlier": self.earlier,
            "versions": self.versions,
            "tables": [_values(reproduced) for reproduced in self.tables],
        }
        return dict(json_ready(values))

    def __str__(self) -> str:
        """Write every table and claim for a terminal; the numbers of a picture are left to the files."""
        parts = [f"{self.paper.title}\n{self.caps}."]
        for reproduced in self.tables:
            numbers = reproduced.table.draw is None
            parts += [_heading(reproduced.table), *_content(reproduced, plain, numbers)]
        return "\n\n".join(part.rstrip("\n") for part in parts)

    def markdown(self, pictures: Mapping[str, Sequence[str]] | None = None) -> str:
        """Write every table and claim as Markdown; picture files are given by the name of their table or figure."""
        parts = [f"# {self.paper.title}", f"Reproduced: {self.caps}."]
        if self.command:
            parts.append(f"```sh\n{self.command}\n```")
        if self.records:
            parts.append(f"{self.hours:g} hours of one core, with {self.versions}.")
        for reproduced in self.tables:
            files = (pictures or {}).get(reproduced.table.name, ())
            parts += [f"## {_heading(reproduced.table)}", *(f"![{file}]({file})" for file in files)]
            parts += _content(reproduced, markdown)
        return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"

    def save(self, folder: Path) -> None:
        """Write reproduction.md and .json, and the pictures."""
        folder.mkdir(parents=True, exist_ok=True)
        pictures: dict[str, list[str]] = {}
        for reproduced in self.tables:
            table = reproduced.table
            if table.draw is not None and reproduced.records:
                for name, figure in table.draw(_results(reproduced)).items():
                    file = f"{_file_name(f'{table.name}-{name}')}.png"
                    save_figure(figure, folder / file)
                    pictures.setdefault(table.name, []).append(file)
        write_text(folder / "reproduction.md", self.markdown(pictures))
        write_text(folder / "reproduction.json", strict_json(self.to_dict()) + "\n")


def save_figure(figure: Figure, place: Path) -> None:
    """Write a PNG with a palette of 64 colors: a third of the bytes of a plain one, and nothing less to see."""
    with io.BytesIO() as plain_png:
        figure.savefig(plain_png, format="png", dpi=DPI)
        with Image.open(plain_png) as picture:
            flat = picture.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
    flat.save(place, format="PNG", optimize=True)


def _values(reproduced: ReproducedTable) -> Settings:
    """Give plain values of one table or figure."""
    table = reproduced.table
    return {
        "name": table.name,
        "title": table.title,
        "note": table.note,
        "numbers": [asdict(number) for number in reproduced.numbers],
        "claims": [_plain_values(result) for result in reproduced.claims],
    }


def _plain_values(result: ClaimResult) -> Settings:
    claim = result.claim
    kept = {"margin": claim.margin, "within": claim.within, "relevant": claim.relevant, "obstacle": claim.obstacle}
    return {**asdict(result), "claim": claim.sentence, **kept}


def _heading(table: TableOrFigure) -> str:
    return f"{table.name.capitalize()}. {table.title}"


def _content(reproduced: ReproducedTable, write: Callable[[Table], str], with_numbers: bool = True) -> Iterator[str]:
    """Give the parts of a table or figure: its numbers, what else there is to see, a note, and the claims."""
    table = reproduced.table
    if not reproduced.records:
        yield "Nothing is there yet."
        return
    if not (reproduced.numbers or table.show):
        yield "The records at hand have no such numbers."
    elif not with_numbers:
        yield "Drawn in the folder; its numbers are in reproduction.md."
    else:
        yield from map(write, _tables(reproduced.numbers))
        if any(number.seeds == 2 for number in reproduced.numbers):
            yield TWO_SEEDS
    if table.show is not None:
        yield table.show(_results(reproduced))
    if table.note:
        yield table.note
    if reproduced.claims:
        yield write(_claims(reproduced.claims))


def _results(reproduced: ReproducedTable) -> Results:
    return {key: [record.result for record in records] for key, records in reproduced.records.items()}


def _tables(numbers: Sequence[Number]) -> list[Table]:
    """Lay out a table: data sets across where a row has one number for each, else a table for each data set."""
    if not numbers:
        return []
    if {number.column for number in numbers} == {"value"}:
        return [_table(numbers, "dataset")]
    return [
        _table([number for number in numbers if number.dataset == dataset], "column", dataset)
        for dataset in dict.fromkeys(number.dataset for number in numbers)
    ]


def _table(numbers: Sequence[Number], across: str, corner: str = "") -> Table:
    """Write ours with half of its interval, and in brackets the published number and how far ours is from it."""
    columns = list(dict.fromkeys(getattr(number, across) for number in numbers))
    placed = {(number.row, getattr(number, across)): number for number in numbers}
    digits = {column: _digits(number for (_, name), number in placed.items() if name == column) for column in columns}
    table = [[Entry(corner), *(Entry(column, right=True) for column in columns)]]
    for row in dict.fromkeys(number.row for number in numbers):
        entries = (_beside(placed.get((row, column)), digits[column]) for column in columns)
        table.append([Entry(row), *(Entry(entry, right=True) for entry in entries)])
    return table


def _digits(numbers: Iterable[Number]) -> int:
    """Choose how many digits behind the point suit the largest number of a column."""
    largest = max(abs(number.ours.value) for number in numbers)
    return 1 if largest >= 10 else 2 if largest >= 1 else 3


def _beside(number: Number | None, digits: int) -> str:
    if number is None:
        return "–"
    apart = number.difference
    published = "" if apart is None else f" ({number.published:g}, {apart:+.{digits}f})"
    return f"{with_interval(number.ours, digits)}{published}"


def _claims(results: Sequence[ClaimResult]) -> Table:
    head = [Entry("claim"), *(Entry(name, right=True) for name in ("effect", "95 % interval", "p")), Entry("verdict")]
    table = [[*head, Entry("by data set")]]
    for result in results:
        p = "–" if isnan(result.p) else f"{result.p:.2g}"
        numbers = [Entry(words, right=True) for words in (signed(result.effect.value), interval(result.effect), p)]
        by_dataset = "; ".join(f"{name} {_on_dataset(found)}" for name, found in result.by_dataset.items()) or NOT_RUN
        verdict = f"{result.verdict}: {result.claim.obstacle}" if result.claim.obstacle else result.verdict
        table.append([Entry(result.claim.sentence), *numbers, Entry(verdict), Entry(by_dataset)])
    return table


def _on_dataset(found: DatasetEffect) -> str:
    """Write an effect on one data set with its interval, how many seeds it rests on, and why it does not count."""
    written = (
        f"{signed(found.effect.value)} [{interval(found.effect)}]" if found.seeds > 1 else signed(found.effect.value)
    )
    floor = ", at the floor of TF-IDF" if found.at_floor else ""
    return f"{written} ({in_seeds(found.seeds)}{' and texts' if found.with_texts else ''}{floor})"


def interval(estimate: Estimate) -> str:
    """Write the ends of an interval, or that there is none."""
    return "–" if isnan(estimate.low) else f"{signed(estimate.low)} to {signed(estimate.high)}"


def signed(number: float) -> str:
    """Write a difference, or that there is none; what rounding leaves of two equal numbers is 0."""
    return "–" if isnan(number) else f"{round(number, 9) + 0.0:+.3g}"


def _file_name(words: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "._=-" else "-" for letter in words)[:100]
