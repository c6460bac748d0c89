"""The one runner of compare, reproduce and benchmarks: jobs over processes, one record each, written in one piece."""

from __future__ import annotations

import json
import lzma
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..interfaces.errors import WhywordError
from ..interfaces.settings import strict_json
from ..parallel import parallel_map, run_safely
from ..storage.atomic import replacing, write_text
from ..storage.lock import owned, owned_by_the_run
from ..training.loop import Step
from ..training.timing import using_threads
from .variant import Evaluation, Result, Settings, TrainedVariant, evaluation_identity, file_name

FORMAT = 2  # raised when records can no longer be read by other versions
RECORDS = "records"  # the folder of records beside tables and pages
OUTCOME = ("train_texts", "result", "steps", "warnings", "wall_seconds", "versions", "settings")
FAILURE = ("failed", "bug", "trace")


@dataclass(frozen=True)
class RunRecord:
    """What one evaluation of one trained variant gave, or why it failed."""

    name: str  # of its file: words for people, and letters that change with all that decides the result
    dataset: str
    rows: int | None  # cap of the training texts
    variant: str
    encoder: str
    method: str
    seed: int
    evaluation: str
    train_texts: int = 0
    result: Result = field(default_factory=dict)
    steps: int | None = None  # of training; 0 if the model was there already, None where nobody counted
    warnings: tuple[str, ...] = ()
    wall_seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)
    settings: Settings = field(default_factory=dict)  # all of them, defaults too; files stand for what they hold
    failed: str | None = None  # a sentence
    bug: bool = False  # whether the failure is not for the user to fix
    trace: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON; one that failed has no result, and the others no failure."""
        absent = FAILURE if self.failed is None else OUTCOME
        values = {item.name: getattr(self, item.name) for item in fields(self) if item.name not in absent}
        return {"format": FORMAT, **values}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> RunRecord:
        """Read what to_dict gave; ValueError says that it is something else."""
        known = {item.name for item in fields(cls)}
        whole = isinstance(values, Mapping) and values.get("format") == FORMAT and values.keys() <= {"format", *known}
        if not whole or not ("failed" in values or "result" in values):
            raise ValueError("This is no record of a run.")
        lists = {name: tuple(values[name]) for name in ("warnings", "trace") if name in values}
        try:
            return cls(**{name: value for name, value in values.items() if name != "format"} | lists)
        except TypeError as error:
            raise ValueError(f"This is no record of a run: {error}.") from None


@dataclass(frozen=True)
class EvaluationJob:
    """One evaluation of one trained variant."""

    trained: TrainedVariant
    evaluation: Evaluation

    @cached_property
    def name(self) -> str:
        """A name for people, and a few letters that change with all that decides the result."""
        return self._name(evaluation_identity(self.evaluation))

    @property
    def earlier(self) -> list[str]:
        """Names of records that earlier forms of the evaluation left, which tell the same numbers, but fewer."""
        return [self._name(identity) for identity in self.evaluation.earlier(self.trained.variant)]

    def _name(self, evaluation: Settings) -> str:
        words = f"{self.trained.source.name}-{self.trained.variant.name}-{self.trained.seed}-{self.evaluation.name}"
        return file_name(words, {**self.trained.identity, "evaluation": evaluation})

    @property
    def judge(self) -> TrainedVariant | None:
        """The other trained variant whose model the evaluation needs, if it has such a judge."""
        return None if self.evaluation.judge is None else self.trained.other(self.evaluation.judge)

    def run(self) -> RunRecord:
        """Train if need be and evaluate, on one thread, so that the numbers are the same wherever it is run."""
        started, steps, warnings = time.perf_counter(), 0, []

        def on_event(event: Step | str) -> None:
            nonlocal steps
            if isinstance(event, Step):
                steps += 1
            elif event.startswith("Warning"):
                warnings.append(event)

        with using_threads(1):
            dataset = self.trained.dataset()
            model = self.trained.model(dataset, on_event)
            result = self.evaluation.evaluate(model, dataset, self.trained)
        return self._record(
            train_texts=len(dataset.train),
            result=result,
            steps=steps,
            warnings=tuple(warnings),
            wall_seconds=round(time.perf_counter() - started, 3),
            versions=versions(),
            settings={
                **self.trained.settings,
                "evaluation": {"name": self.evaluation.name, **_fields(self.evaluation)},
            },
        )

    def fail(self, error: Exception) -> RunRecord:
        """Record why there is no result."""
        bug = not isinstance(error, WhywordError | OSError)
        sentence = f"{type(error).__name__}: {error}" if bug else str(error)
        return self._record(failed=sentence, bug=bug, trace=tuple(getattr(error, "__notes__", ())))

    def _record(self, **values: Any) -> RunRecord:
        trained = self.trained
        return RunRecord(
            name=self.name,
            dataset=trained.source.name,
            rows=trained.source.rows,
            variant=trained.variant.name,
            encoder=trained.config.encoder,
            method=trained.config.method,
            seed=trained.seed,
            evaluation=self.evaluation.name,
            **values,
        )


def run_jobs(
    jobs: Iterable[EvaluationJob],
    folder: Path | None = None,
    engine: str = "local",
    workers: int = 1,
    address: str | None = None,
) -> Iterator[RunRecord]:
    """Run jobs and yield their records as they are done, each written to the folder before anybody hears of it.

    All jobs of one trained variant are run one after the other by one process, so that nobody else trains its model
    meanwhile. Where models are kept, that process writes each record at once, so that one that dies loses only the
    job it was at; otherwise this process alone writes, so that workers elsewhere need no folder.
    """
    groups: dict[str, list[EvaluationJob]] = {}
    for job in jobs:
        groups.setdefault(job.trained.name, []).append(job)
    work = partial(run_group, folder=folder)
    with nullcontext() if folder is None else owned(folder, inside=True):
        for group, outcome in parallel_map(work, list(groups.values()), engine, workers, address) if groups else ():
            records = fail_group(group, outcome, folder) if isinstance(outcome, Exception) else outcome
            for record in records:
                if group[0].trained.models is None:
                    save_record(record, folder)
                yield record


def run_group(jobs: Sequence[EvaluationJob], folder: Path | None) -> list[RunRecord]:
    """Run the jobs of one trained variant; where its model cannot be trained, all of them fail."""
    trained = jobs[0].trained
    records = finished_records(jobs, folder) if trained.is_trained else {}  # of a process that died later
    for job in jobs:
        if job.name not in records:
            with owned_by_the_run():
                outcome = run_safely(EvaluationJob.run, job)
            if isinstance(outcome, Exception) and not trained.is_trained:
                return fail_group(jobs, outcome, folder)
            records[job.name] = job.fail(outcome) if isinstance(outcome, Exception) else outcome
            if trained.models is not None:
                save_record(records[job.name], folder)
    return list(records.values())


def fail_group(jobs: Sequence[EvaluationJob], error: Exception, folder: Path | None) -> list[RunRecord]:
    """Record the failure for every job of a group that has no record yet."""
    records = finished_records(jobs, folder)
    for job in jobs:
        if job.name not in records:
            records[job.name] = job.fail(error)
            save_record(records[job.name], folder)
    return list(records.values())


def finished_records(
    jobs: Iterable[EvaluationJob], folder: Path | None, on_event: Callable[[str], None] = lambda _: None
) -> dict[str, RunRecord]:
    """Give the records that are there already, by name; what failed or is damaged is to be run again."""
    if folder is None:
        return {}
    names = [job.name for job in jobs]
    archived = _read_archive(folder)
    records = {}
    for name in names:
        place = folder / f"{name}.json"
        try:
            record = _read(place) if place.exists() else archived.get(name)
        except ValueError:
            record = None
        if place.exists() and (record is None or record.name != name):
            on_event(f"{place} is damaged, so it is run again.")
        elif record is not None and record.failed is None:
            records[name] = record
    return records


def earlier_records(jobs: Iterable[EvaluationJob], folder: Path) -> dict[str, RunRecord]:
    """Give what earlier forms of these evaluations left, by the names of the jobs that would replace it."""
    waiting = [job for job in jobs if job.earlier]
    if not waiting:
        return {}
    known = {record.name: record for record in read_records(folder)}
    return {job.name: known[name] for job in waiting for name in reversed(job.earlier) if name in known}


def read_records(folder: Path) -> list[RunRecord]:
    """Give all finished records of a folder and of its archive, in the order of their names."""
    records = _read_archive(folder) | {record.name: record for record in map(_read, folder.glob("*.json"))}
    return [records[name] for name in sorted(records) if records[name].failed is None]


def pack_records(folder: Path) -> Path:
    """Move the finished records of a folder into its archive: one record per line, in the order of their names.

    The archive of FOLDER/records is FOLDER/records.jsonl.xz. The same records give the same bytes.
    """
    archive = archive_of(folder)
    lines = (strict_json(record.to_dict()) + "\n" for record in read_records(folder))
    with replacing(archive) as beside:
        beside.write_bytes(lzma.compress("".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME))
    for place in folder.glob("*.json"):
        place.unlink()
    if folder.exists() and not any(folder.iterdir()):
        folder.rmdir()
    return archive


def archive_of(folder: Path) -> Path:
    """Name the archive of a folder of records."""
    return folder.with_name(f"{folder.name}.jsonl.xz")


def _read_archive(folder: Path) -> dict[str, RunRecord]:
    if not archive_of(folder).exists():
        return {}
    with lzma.open(archive_of(folder), "rt", encoding="utf-8") as lines:
        return {record.name: record for record in (RunRecord.from_dict(json.loads(line)) for line in lines)}


def _read(place: Path) -> RunRecord:
    return RunRecord.from_dict(json.loads(place.read_text(encoding="utf-8")))


def save_record(record: RunRecord, folder: Path | None) -> None:
    """Write a record with a line for each field: short enough for people, and without a line per number."""
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    values = record.to_dict().items()
    lines = (f"{json.dumps(name)}: {strict_json(value)}" for name, value in values)
    write_text(folder / f"{record.name}.json", "{\n" + ",\n".join(lines) + "\n}\n")


def versions() -> dict[str, str]:
    """Say what the numbers were made with."""
    return {name: version(name) for name in ("whyword", "torch", "numpy")} | {"python": platform.python_version()}


def _fields(evaluation: Evaluation) -> dict[str, Any]:
    return asdict(evaluation)  # type: ignore[call-overload, no-any-return]
