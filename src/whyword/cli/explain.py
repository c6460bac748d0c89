"""`whyword explain`: the words that decided, highlighted in the terminal or written to a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..interfaces.errors import OptionError
from . import bulk, options

if TYPE_CHECKING:
    from ..explaining.bulk import Task
    from ..explaining.cache import ExplanationCache
    from ..interfaces.classifier import Classifier
    from ..interfaces.document import Document
    from ..interfaces.explanation import Explanation
    from ..storage.part_file import Chunk, PartFile

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
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|FOLDER",
            help="A .jsonl, .jsonl.gz, .parquet, .html or .svg file, or a folder of parts.",
        ),
    ] = None,
    engine: options.Engine = "local",
    workers: options.Workers = 1,
    address: options.Address = None,
    part_size: bulk.PartSize = bulk.PART_SIZE,
    part_format: bulk.Format = "jsonl",
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

    With -o, a run that was interrupted goes on when the same command is given again. If -o is a folder, --workers share
    the texts, also those of a folder of files.
    """
    from ..data.rows import Columns
    from ..explaining.bulk import Task
    from ..explaining.cache import ExplanationCache
    from ..explaining.stream import explain_documents, make_explainer
    from ..inference.device import choose_device
    from ..models.fingerprint import describe_explainer, model_fingerprint
    from ..models.folder import load_model
    from .outputs import check_output, tell_written
    from .texts import read_inputs

    options.use_threads(threads)
    settings = options.explainer_settings(assignments, samples, budget)
    sharing = bulk.Sharing(engine, workers, address, part_size, part_format)
    into_folder = bulk.folder_wanted(inputs, output, sharing)
    if output is not None and not into_folder:
        check_output(output, ENDINGS, inputs)
    trained = load_model(model, choose_device(device))
    classifier = trained.classifier
    chosen = make_explainer(explainer, classifier, seed, settings)
    columns = Columns(text=text, text_pair=text_pair)
    contents = "" if cache is None and output is None else model_fingerprint(trained)
    kept = None if cache is None else ExplanationCache(cache, contents)
    if output is None:
        _show(explain_documents(classifier, read_inputs(inputs, columns), chosen, target, kept), top, as_json)
        return
    place = None if cache is None else cache.absolute()
    task = Task(model.absolute(), contents, columns, chosen, target, top, place, device, threads or 1)
    question = {"model": contents, **describe_explainer(chosen), "target": target, "top": top}
    if into_folder:
        count = bulk.write_folder(task, classifier, question, inputs[0], output, sharing, quiet)
    else:
        count = _write_file(task, classifier, kept, question, inputs, output, quiet)
    tell_written(count, "explanations", output, as_json, quiet)


def _write_file(
    task: Task,
    classifier: Classifier,
    kept: ExplanationCache | None,
    question: Mapping[str, Any],
    inputs: list[str],
    output: Path,
    quiet: bool,
) -> int:
    from ..explaining.stream import explain_chunks
    from .outputs import take_up
    from .progress import track
    from .texts import count_texts, read_inputs

    assert task.explainer is not None
    documents = read_inputs(inputs, task.columns)
    if output.suffix == ".svg":
        documents = _only_one(documents, output)
    part = take_up(output, question, inputs, task.columns, quiet)
    rest = islice(documents, part.texts, None)
    chunks = explain_chunks(classifier, rest, task.explainer, task.target, kept, part.texts, part.passes)
    watched = track(chunks, "explain", partial(count_texts, inputs), quiet, len, part.texts)
    return _write(watched, part, task.top)


def _only_one(documents: Iterator[Document], output: Path) -> Iterator[Document]:
    first = list(islice(documents, 2))
    if len(first) > 1:
        raise OptionError(f"-o {output} holds one picture, but several texts came: give one, or write an .html file.")
    return chain(first, documents)


def _write(chunks: Iterable[Sequence[Explanation]], part: PartFile, top: int | None) -> int:
    from ..explaining.stream import only_top
    from ..views.html import HEAD, TAIL
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
    from ..explaining.stream import only_top
    from .screen import screen

    console = screen()
    for explanation in explanations:
        if as_json:
            print(json.dumps(explanation.to_dict(top), ensure_ascii=False))
        else:
            console.print(only_top(explanation, top))
            console.print()
