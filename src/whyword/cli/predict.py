"""`whyword predict`: label and probabilities of texts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any

import typer

from . import bulk, options

ENDINGS = (".jsonl", ".jsonl.gz", ".csv", ".parquet")


def command(
    model: options.Model,
    inputs: options.Texts,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|FOLDER",
            help="A .jsonl, .jsonl.gz, .csv or .parquet file, or a folder of parts.",
        ),
    ] = None,
    engine: options.Engine = "local",
    workers: options.Workers = 1,
    address: options.Address = None,
    part_size: bulk.PartSize = bulk.PART_SIZE,
    part_format: bulk.Format = "jsonl",
    text: options.TextColumn = "text",
    text_pair: options.PairColumn = None,
    device: options.Device = "auto",
    threads: options.Threads = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Print the class of each text, with its probability.

    With -o, a run that was interrupted goes on when the same command is given again. If -o is a folder, --workers share
    the texts, also those of a folder of files.
    """
    from ..data.rows import Columns
    from ..explaining.bulk import Task
    from ..explaining.stream import predict_chunks
    from ..inference.fitted import choose_device
    from ..models.fingerprint import model_fingerprint
    from ..models.folder import load_model
    from .outputs import check_output, put_records, take_up, tell_written
    from .progress import track
    from .texts import count_texts, read_inputs

    options.use_threads(threads)
    sharing = bulk.Sharing(engine, workers, address, part_size, part_format)
    into_folder = bulk.folder_wanted(inputs, output, sharing)
    if output is not None and not into_folder:
        check_output(output, ENDINGS, inputs)
    trained = load_model(model, choose_device(device))
    classifier = trained.classifier
    columns = Columns(text=text, text_pair=text_pair)
    if output is None:
        _show(chain.from_iterable(predict_chunks(classifier, read_inputs(inputs, columns))), as_json)
        return
    question = {"model": model_fingerprint(trained)}
    if into_folder:
        task = Task(model.absolute(), question["model"], columns, device=device, threads=threads or 1)
        count = bulk.write_folder(task, classifier, question, inputs[0], output, sharing, quiet)
    else:
        documents = read_inputs(inputs, columns)
        part = take_up(output, question, inputs, columns, quiet)
        answers = predict_chunks(classifier, islice(documents, part.texts, None))
        watched = track(answers, "predict", partial(count_texts, inputs), quiet, len, part.texts)
        count = put_records(((rows, 0) for rows in watched), part)
    tell_written(count, "predictions", output, as_json, quiet)


def _show(answers: Iterable[dict[str, Any]], as_json: bool) -> None:
    from rich.text import Text

    from ..views.characters import showable
    from .outputs import screen

    console = screen()
    for answer in answers:
        if as_json:
            print(json.dumps(answer, ensure_ascii=False))
            continue
        texts = [" ".join(showable(answer[name]).split()) for name in ("text", "text_pair") if name in answer]
        line = f"{answer['label']}\t{answer['probability']:.3f}\t{' | '.join(texts)}"
        if console.is_terminal:
            console.print(Text(line), no_wrap=True, overflow="ellipsis")
        else:
            print(line)
