"""A paper made again: run what its tables and figures need, and put ours beside what was published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from ...grids.cell_folder import finished_cells
from ...grids.cells import Record
from ...grids.source import Source, file_fingerprint, find_source
from ...grids.trial import Inquiry, Interview, Trial
from ...interfaces.errors import OptionError, unknown_name
from ...maths.stats.intervals import Estimate, mean_over_runs
from ...parallel import parallel_map
from ..evaluations.accuracy import Accuracy
from .claims import Finding, Values, findings
from .paper import Exhibit, Paper, Row, Scale


@dataclass(frozen=True)
class Number:
    """One number of a table: ours, over seeds, beside the published one."""

    dataset: str
    row: str
    column: str
    ours: Estimate
    seeds: int
    published: float | None

    @property
    def difference(self) -> float | None:
        """Ours minus the published one."""
        return None if self.published is None else self.ours.value - self.published


@dataclass(frozen=True)
class Made:
    """A table or figure, made again."""

    exhibit: Exhibit
    numbers: tuple[Number, ...]
    findings: tuple[Finding, ...]
    records: Mapping[tuple[str, str], Sequence[Record]]  # by data set and row, in the order of seeds


@dataclass(frozen=True)
class Plan:
    """What has to be asked for some tables and figures."""

    exhibits: tuple[Exhibit, ...]
    inquiries: Mapping[tuple[str, str, str, int], Inquiry]  # by exhibit, data set, row and seed

    @property
    def asked(self) -> list[Inquiry]:
        """Everything, each once; every trial is first asked how often it is right, also one that only judges."""
        every: dict[str, Inquiry] = {}
        for inquiry in self.inquiries.values():
            trials = (trial for trial in (inquiry.trial, inquiry.judge) if trial is not None)
            for each in (*(Inquiry(trial, Accuracy()) for trial in trials), inquiry):
                every.setdefault(each.name, each)
        return list(every.values())


def interviews(left: Sequence[Inquiry], cells: Path) -> tuple[list[Interview], list[Interview]]:
    """Ask each trial all at once; whoever has a judge comes second, when both models are there."""
    second = [inquiry for inquiry in left if inquiry.judge is not None]
    first = [inquiry for inquiry in left if inquiry.judge is None]
    trials = {trial.name: trial for i in second for trial in (i.trial, i.judge) if trial is not None}
    for inquiry in first:
        trials.pop(inquiry.trial.name, None)
    first += [Inquiry(trial, Accuracy()) for trial in trials.values() if not trial.is_trained]
    return _by_trial(first, cells), _by_trial(second, cells)


def _by_trial(inquiries: Sequence[Inquiry], cells: Path) -> list[Interview]:
    groups: dict[str, list[Inquiry]] = {}
    for inquiry in inquiries:
        groups.setdefault(inquiry.trial.name, []).append(inquiry)
    return [Interview(tuple(group), cells) for group in groups.values()]


def choose_exhibits(paper: Paper, scale: Scale, names: Sequence[str] | None) -> tuple[Exhibit, ...]:
    """Give the tables and figures asked for, or all."""
    exhibits = paper.exhibits(scale)
    if not names:
        return exhibits
    known = {name: exhibit for exhibit in exhibits for name in (exhibit.name, *exhibit.also)}
    for name in names:
        if name not in known:
            raise unknown_name(name, f"the tables and figures of {paper.name}", known)
    return tuple({known[name].name: known[name] for name in names}.values())


def plan(
    exhibits: Sequence[Exhibit],
    scale: Scale,
    folder: Path,
    embeddings: str | Path | None = None,
    data_dir: str | None = None,
) -> Plan:
    """Find the data and list what has to be asked."""
    sources = _find_sources(scale, data_dir)
    place = None if embeddings is None else str(Path(embeddings).expanduser().resolve())
    vectors = None if place is None else file_fingerprint(place)
    inquiries = {}
    for seed in range(scale.seeds):
        for exhibit in exhibits:
            for source, row in product(sources, exhibit.rows):
                about = exhibit.datasets is None or {source.name, source.name.partition(":")[0]} & {*exhibit.datasets}
                brief = source.name in scale.brief
                most = [limit for limit in (row.seeds, scale.brief_seeds if brief else None) if limit is not None]
                if not about or (brief and not row.main) or seed >= min(most, default=scale.seeds):
                    continue
                if row.run.vectors and place is None:
                    raise OptionError(f"{row.run.name} starts from word vectors: name their file with --embeddings.")
                trial = Trial(row.run, source, seed, folder / "models", place, vectors, data_dir)
                inquiries[exhibit.name, source.name, row.name, seed] = Inquiry(trial, row.question)
    made = {name for name, *_ in inquiries}
    if not made:
        names = ", ".join(exhibit.name for exhibit in exhibits)
        raise OptionError(f"There is nothing of {names} to make for {', '.join(scale.datasets)}: name other data sets.")
    return Plan(tuple(exhibit for exhibit in exhibits if exhibit.name in made), inquiries)


def _find_sources(scale: Scale, data_dir: str | None) -> list[Source]:
    """Find the data sets; each is called as its file or folder, so that a path to sst2 meets what is known of sst2."""
    sources: dict[str, Source] = {}
    for given in scale.datasets:
        source = find_source(given, None, data_dir, scale.rows)
        if sources.setdefault(source.name, source) != source:
            raise OptionError(f"Two of the data sets are called {source.name}: rename one, or leave it out.")
    return list(sources.values())


def run(todo: Plan, folder: Path, engine: str = "local", workers: int = 1) -> Iterator[Record]:
    """Ask whatever is not answered in the folder yet; each answer is written once, in one piece."""
    cells = folder / "cells"
    found = finished_cells(todo.asked, cells)
    for stage in interviews([inquiry for inquiry in todo.asked if inquiry.name not in found], cells):
        for interview, outcome in parallel_map(Interview.answer, stage, engine, workers) if stage else ():
            yield from interview.fail(outcome) if isinstance(outcome, Exception) else outcome


def gather(todo: Plan, records: Mapping[str, Record]) -> list[Made]:
    """Put ours beside what was published; what has no answer yet is left out."""
    made = []
    for exhibit in todo.exhibits:
        answers: dict[tuple[str, str], dict[int, Record]] = {}
        for (name, dataset, row, seed), inquiry in todo.inquiries.items():
            if name == exhibit.name:
                by_seed = answers.setdefault((dataset, row), {})  # in the order of the plan, whatever is missing
                if inquiry.name in records:
                    by_seed[seed] = records[inquiry.name]
        values = _values(exhibit, answers)
        numbers = tuple(
            Number(
                dataset,
                row,
                column,
                mean_over_runs(list(by_seed.values())),
                len(by_seed),
                exhibit.published.get((dataset, row, column)),
            )
            for (dataset, row, column), by_seed in values.items()
        )
        ordered = {key: [by_seed[seed] for seed in sorted(by_seed)] for key, by_seed in answers.items() if by_seed}
        made.append(Made(exhibit, numbers, tuple(findings(exhibit.claims, values)), ordered))
    return made


def _values(exhibit: Exhibit, answers: Mapping[tuple[str, str], Mapping[int, Record]]) -> Values:
    rows: dict[str, Row] = {row.name: row for row in exhibit.rows}
    values: dict[tuple[str, str, str], dict[int, float]] = {}
    for (dataset, row), by_seed in answers.items():
        for seed, record in by_seed.items():
            for column, number in rows[row].read(record["answer"]).items():
                values.setdefault((dataset, row, column), {})[seed] = number
    return values


def resize(
    scale: Scale, datasets: Sequence[str] | None, families: Sequence[str] | None, seeds: int | None, name: str
) -> Scale:
    """Change a scale to what was asked for."""
    if families:
        for family in families:
            if family not in scale.families:
                raise unknown_name(family, f"the encoders of the scale '{name}'", scale.families)
    return replace(
        scale,
        datasets=tuple(datasets or scale.datasets),
        families=tuple(families or scale.families),
        seeds=seeds or scale.seeds,
    )


def as_values(made: Made) -> dict[str, Any]:
    """Give plain values, ready for JSON."""
    return {
        "name": made.exhibit.name,
        "title": made.exhibit.title,
        "note": made.exhibit.note,
        "numbers": [{**asdict(number), "difference": number.difference} for number in made.numbers],
        "claims": [
            {
                "claim": finding.claim.sentence,
                "dataset": finding.dataset,
                "effect": asdict(finding.effect),
                "seeds": finding.seeds,
                "verdict": finding.verdict,
            }
            for finding in made.findings
        ],
    }
