"""`whyword explain`: the words that decided, highlighted in the terminal or written to a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..interfaces.errors import OptionError
from . import options

if TYPE_CHECKING:
    from ..interfaces.document import Document
    from ..interfaces.explanation import Explanation
    from .part_file import Chunk, PartFile

ENDINGS = (".jsonl", ".jsonl.gz", ".parquet", ".html", ".svg")


def command(
    model: options.Model,
    inputs: options.Texts,
    explainer: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="See: whyword list explainers. Left out: own, or occlusion if it has none."),
    ] = None,
    assignments: options.Assignments = None,
    samples: options.Samples = None,
    budget: options.Budget = None,
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
    cache: options.Cache = None,
    seed: options.Seed = 0,
    device: options.Device = "auto",
    threads: options.Threads = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show which words speak for the class of each text.

    With -o, a run that was interrupted goes on when the same command is given again.
    """
    from ..data.rows import Columns
    from ..experiments.explaining import explain_chunks, explain_documents, make_explainer
    from ..experiments.explanation_cache import ExplanationCache
    from ..experiments.fingerprint import describe_explainer, model_fingerprint
    from ..experiments.model_folder import load_model
    from ..training.device import choose_device
    from .outputs import check_output, tell_written
    from .part_file import PartFile
    from .progress import track
    from .texts import count_texts, fingerprint, read_inputs

    options.use_threads(threads)
    settings = options.explainer_settings(assignments, samples, budget)
    if output is not None:
        check_output(output, ENDINGS, inputs)
    trained = load_model(model, choose_device(device))
    classifier = trained.classifier
    chosen = make_explainer(explainer, classifier, seed, settings)
    contents = None if cache is None and output is None else model_fingerprint(trained)
    kept = None if cache is None or contents is None else ExplanationCache(cache, contents)
    documents = read_inputs(inputs, Columns(text=text, text_pair=text_pair))
    if output is None:
        _show(explain_documents(classifier, documents, chosen, target, kept), top, as_json)
        return
    if output.suffix == ".svg":
        documents = _only_one(documents, output)
    question = {
        "texts": [fingerprint(inputs), text, text_pair],
        "model": contents,
        **describe_explainer(chosen),
        "target": target,
        "top": top,
    }
    part = PartFile(output, question, again=inputs != ["-"])
    if part.news and not quiet:
        print(part.news, file=sys.stderr)
    rest = islice(documents, part.texts, None)
    chunks = explain_chunks(classifier, rest, chosen, target, kept, part.texts, part.passes)
    watched = track(chunks, "explain", partial(count_texts, inputs), quiet, len, part.texts)
    tell_written(_write(watched, part, top), "explanations", output, as_json, quiet)


def _only_one(documents: Iterator[Document], output: Path) -> Iterator[Document]:
    first = list(islice(documents, 2))
    if len(first) > 1:
        raise OptionError(f"-o {output} holds one picture, but several texts came: give one, or write an .html file.")
    return chain(first, documents)


def _write(chunks: Iterable[Sequence[Explanation]], part: PartFile, top: int | None) -> int:
    from ..experiments.explaining import only_top
    from ..views.page import HEAD, TAIL
    from .outputs import put_records, put_strings

    def rows(write: Callable[[Explanation], Any]) -> Iterator[Chunk]:
        for chunk in chunks:
            yield list(map(write, chunk)), sum(explanation.forward_passes for explanation in chunk)

    if part.output.suffix == ".html":
        return put_strings(HEAD, rows(lambda explanation: only_top(explanation, top).to_html() + "\n"), TAIL, part)
    if part.output.suffix == ".svg":
        return put_strings("", rows(lambda explanation: only_top(explanation, top).to_svg()), "", part)
    return put_records(rows(lambda explanation: explanation.to_dict(top)), part)


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
