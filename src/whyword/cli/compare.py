"""`whyword compare`: methods, encoders, data sets and seeds side by side, resumable, on one machine or many."""

from __future__ import annotations

import json
import os
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ..interfaces.errors import OptionError
from . import options

SAMPLE = 200


def command(
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA", help="Files, folders with train/dev/test files, names, hub:owner/name, planted."
        ),
    ],
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
    epochs: Annotated[int | None, typer.Option(min=1, metavar="N", help="At most so many epochs.")] = None,
    rows: Annotated[int | None, typer.Option(min=2, metavar="N", help="At most so many training texts.")] = None,
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
        int | None, typer.Option(min=1, metavar="N", help="Cells at a time, one thread each; one per core if left out.")
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A Ray cluster, whose machines can read DATA; left out: this machine."),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where all is kept.")] = Path(
        "comparison"
    ),
    text: options.TextColumn = "text",
    label: options.LabelColumn = "label",
    text_pair: options.PairColumn = None,
    rationale: options.RationaleColumn = None,
    data_dir: options.DataDir = None,
    device: options.Device = "auto",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare methods on accuracy, interpretability and cost.

    Every cell (a method, encoder, data set and seed) is run once and kept in FOLDER/cells: stopped in whatever way,
    the same command goes on. Writes leaderboard.csv, .md and .tex, comparison.json and comparison.html.
    """
    from ..data.rows import Columns
    from ..grids.cell_folder import finished_cells, run_cells
    from ..grids.cells import run_cell
    from ..grids.compare import choose_baseline, grid
    from ..grids.comparison import Comparison
    from ..inference.fitted import choose_device
    from .cell_progress import follow, judge, note

    for place in (output, *output.parents):
        if place.is_file():
            raise OptionError(f"-o {output} cannot be a folder, as {place} is a file: name another one.")
    chosen = choose_baseline(baseline, _names(methods))
    where = choose_device(device)
    cells = grid(
        data,
        _names(methods),
        _names(encoders),
        seeds,
        settings=assignments or [],
        embeddings=embeddings,
        epochs=epochs,
        rows=rows,
        explainer=explainer,
        sample=sample,
        measure=measure,
        columns=Columns(text, label, text_pair, rationale),
        data_dir=data_dir,
    )
    folder = output / "cells"
    found = finished_cells(cells, folder, lambda sentence: note(sentence, quiet))
    left = [cell for cell in cells if cell.name not in found]
    at_once = min(workers or ((os.cpu_count() or 1) if where.type == "cpu" else 1), max(1, len(left)))
    if found and left:
        note(f"{len(found)} of {len(cells)} cells are there already.", quiet)
    work = partial(run_cell, device=str(where))
    try:
        for record in follow(run_cells(left, work, folder, engine, at_once, address), len(left), quiet):
            found[record["cell"]] = record
    except KeyboardInterrupt as interruption:
        done = sum("failed" not in record for record in found.values())
        interruption.add_note(f"{done} of {len(cells)} cells are kept in {folder}; the same command goes on.")
        raise
    made_by = shlex.join(["whyword", *sys.argv[1:]])
    comparison = Comparison([found[cell.name] for cell in cells], measure, chosen, made_by)
    comparison.save(output)
    if as_json:
        print(json.dumps({"output": str(output), **comparison.to_dict()}, ensure_ascii=False))
    else:
        print(comparison)
        note(f"Tables, page and cells are in {output}; look at {output / 'comparison.html'}", quiet)
    judge(comparison.failures, len(comparison.records), "cells")


def _names(words: str) -> list[str]:
    return [word.strip() for word in words.split(",") if word.strip()]
