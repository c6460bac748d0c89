"""`whyword demo`: the main job from end to end, offline, on texts whose true reasons are known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options


def command(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the models and the page.")] = Path("demo"),
    seed: options.Seed = 0,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Train on the embedded reviews, explain some of them, and compare the words with the true reasons."""
    from rich.console import Console
    from rich.text import Text

    from ..experiments.demo import run_demo
    from .progress import TrainingProgress

    options.use_threads(threads)
    with TrainingProgress(quiet) as progress:
        result = run_demo(output, seed, progress)
    console = Console(highlight=False)
    for explanation in result.shown:
        console.print(explanation)
        console.print()
    console.print(Text(result.summary))
