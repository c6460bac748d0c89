"""`whyword reproduce`: a paper's tables and figures, ours beside the published numbers."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..interfaces.errors import unknown_name
from ..interfaces.settings import strict_json
from . import options


def command(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="vat, vmask, sun-lu, tutek or evarm.")],
    tables: Annotated[
        list[str] | None, typer.Option("--table", metavar="N", help="Only this table; repeatable.")
    ] = None,
    figures: Annotated[
        list[str] | None, typer.Option("--figure", metavar="N", help="Only this figure; repeatable.")
    ] = None,
    parts: Annotated[
        list[str] | None,
        typer.Option("--part", metavar="NAME", help='Only this part, by its name, e.g. "appendix skew"; repeatable.'),
    ] = None,
    datasets: Annotated[
        str | None, typer.Option(metavar="A,B", help="Instead of those of the scale; your own files too.")
    ] = None,
    encoders: Annotated[
        str | None, typer.Option(metavar="X,Y", help="As the paper calls them, e.g. CNN,LSTM. Left out: the scale's.")
    ] = None,
    scale: Annotated[
        str,
        typer.Option(metavar="smoke|small|full", help="A few texts; two cores and hours; or all, for a GPU."),
    ] = "small",
    seeds: Annotated[int | None, typer.Option(min=1, metavar="N", help="Instead of the scale's.")] = None,
    embeddings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Word vectors, for the runs that start from some.")
    ] = None,
    finished: Annotated[
        bool,
        typer.Option(
            "--finished",
            help="Only what is recorded already: train and run nothing; works without the data and word vectors.",
        ),
    ] = False,
    engine: Annotated[str, typer.Option(metavar="NAME", help="local or ray.")] = "local",
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Runs at a time, one thread each; one per core if left out.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Left out: reproduction/PAPER.")
    ] = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Reproduce a paper's tables and figures.

    Trained models and the records of all runs stay in FOLDER: stopped in whatever way, the same command resumes. Writes
    reproduction.md and .json, and the figures.
    """
    from ..grids.runner import RECORDS, earlier_records, finished_records, read_records
    from ..papers.reproduction.paper import load_paper
    from ..papers.reproduction.report import ReproductionReport
    from ..papers.reproduction.tables import all_jobs, choose_tables, collect, plan, resize, run
    from ..storage.lock import owned
    from .run_progress import follow, judge, note

    chosen = load_paper(paper)
    if scale not in chosen.scales:
        raise unknown_name(scale, "scales", chosen.scales)
    size = resize(chosen.scales[scale], options.names(datasets), options.names(encoders), seeds, scale)
    wanted = [*(f"table {number}" for number in tables or []), *(f"figure {number}" for number in figures or [])]
    wanted += parts or []
    chosen_tables = choose_tables(chosen, size, wanted)
    folder = output or Path("reproduction") / paper
    options.check_folder(folder)
    known = read_records(folder / RECORDS) if finished else ()
    todo = plan(chosen_tables, size, folder, embeddings, None if data_dir is None else str(data_dir), known)
    jobs = all_jobs(todo)
    with owned(folder, inside=True):
        records = finished_records(jobs, folder / RECORDS, lambda sentence: note(sentence, quiet))
        at_once = min(workers or os.cpu_count() or 1, max(1, len(jobs) - len(records)))
        follow(() if finished else run(todo, folder, engine, at_once), records, len(jobs), folder / RECORDS, quiet)
        done = {name: record for name, record in records.items() if record.failed is None}
        typed = shlex.join(["whyword", *(word for word in sys.argv[1:] if word != "--finished")])
        earlier = earlier_records([job for job in jobs if job.name not in done], folder / RECORDS)
        missing = len(jobs) - len(done) - len(earlier)
        shown = {**earlier, **done}
        report = ReproductionReport(
            chosen, scale, size, collect(todo, shown), typed, list(shown.values()), missing, len(earlier)
        )
        report.save(folder)
    if as_json:
        print(strict_json({"output": str(folder), **report.to_dict()}))
    else:
        print(report)
        note(f"Tables and figures are in {folder}; look at {folder / 'reproduction.md'}", quiet)
    judge([record for record in records.values() if record.failed is not None], len(jobs))
