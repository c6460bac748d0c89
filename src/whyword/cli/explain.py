"""`whyword explain`: the words that decided, highlighted in the terminal or written to a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..interfaces.errors import OptionError
from . import options

if TYPE_CHECKING:
    from ..interfaces.explanation import Explanation


def command(
    model: Annotated[Path, typer.Argument(help="A model folder.")],
    inputs: Annotated[list[str], typer.Argument(help="Texts, or one file, or - for standard input.")],
    explainer: Annotated[
        str | None, typer.Option(help="See: whyword list explainers. Left out: own, or occlusion.")
    ] = None,
    target: Annotated[str | None, typer.Option(help="Explain this class instead of the predicted one.")] = None,
    top: Annotated[int | None, typer.Option(min=1, help="Give only so many words of each text.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A .jsonl, .html or .svg file to write.")
    ] = None,
    text: options.TextColumn = "text",
    text_pair: options.PairColumn = None,
    seed: options.Seed = 0,
    device: options.Device = "auto",
    threads: options.Threads = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show which words speak for the class of each text."""
    from ..data.rows import Columns
    from ..experiments.explaining import explain_documents, make_explainer
    from ..experiments.model_folder import load_model
    from ..training.device import choose_device
    from .progress import track
    from .texts import read_inputs

    options.use_threads(threads)
    _check(output)
    classifier = load_model(model, choose_device(device)).classifier
    chosen = make_explainer(explainer, classifier, seed)
    documents = read_inputs(inputs, Columns(text=text, text_pair=text_pair))
    explanations = explain_documents(classifier, documents, chosen, target)
    if output is not None:
        _write(track(explanations, "explain", None, quiet), output, top)
    else:
        _show(explanations, top, as_json)


def _check(output: Path | None) -> None:
    if output is not None and not output.name.endswith((".jsonl", ".jsonl.gz", ".html", ".svg")):
        raise OptionError(f"-o {output}: the file must end in .jsonl, .jsonl.gz, .html or .svg.")


def _write(explanations: Iterator[Explanation], output: Path, top: int | None) -> None:
    from ..views.page import page
    from .files import writer

    with writer(output) as write:
        if output.suffix == ".html":
            for piece in page(explanation.to_html() for explanation in explanations):
                write(piece)
        elif output.suffix == ".svg":
            for explanation in explanations:
                write(explanation.to_svg())
                break
        else:
            for explanation in explanations:
                write(json.dumps(explanation.to_dict(top), ensure_ascii=False) + "\n")


def _show(explanations: Iterator[Explanation], top: int | None, as_json: bool) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    for explanation in explanations:
        if as_json:
            print(json.dumps(explanation.to_dict(top), ensure_ascii=False))
        else:
            console.print(explanation)
            console.print()
