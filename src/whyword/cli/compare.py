"""`whyword compare`: methods, encoders, data sets and seeds side by side, resumable, on one machine or many."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..interfaces.settings import strict_json
from . import options

SAMPLE = 200


@options.grouped
def command(
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA", help="Files, folders with train/dev/test files, names, hub:owner/name, planted."
        ),
    ],
    *,
    methods: Annotated[str, typer.Option(metavar="A,B", help="See: whyword list methods.")] = "base,attention,vmask",
    encoders: Annotated[str, typer.Option(metavar="X,Y", help="As for train.")] = "lstm",
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="Runs of each model: seeds 0 to N - 1.")] = 3,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SECTION.NAME=VALUE",
            help="A setting of all, e.g. training.patience=2, or of one method or encoder, e.g. vmask.beta=0.5.",
        ),
    ] = None,
    embeddings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Word vectors, for encoders that do not bring their own.")
    ] = None,
    epochs: Annotated[int | None, typer.Option(min=1, metavar="N", help="Epochs at most.")] = None,
    rows: Annotated[int | None, typer.Option(min=2, metavar="N", help="Training texts at most.")] = None,
    contributions: Annotated[
        bool, typer.Option("--contributions/--no-contributions", help="Let every model learn what each word adds.")
    ] = True,
    explainer: Annotated[
        str | None, typer.Option(metavar="NAME", help="Left out: a model's own scores if it has any, else occlusion.")
    ] = None,
    sample: Annotated[int, typer.Option(min=0, metavar="N", help="Texts to explain; 0: none.")] = SAMPLE,
    measure: Annotated[
        str, typer.Option(metavar="METRIC", help="What explanations are ranked by, against random words.")
    ] = "comprehensiveness",
    baseline: Annotated[
        str | None, typer.Option(metavar="METHOD", help="What the others are compared with; base, else the first.")
    ] = None,
    engine: Annotated[str, typer.Option(metavar="NAME", help="local or ray.")] = "local",
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Runs at a time, one thread each; one per core if left out.")
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A Ray cluster, whose machines can read DATA; left out: this machine."),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where everything is written.")
    ] = Path("comparison"),
    columns: options.RationaleColumns,
    forbidding: options.Forbidding,
    task: options.Task = None,
    order: options.Order = None,
    data_dir: options.DataDir = None,
    device: options.Device = "auto",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare methods on accuracy, interpretability and cost.

    Every run (a method, encoder, data set and seed) is recorded once in FOLDER/records: stopped in whatever way, the
    same command resumes. Writes leaderboard.csv, .md and .tex, comparison.json and comparison.html.
    """
    from ..grids.compare import Grid, Quality
    from ..grids.comparison import Comparison
    from ..grids.runner import RECORDS, finished_records, run_jobs
    from ..inference.fitted import choose_device
    from ..storage.lock import owned
    from .run_progress import follow, judge, note

    options.check_folder(output)
    where = choose_device(device)
    forbidden: dict[str, list[str]] = {}
    forbidding.add_to(forbidden)
    grid = Grid(
        tuple(dict.fromkeys(data)),
        tuple(options.names(methods) or ()),
        tuple(options.names(encoders) or ()),
        tuple(range(seeds)),
        settings=tuple(assignments or ()),
        embeddings=embeddings,
        epochs=epochs,
        rows=rows,
        contributions=contributions,
        quality=Quality(explainer, sample=sample),
        measure=measure,
        baseline=baseline,
        columns=columns.columns(),
        forbid=tuple(forbidden.get("forbid", ())),
        forbid_soft=tuple(forbidden.get("forbid_soft", ())),
        task=task,
        order=None if order is None else tuple(options.names(order) or ()),
        data_dir=data_dir,
        device=str(where),
    )
    jobs = grid.jobs()
    chosen = grid.choose_baseline()
    folder = output / RECORDS
    with owned(output, inside=True):
        records = finished_records(jobs, folder, lambda sentence: note(sentence, quiet))
        left = [job for job in jobs if job.name not in records]
        at_once = min(workers or ((os.cpu_count() or 1) if where.type == "cpu" else 1), max(1, len(left)))
        follow(run_jobs(left, folder, engine, at_once, address), records, len(jobs), folder, quiet)
        typed = shlex.join(["whyword", *sys.argv[1:]])
        comparison = Comparison([records[job.name] for job in jobs], measure, chosen, typed)
        comparison.save(output)
    if as_json:
        print(strict_json({"output": str(output), **comparison.to_dict()}))
    else:
        print(comparison)
        note(f"Tables, page and records are in {output}; look at {output / 'comparison.html'}", quiet)
    judge(comparison.failures, len(comparison.records))
