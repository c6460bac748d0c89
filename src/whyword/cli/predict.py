"""`whyword predict`: label and probabilities of texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
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
    """Print the class of each text, with its probability."""
    from ..data.rows import Columns
    from ..experiments.model_folder import load_model
    from ..training.device import choose_device
    from .outputs import check_output, tell_written, write_records
    from .progress import track
    from .texts import count_texts, read_inputs

    options.use_threads(threads)
    if output is not None:
        check_output(output, ENDINGS, inputs)
    classifier = load_model(model, choose_device(device)).classifier
    documents = read_inputs(inputs, Columns(text=text, text_pair=text_pair))
    answers = predictions(classifier, documents)
    if output is not None:
        count = write_records(track(answers, "predict", partial(count_texts, inputs), quiet), output)
        tell_written(count, "predictions", output, as_json, quiet)
    else:
        _show(answers, as_json)


def predictions(classifier: Classifier, documents: Iterable[Document]) -> Iterator[dict[str, Any]]:
    """Give label and probabilities of each text, a bounded number of texts at a time."""
    waiting = iter(documents)
    while chunk := list(islice(waiting, CHUNK)):
        table = classifier.probabilities([document.words for document in chunk])
        for document, row in zip(chunk, table.tolist(), strict=True):
            best = max(range(len(row)), key=row.__getitem__)
            named = {str(name): p for name, p in zip(classifier.classes, row, strict=True)}
            texts = dict(zip(("text", "text_pair"), document.words.texts, strict=False))
            yield {**texts, "label": classifier.classes[best], "probability": row[best], "probabilities": named}


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
