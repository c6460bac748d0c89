"""`whyword reproduce`: a paper's tables and figures again, ours beside the published numbers."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..interfaces.errors import OptionError, unknown_name
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
        bool, typer.Option("--finished", help="Only what is answered already: train and ask nothing.")
    ] = False,
    engine: Annotated[str, typer.Option(metavar="NAME", help="local or ray.")] = "local",
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Cells at a time, one thread each; one per core if left out.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Left out: reproduction/PAPER.")
    ] = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a paper's tables and figures again.

    Whatever was trained and asked is kept in FOLDER: stopped in whatever way, the same command goes on. Writes
    reproduction.md and .json, and the figures.
    """
    from ..grids.cell_folder import finished_cells
    from ..papers import load_paper
    from ..papers.reproduction.plan import choose_exhibits, gather, plan, resize, run
    from ..papers.reproduction.report import Reproduced
    from .cell_progress import follow, judge, note

    chosen = load_paper(paper)
    if scale not in chosen.scales:
        raise unknown_name(scale, "scales", chosen.scales)
    size = resize(chosen.scales[scale], _names(datasets), _names(encoders), seeds, scale)
    wanted = [*(f"table {number}" for number in tables or []), *(f"figure {number}" for number in figures or [])]
    wanted += parts or []
    exhibits = choose_exhibits(chosen, size, wanted)
    folder = output or Path("reproduction") / paper
    for place in (folder, *folder.parents):
        if place.is_file():
            raise OptionError(f"-o {folder} cannot be a folder, as {place} is a file: name another one.")
    todo = plan(exhibits, size, folder, embeddings, None if data_dir is None else str(data_dir))
    inquiries = todo.asked
    found = finished_cells(inquiries, folder / "cells", lambda sentence: note(sentence, quiet))
    left = len(inquiries) - len(found)
    at_once = min(workers or os.cpu_count() or 1, max(1, left))
    if found and left:
        note(f"{len(found)} of {len(inquiries)} answers are there already.", quiet)
    try:
        for record in follow(() if finished else run(todo, folder, engine, at_once), left, quiet):
            found[record["cell"]] = record
    except KeyboardInterrupt as interruption:
        interruption.add_note(
            f"What was done is kept in {folder}; the same command goes on, and with --finished shows what is there."
        )
        raise
    known = {name: record for name, record in found.items() if "failed" not in record}
    typed = shlex.join(["whyword", *(word for word in sys.argv[1:] if word != "--finished")])
    made = Reproduced(chosen, scale, size, gather(todo, known), typed, known.values(), len(inquiries) - len(known))
    made.save(folder)
    if as_json:
        print(json.dumps({"output": str(folder), **made.to_dict()}, ensure_ascii=False))
    else:
        print(made)
        note(f"Tables and figures are in {folder}; look at {folder / 'reproduction.md'}", quiet)
    judge([record for record in found.values() if "failed" in record], len(inquiries), "answers")


def _names(words: str | None) -> list[str] | None:
    """Split at commas, but leave planted:train=50,dev=10 whole."""
    return None if words is None else [word.strip() for word in re.split(r",(?!\s*\w+=)", words) if word.strip()]
