"""`whyword explain`: the words that decided, highlighted in the terminal or written to a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..interfaces.errors import OptionError
from . import options

if TYPE_CHECKING:
    from ..interfaces.document import Document
    from ..interfaces.explanation import Explanation

ENDINGS = (".jsonl", ".jsonl.gz", ".parquet", ".html", ".svg")


def command(
    model: options.Model,
    inputs: options.Texts,
    explainer: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="See: whyword list explainers. Left out: own, or occlusion if it has none."),
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="CLASS", help="Explain this class instead of the predicted one.")
    ] = None,
    top: Annotated[
        int | None, typer.Option(min=1, metavar="K", help="Only the K words that speak most for the class.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="A .jsonl, .jsonl.gz, .parquet, .html or .svg file."),
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
    from .outputs import check_output, tell_written
    from .progress import track
    from .texts import count_texts, read_inputs

    options.use_threads(threads)
    if output is not None:
        check_output(output, ENDINGS, inputs)
    classifier = load_model(model, choose_device(device)).classifier
    chosen = make_explainer(explainer, classifier, seed)
    documents = read_inputs(inputs, Columns(text=text, text_pair=text_pair))
    if output is None:
        _show(explain_documents(classifier, documents, chosen, target), top, as_json)
        return
    if output.suffix == ".svg":
        documents = _only_one(documents, output)
    explanations = explain_documents(classifier, documents, chosen, target)
    count = _write(track(explanations, "explain", partial(count_texts, inputs), quiet), output, top)
    tell_written(count, "explanations", output, as_json, quiet)


def _only_one(documents: Iterator[Document], output: Path) -> Iterator[Document]:
    first = list(islice(documents, 2))
    if len(first) > 1:
        raise OptionError(f"-o {output} holds one picture, but several texts came: give one, or write an .html file.")
    return chain(first, documents)


def _write(explanations: Iterator[Explanation], output: Path, top: int | None) -> int:
    from ..experiments.explaining import only_top
    from ..views.page import HEAD, TAIL
    from .outputs import write_records, write_strings

    if output.suffix == ".html":
        return write_strings(HEAD, (only_top(e, top).to_html() + "\n" for e in explanations), TAIL, output)
    if output.suffix == ".svg":
        return write_strings("", (only_top(e, top).to_svg() for e in explanations), "", output)
    return write_records((explanation.to_dict(top) for explanation in explanations), output)


def _show(explanations: Iterator[Explanation], top: int | None, as_json: bool) -> None:
    from ..experiments.explaining import only_top
    from .screen import screen

    console = screen()
    for explanation in explanations:
        if as_json:
            print(json.dumps(explanation.to_dict(top), ensure_ascii=False))
        else:
            console.print(only_top(explanation, top))
            console.print()
