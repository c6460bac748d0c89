"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Machine-readable output; notes and progress go to standard error.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
Device = Annotated[str, typer.Option("--device", help="auto, cpu, cuda or mps.")]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, help="Threads of a forward pass; all cores if left out.")
]
DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", envvar="WHYWORD_DATA", help="Folder in which data sets are looked up by name."),
]
TextColumn = Annotated[str, typer.Option("--text", help="Column of the texts.")]
PairColumn = Annotated[str | None, typer.Option("--text-pair", help="Column of the second texts of pairs.")]
LabelColumn = Annotated[str, typer.Option("--label", help="Column of the labels.")]
RationaleColumn = Annotated[str | None, typer.Option("--rationale", help="Column of the passages people marked.")]


def use_threads(threads: int | None) -> None:
    """Limit the threads of torch, if asked to."""
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
