"""The runs of all papers that are still missing, cell by cell, the most telling first; it can be stopped and resumed.

python benchmarks/reproduction_grid.py --data-dir DATA --embeddings GLOVE --estimate
python benchmarks/reproduction_grid.py --data-dir DATA --embeddings GLOVE --hours 8

A cell is one model with all evaluations that are wanted of it. Each evaluation is recorded as soon as it is done; the
model is deleted when nothing needs it any longer. At the end the pages of the studies are written; `make results` makes
docs/results.md of them.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from whyword.grids.runner import RECORDS, EvaluationJob, RunRecord, finished_records, read_records, run_jobs
from whyword.grids.search import SEED
from whyword.papers.reproduction.paper import load_paper
from whyword.papers.reproduction.tables import all_jobs, choose_tables, plan, resize, stages


@dataclass(frozen=True)
class Part:
    """Some tables of a paper at a scale, whose records go to a study's folder."""

    name: str
    study: str  # folder of the results
    paper: str
    scale: str
    tables: tuple[str, ...] = ()  # all
    datasets: tuple[str, ...] = ()  # those of the scale
    families: tuple[str, ...] = ()


PARTS = (  # the most telling first
    Part("E-VarM, printed and ours, against base, VMASK and PPL", "evarm-converged", "evarm", "converged"),
    Part("VAT by iteration on Twitter", "vat-phases", "vat", "phases", ("table 6",), ("twitter",)),
    Part("VMASK accuracy, eight seeds", "vmask-equal", "vmask", "equal", ("table 3",)),
    Part("Sun & Lu, AD with l2 by dev", "sun-lu-eight", "sun-lu", "eight", ("table 2", "figure 2"), families=("AD",)),
    Part("VMASK, all else", "vmask-equal", "vmask", "equal"),
    Part("VAT, all else", "vat-phases", "vat", "phases"),
    Part("Tutek, adversaries of 80 epochs", "tutek-long", "tutek", "long"),
    Part("Sun & Lu, eight seeds", "sun-lu-eight", "sun-lu", "eight"),
    Part("Sun & Lu, generated texts", "sun-lu-synthetic", "sun-lu", "synthetic"),
    Part("Tutek, marked words", "tutek-rationales", "tutek", "rationales"),
    Part("Tutek, two layers", "tutek-deep", "tutek", "deep"),
    Part("VMASK on MiniLM", "vmask-minilm", "vmask", "minilm"),
    Part("VAT on MiniLM", "vat-minilm", "vat", "minilm"),
    Part("E-VarM on the LSTM", "evarm-lstm", "evarm", "lstm"),
    Part("E-VarM on MiniLM, all methods", "evarm", "evarm", "small"),
    Part("Sun & Lu, IMDB", "sun-lu-imdb", "sun-lu", "imdb"),
    Part("VAT, IMDB", "vat-imdb", "vat", "imdb"),
    Part("VMASK, more data", "vmask-more", "vmask", "equal", ("table 3",), ("imdb", "yelp", "ag_news")),
    Part("VAT, more data", "vat-more", "vat", "phases", ("table 2",), ("yelp", "ag_news")),
    Part("E-VarM, pairs and CoLA", "evarm-more", "evarm", "converged", ("table 2",), ("cola", "qnli", "qqp")),
    Part("E-VarM, long texts", "evarm-long", "evarm", "converged", ("table 2",), ("ag_news", "yelp", "imdb")),
)


@dataclass(frozen=True)
class Grid:
    """Where data, vectors and results are."""

    results: Path
    data_dir: str | None
    embeddings: Path | None

    def cells(self, part: Part) -> list[list[EvaluationJob]]:
        """Give what is missing of a part, the jobs of each model together; judged ones after their judges."""
        paper = load_paper(part.paper)
        scale = resize(paper.scales[part.scale], part.datasets, part.families, None, part.scale)
        folder = self.results / part.study
        todo = plan(choose_tables(paper, scale, part.tables), scale, folder, self.embeddings, self.data_dir)
        jobs = all_jobs(todo)
        done = finished_records(jobs, folder / RECORDS)
        return [cell for stage in stages([job for job in jobs if job.name not in done]) for cell in _by_model(stage)]

    def run(self, part: Part, until: float) -> bool:
        """Run cells until the time is up; say whether the part is finished."""
        records = self.results / part.study / RECORDS
        cells = self.cells(part)
        for number, cell in enumerate(cells):
            if time.monotonic() >= until:
                return False
            started = time.monotonic()
            failed = [record.failed for record in run_jobs(cell, records) if record.failed is not None]
            _tell(f"{part.name}: {number + 1} of {len(cells)}, {cell[0].trained.name}, {_minutes(started)}")
            for sentence in failed:
                _tell(f"  failed: {sentence}")
            self._delete_models(cell, cells[number + 1 :])
        return True

    def _delete_models(self, cell: Sequence[EvaluationJob], later: Sequence[Sequence[EvaluationJob]]) -> None:
        """Delete the models of a cell that no later one trains, evaluates or asks."""
        needed = {trained.name for jobs in later for job in jobs for trained in (job.trained, job.judge) if trained}
        for trained in {t.name: t for job in cell for t in (job.trained, job.judge) if t is not None}.values():
            if trained.folder is not None and trained.name not in needed:
                shutil.rmtree(trained.folder, ignore_errors=True)

    def write(self, part: Part) -> None:
        """Write the page of a study as the part's command does, from the records that are there."""
        words = ["reproduce", part.paper, "--scale", part.scale, "-o", str(self.results / part.study)]
        more = set(part.datasets) - set(load_paper(part.paper).scales[part.scale].datasets)
        words += ["--datasets", ",".join(part.datasets)] if more else []
        words += [] if self.embeddings is None else ["--embeddings", str(self.embeddings)]
        words += [] if self.data_dir is None else ["--data-dir", self.data_dir]
        subprocess.run(
            [sys.executable, "-m", "whyword", *words, "--finished", "-q"], check=True, stdout=subprocess.DEVNULL
        )


class Costs:
    """Seconds that a job will take, from those of the records at hand that are most like it.

    Data sets of which there is no record count as the mean of the others, which is too little for long texts.
    """

    def __init__(self, records: Sequence[RunRecord]) -> None:
        self.known: dict[tuple[str, ...], list[float]] = {}
        for record in records:
            epochs = record.result.get("epochs", 1) if _trains(record.evaluation) else 1
            seconds = record.wall_seconds / max(1, epochs) / _size(record.settings.get("evaluation", {}))
            for key in _keys(record.dataset, record.method, record.encoder, record.evaluation):
                self.known.setdefault(key, []).append(seconds)

    def seconds(self, job: EvaluationJob) -> float:
        """Estimate by epochs, each search run and each value of a choice counted; 20 epochs where none are told."""
        trained, config = job.trained, job.trained.config
        keys = _keys(trained.source.name, config.method, config.encoder, job.evaluation.name)
        each = next((fmean(self.known[key]) for key in keys if key in self.known), 60.0)
        if not _trains(job.evaluation.name):
            return each * _size(vars(job.evaluation))
        variant = trained.variant
        tried = 1 + sum(len(values) for _, values in variant.search) if trained.seed == SEED else 1
        tried *= 1 if variant.choose is None else len(variant.choose[1])
        return each * (config.training.epochs or 20) * tried


def _trains(evaluation: str) -> bool:
    return evaluation == "accuracy"


def _size(evaluation: Mapping[str, Any]) -> int:
    """Count the epochs of all adversaries of an evaluation that trains some; of the others 1."""
    return int(evaluation.get("epochs", 1)) * len(evaluation.get("weights", (0.0,)))


def _keys(dataset: str, method: str, encoder: str, evaluation: str) -> list[tuple[str, ...]]:
    """Name what a job is like, the most particular first."""
    return [(evaluation, encoder, method, dataset), (evaluation, encoder, method), (evaluation, encoder), (evaluation,)]


def _by_model(jobs: Sequence[EvaluationJob]) -> Iterator[list[EvaluationJob]]:
    groups: dict[str, list[EvaluationJob]] = {}
    for job in jobs:
        groups.setdefault(job.trained.name, []).append(job)
    yield from groups.values()


def _minutes(started: float) -> str:
    return f"{(time.monotonic() - started) / 60:.1f} min"


def _tell(sentence: str) -> None:
    print(sentence, flush=True)


def estimate(grid: Grid, parts: Sequence[Part]) -> None:
    """Say for each part how many cells and hours are missing; what two parts share is counted with the first."""
    archives = [place.with_name(RECORDS) for place in grid.results.glob(f"*/{RECORDS}.jsonl.xz")]
    costs = Costs([record for folder in archives for record in read_records(folder)])
    counted: set[tuple[str, str]] = set()
    total = 0.0
    for part in parts:
        jobs = [job for cell in grid.cells(part) for job in cell if (part.study, job.name) not in counted]
        counted |= {(part.study, job.name) for job in jobs}
        hours = sum(map(costs.seconds, jobs)) / 3600
        total += hours
        _tell(
            f"{hours:6.1f} h  {len(list(_by_model(jobs))):4d} models  {len(jobs):5d} runs  {part.name} ({part.study})"
        )
    _tell(f"{total:6.1f} h  in all, of one core")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--data-dir")
    parser.add_argument("--embeddings", type=Path)
    parser.add_argument("--hours", type=float, help="stop at the end of the cell during which they are over")
    parser.add_argument("--part", action="append", choices=[part.name for part in PARTS], help="only this; repeatable")
    parser.add_argument("--estimate", action="store_true", help="run nothing: say what is missing, and for how long")
    options = parser.parse_args()
    grid = Grid(options.results, options.data_dir, options.embeddings)
    parts = [part for part in PARTS if not options.part or part.name in options.part]
    if options.estimate:
        estimate(grid, parts)
        return
    until = time.monotonic() + (float("inf") if options.hours is None else 3600 * options.hours)
    touched: dict[str, Part] = {}
    for part in parts:
        if time.monotonic() >= until:
            break
        touched[part.study] = part
        _tell(f"{part.name}: {'done' if grid.run(part, until) else 'the time is up; the same command goes on'}")
    for part in touched.values():
        grid.write(part)


if __name__ == "__main__":
    main()
