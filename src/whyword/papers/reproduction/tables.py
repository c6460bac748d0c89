"""A paper reproduced: run what its tables and figures need, put ours beside the published, and judge its claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from pathlib import Path
from typing import ClassVar

import numpy as np

from ...analysis.vat_iterations import dev_accuracy_by_iteration
from ...data.dataset import Dataset
from ...grids.runner import RECORDS, EvaluationJob, RunRecord, finished_records, run_jobs
from ...grids.variant import Evaluation, Result, Source, TrainedVariant, Variant, file_fingerprint, find_source
from ...interfaces.classifier import predicted_classes
from ...interfaces.errors import OptionError, unknown_name
from ...maths.stats.intervals import ANY, Estimate, mean_over_runs
from ...models.folder import TrainedModel
from .claims import ClaimResult, Measured, correct, measure_claims
from .paper import Paper, Row, Scale, TableOrFigure


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
) -> Plan:
    """Find the data and list what has to be run."""
    sources = _find_sources(scale, data_dir)
    place = None if embeddings is None else str(Path(embeddings).expanduser().resolve())
    vectors = None if place is None else file_fingerprint(place)
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


def _find_sources(scale: Scale, data_dir: str | None) -> list[Source]:
    """Find the data sets; each is called as its file or folder, so that a path to sst2 meets what is known of sst2."""
    sources: dict[str, Source] = {}
    for data in scale.datasets:
        source = find_source(data, None, data_dir, scale.rows)
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
        tested.append(measure_claims(table.claims, measured))
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


@dataclass(frozen=True)
class Accuracy(Evaluation):
    """The numbers of the training run itself, and which test texts were answered right."""

    name: ClassVar[str] = "accuracy"

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Give the metrics of the model folder."""
        epochs = len(model.history)
        right, majority = _right_on_test(model, dataset)
        return {
            **model.metrics,
            "epochs": epochs,
            "epoch_seconds": model.metrics["seconds"] / max(1, epochs),
            "weights": sum(weight.numel() for weight in model.classifier.method.parameters()),
            "iterations": dev_accuracy_by_iteration(model.history) if model.config.method == "vat" else None,
            "right": np.packbits(right).tobytes().hex(),
            "majority": majority,
        }


def _right_on_test(model: TrainedModel, dataset: Dataset) -> tuple[np.ndarray, float | None]:
    """Give (text,) bool, and the share of the class that is most frequent in training; none without a test split."""
    if not dataset.test:
        return np.zeros(0, dtype=bool), None
    classifier, gold = model.classifier, [document.label for document in dataset.test]
    predicted = predicted_classes(classifier, classifier.probabilities([document.words for document in dataset.test]))
    most_frequent, _ = Counter(document.label for document in dataset.train).most_common(1)[0]
    right = np.array([classifier.classes[i] == label for i, label in zip(predicted, gold, strict=True)])
    return right, gold.count(most_frequent) / len(gold)


def accuracy_on_test(result: Result) -> dict[str, float]:
    """Read test accuracy in percent; data without a test split have none."""
    return {"value": 100 * result["test_accuracy"]} if "test_accuracy" in result else {}


def right_on_test(result: Result) -> dict[str, np.ndarray]:
    """Read which test texts were answered right, times 100; older records do not tell."""
    if "test_accuracy" not in result or not result.get("right"):
        return {}
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(result["right"]), dtype=np.uint8), count=result["test_texts"])
    return {"value": 100.0 * bits}


def majority_on_test(result: Result) -> dict[str, float]:
    """Read the accuracy of always answering with the most frequent class, in percent."""
    return {} if result.get("majority") is None else {"value": 100 * result["majority"]}


FLOOR = "TF-IDF"
LINEAR = Variant(FLOOR, {"encoder": {"name": "tfidf"}})


def accuracy_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Give rows of test accuracy below those of the majority and of TF-IDF with logistic regression."""
    floors = (
        Row("majority", LINEAR, Accuracy(), majority_on_test, seeds=1),
        Row(FLOOR, LINEAR, Accuracy(), accuracy_on_test, seeds=1),
    )
    return (*floors, *rows)


def accuracy_row(variant: Variant, main: bool = True, seeds: int | None = None) -> Row:
    """Give the row of a variant's test accuracy."""
    return Row(variant.name, variant, Accuracy(), accuracy_on_test, main, seeds, right_on_test)


def accuracy_on_dev(result: Result) -> dict[str, float]:
    """Read dev accuracy in percent."""
    return {"value": 100 * result["dev_accuracy"]}


def epoch_seconds(result: Result) -> dict[str, float]:
    """Read how long an epoch took."""
    return {"value": result["epoch_seconds"]}
