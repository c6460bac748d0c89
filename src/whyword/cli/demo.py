"""`whyword demo`: the main job from end to end, offline, on texts whose true reasons are known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..interfaces.settings import strict_json
from . import options


def command(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder for the models and the reports.")
    ] = Path("demo"),
    seed: options.Seed = 0,
    device: options.Device = "auto",
    threads: options.Threads = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """See it all work, offline: train, explain, audit, compare with the truth.

    Three models learn from generated reviews, whose true reason words are known.
    """
    from rich.text import Text

    from ..demo import planted_words, run_demo
    from ..inference.fitted import choose_device
    from .outputs import screen
    from .progress import TrainingProgress

    options.use_threads(threads)
    with TrainingProgress(quiet) as progress:
        result = run_demo(output, seed, choose_device(device), progress)
    if as_json:
        print(strict_json(result.to_dict()))
        return
    if quiet:
        return
    console = screen()
    for said in result.shown:
        for name, explanation in said.items():
            console.print(f"What {name} says:", style="bold")
            console.print(explanation)
            console.print()
        console.print(Text(planted_words(next(iter(said.values())).document)), soft_wrap=True)
        console.print()
    console.print(Text(result.summary), soft_wrap=True)
