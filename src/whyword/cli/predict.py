"""`whyword predict`: label and probabilities of texts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options

if TYPE_CHECKING:
    from ..interfaces.classifier import Classifier
    from ..interfaces.document import Document

ENDINGS = (".jsonl", ".jsonl.gz", ".csv", ".parquet")
CHUNK = 256  # texts predicted together: enough to fill batches, few enough for constant memory


def command(
    model: options.Model,
    inputs: options.Texts,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="A .jsonl, .jsonl.gz, .csv or .parquet file.")
    ] = None,
    text: options.TextColumn = "text",
    text_pair: options.PairColumn = None,
    device: options.Device = "auto",
    threads: options.Threads = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Print the class of each text, with its probability.

    With -o, a run that was interrupted goes on when the same command is given again.
    """
    from ..data.rows import Columns
    from ..experiments.fingerprint import model_fingerprint
    from ..experiments.model_folder import load_model
    from ..training.device import choose_device
    from .outputs import check_output, put_records, tell_written
    from .part_file import PartFile
    from .progress import track
    from .texts import count_texts, fingerprint, read_inputs

    options.use_threads(threads)
    if output is not None:
        check_output(output, ENDINGS, inputs)
    trained = load_model(model, choose_device(device))
    documents = read_inputs(inputs, Columns(text=text, text_pair=text_pair))
    if output is None:
        _show(chain.from_iterable(predictions(trained.classifier, documents)), as_json)
        return
    question = {"texts": [fingerprint(inputs), text, text_pair], "model": model_fingerprint(trained)}
    part = PartFile(output, question, again=inputs != ["-"])
    if part.news and not quiet:
        print(part.news, file=sys.stderr)
    answers = predictions(trained.classifier, islice(documents, part.texts, None))
    watched = track(answers, "predict", partial(count_texts, inputs), quiet, len, part.texts)
    tell_written(put_records(((rows, 0) for rows in watched), part), "predictions", output, as_json, quiet)


def predictions(classifier: Classifier, documents: Iterable[Document]) -> Iterator[list[dict[str, Any]]]:
    """Give label and probabilities of each text, a bounded number of texts at a time."""
    waiting = iter(documents)
    while chunk := list(islice(waiting, CHUNK)):
        table = classifier.probabilities([document.words for document in chunk]).tolist()
        yield [_prediction(classifier, document, row) for document, row in zip(chunk, table, strict=True)]


def _prediction(classifier: Classifier, document: Document, row: list[float]) -> dict[str, Any]:
    best = max(range(len(row)), key=row.__getitem__)
    named = {str(name): p for name, p in zip(classifier.classes, row, strict=True)}
    texts = dict(zip(("text", "text_pair"), document.words.texts, strict=False))
    return {**texts, "label": classifier.classes[best], "probability": row[best], "probabilities": named}


def _show(answers: Iterable[dict[str, Any]], as_json: bool) -> None:
    from rich.text import Text

    from ..views.characters import showable
    from .screen import screen

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
