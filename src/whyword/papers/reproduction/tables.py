"""A paper reproduced: run what its tables and figures need, put ours beside the published, and judge its claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from pathlib import Path

import numpy as np

from ...grids.runner import RECORDS, EvaluationJob, RunRecord, finished_records, run_jobs
from ...grids.variant import Source, TrainedVariant, file_fingerprint, find_source
from ...interfaces.errors import DataError, OptionError, unknown_name
from ...maths.stats.intervals import ANY, Estimate, mean_over_runs
from .accuracy import Accuracy, accuracy_on_dev, accuracy_on_test
from .claims import ClaimResult, Measured, correct, measure_claims
from .paper import Paper, Scale, TableOrFigure


@dataclass(frozen=True)
class Plan:
    """What has to be run for some tables and figures."""

    tables: tuple[TableOrFigure, ...]
    jobs: Mapping[tuple[str, str, str, int], EvaluationJob]  # by table, data set, row and seed


@dataclass(frozen=True)
class Number:
    """One number of a table: ours, over seeds, beside the published one."""

    dataset: str
    row: str
    column: str
    ours: Estimate
    seeds: int
    published: float | None
    difference: float | None  # ours minus the published one


@dataclass(frozen=True)
class ReproducedTable:
    """A table or figure with our numbers."""

    table: TableOrFigure
    numbers: tuple[Number, ...]
    claims: tuple[ClaimResult, ...]
    records: Mapping[tuple[str, str], Sequence[RunRecord]]  # by data set and row, in the order of seeds


def choose_tables(paper: Paper, scale: Scale, names: Sequence[str] | None) -> tuple[TableOrFigure, ...]:
    """Give the tables and figures asked for, or all."""
    tables = paper.tables(scale)
    if not names:
        return tables
    known = {name: table for table in tables for name in (table.name, *table.also)}
    for name in names:
        if name not in known:
            raise unknown_name(name, f"the tables and figures of {paper.name}", known)
    return tuple({known[name].name: known[name] for name in names}.values())


def resize(
    scale: Scale, datasets: Sequence[str] | None, families: Sequence[str] | None, seeds: int | None, name: str
) -> Scale:
    """Change a scale to what was asked for."""
    for family in families or ():
        if family not in scale.families:
            raise unknown_name(family, f"the encoders of the scale '{name}'", scale.families)
    return replace(
        scale,
        datasets=tuple(datasets or scale.datasets),
        families=tuple(families or scale.families),
        seeds=seeds or scale.seeds,
    )


def plan(
    tables: Sequence[TableOrFigure],
    scale: Scale,
    folder: Path,
    embeddings: str | Path | None = None,
    data_dir: str | None = None,
    known: Sequence[RunRecord] = (),
) -> Plan:
    """Find the data and list what has to be run.

    Where nothing is to be run, known records tell which data and word vectors they are of, if the files are not here.
    """
    sources = _find_sources(scale, data_dir, known)
    place = None if embeddings is None else str(Path(embeddings).expanduser().resolve())
    vectors = None if place is None else _vectors(place, known)
    jobs = {}
    for seed, table in product(range(scale.seeds), tables):
        for source, row in product(sources, table.rows):
            about = table.datasets is None or {source.name, source.name.partition(":")[0]} & {*table.datasets}
            brief = source.name in scale.brief
            most = [limit for limit in (row.seeds, scale.brief_seeds if brief else None) if limit is not None]
            if not about or (brief and not row.main) or seed >= min(most, default=scale.seeds):
                continue
            if row.variant.vectors and place is None:
                raise OptionError(f"{row.variant.name} starts from word vectors: name their file with --embeddings.")
            trained = TrainedVariant(row.variant, source, seed, folder / "models", place, vectors, data_dir)
            jobs[table.name, source.name, row.name, seed] = EvaluationJob(trained, row.evaluation)
    planned = {name for name, *_ in jobs}
    if not planned:
        names = ", ".join(table.name for table in tables)
        raise OptionError(f"There is nothing of {names} to make for {', '.join(scale.datasets)}: name other data sets.")
    return Plan(tuple(table for table in tables if table.name in planned), jobs)


def _vectors(place: str, known: Sequence[RunRecord]) -> str:
    """Name the bytes of word vectors; of a file that is not here, as the records do, if all name the same."""
    named = {record.settings.get("embeddings") for record in known} - {None}
    return str(named.pop()) if len(named) == 1 and not Path(place).exists() else file_fingerprint(place)


def _source(data: str, scale: Scale, data_dir: str | None, known: Sequence[RunRecord]) -> Source:
    """Find a data set; one that is not here is that of the records, or no record is of it."""
    try:
        return find_source(data, None, data_dir, scale.rows)
    except DataError:
        named = {str(r.settings["data"]) for r in known if (r.dataset, r.rows) == (data, scale.rows)}
        if not known or len(named) > 1:
            raise
        return Source(data, data, "".join(named), rows=scale.rows)


def _find_sources(scale: Scale, data_dir: str | None, known: Sequence[RunRecord]) -> list[Source]:
    """Find the data sets; each is called as its file or folder, so that a path to sst2 meets what is known of sst2."""
    sources: dict[str, Source] = {}
    for data in scale.datasets:
        source = _source(data, scale, data_dir, known)
        if sources.setdefault(source.name, source) != source:
            raise OptionError(f"Two of the data sets are called {source.name}: rename one, or leave it out.")
    return list(sources.values())


def all_jobs(todo: Plan) -> list[EvaluationJob]:
    """Give every job once; the accuracy of every model is measured first, also of one that only judges."""
    jobs: dict[str, EvaluationJob] = {}
    for job in todo.jobs.values():
        models = (trained for trained in (job.trained, job.judge) if trained is not None)
        for each in (*(EvaluationJob(trained, Accuracy()) for trained in models), job):
            jobs.setdefault(each.name, each)
    return list(jobs.values())


def run(todo: Plan, folder: Path, engine: str = "local", workers: int = 1) -> Iterator[RunRecord]:
    """Run whatever has no record in the folder yet; each record is written once, in one piece."""
    records = folder / RECORDS
    jobs = all_jobs(todo)
    finished = finished_records(jobs, records)
    for stage in stages([job for job in jobs if job.name not in finished]):
        yield from run_jobs(stage, records, engine, workers)


def stages(jobs: Sequence[EvaluationJob]) -> tuple[list[EvaluationJob], list[EvaluationJob]]:
    """Leave jobs with a judge for a second stage, when both models are there; train first the models that are gone."""
    second = [job for job in jobs if job.judge is not None]
    first = [job for job in jobs if job.judge is None]
    needed = {trained.name: trained for job in second for trained in (job.trained, job.judge) if trained is not None}
    for job in first:
        needed.pop(job.trained.name, None)
    first += [EvaluationJob(trained, Accuracy()) for trained in needed.values() if not trained.is_trained]
    return first, second


def collect(todo: Plan, records: Mapping[str, RunRecord]) -> list[ReproducedTable]:
    """Put ours beside what was published, and judge the claims; what has no record yet is left out."""
    collected, tested = [], []
    for table in todo.tables:
        results: dict[tuple[str, str], dict[int, RunRecord]] = {}
        for (name, dataset, row, seed), job in todo.jobs.items():
            if name == table.name:
                by_seed = results.setdefault((dataset, row), {})  # in the order of the plan, whatever is missing
                if job.name in records:
                    by_seed[seed] = records[job.name]
        measured = _measure(table, results)
        numbers = tuple(_number(table, *key, list(by_seed.values())) for key, by_seed in measured.values.items())
        ordered = {key: [by_seed[seed] for seed in sorted(by_seed)] for key, by_seed in results.items() if by_seed}
        collected.append(ReproducedTable(table, numbers, (), ordered))
        tested.append(measure_claims(table.claims, measured) if records else [])
    judged = iter(correct([result for results_of_table in tested for result in results_of_table]))
    return [
        replace(reproduced, claims=tuple(islice(judged, len(results_of_table))))
        for reproduced, results_of_table in zip(collected, tested, strict=True)
    ]


def _measure(table: TableOrFigure, results: Mapping[tuple[str, str], Mapping[int, RunRecord]]) -> Measured:
    rows = {row.name: row for row in table.rows}
    values: dict[tuple[str, str, str], dict[int, float]] = {}
    texts: dict[tuple[str, str, str], dict[int, np.ndarray]] = {}
    for (dataset, name), by_seed in results.items():
        row = rows[name]
        for seed, record in by_seed.items():
            for column, number in row.read(record.result).items():
                values.setdefault((dataset, name, column), {})[seed] = number
            if row.read_texts is not None:
                for column, numbers in row.read_texts(record.result).items():
                    texts.setdefault((dataset, name, column), {})[seed] = numbers
    return Measured(values, texts, table.floor)


def _number(table: TableOrFigure, dataset: str, row: str, column: str, values: Sequence[float]) -> Number:
    in_percent = any(each.read in (accuracy_on_test, accuracy_on_dev) for each in table.rows if each.name == row)
    ours = mean_over_runs(values, (0.0, 100.0) if in_percent else ANY)
    published = table.published.get((dataset, row, column))
    difference = None if published is None else ours.value - published
    return Number(dataset, row, column, ours, len(values), published, difference)
