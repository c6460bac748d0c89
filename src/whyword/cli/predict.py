"""`whyword predict`: label and probabilities of texts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options


def command(
    model: Annotated[Path, typer.Argument(help="A model folder.")],
    inputs: Annotated[list[str], typer.Argument(help="Texts, or one file, or - for standard input.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write JSON lines here.")] = None,
    text: options.TextColumn = "text",
    text_pair: options.PairColumn = None,
    device: options.Device = "auto",
    threads: options.Threads = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Print the most probable class of each text, with its probability."""
    from ..data.rows import Columns
    from ..experiments.model_folder import load_model
    from ..training.device import choose_device
    from .files import writer
    from .progress import track
    from .texts import chunks, read_inputs

    options.use_threads(threads)
    classifier = load_model(model, choose_device(device)).classifier

    def answers() -> Iterator[dict[str, Any]]:
        for documents in chunks(read_inputs(inputs, Columns(text=text, text_pair=text_pair)), 1024):
            table = classifier.probabilities([document.words for document in documents])
            for document, row in zip(documents, table.tolist(), strict=True):
                best = max(range(len(row)), key=row.__getitem__)
                named = {str(name): p for name, p in zip(classifier.classes, row, strict=True)}
                texts = dict(zip(("text", "text_pair"), document.words.texts, strict=False))
                yield {**texts, "label": classifier.classes[best], "probability": row[best], "probabilities": named}

    if output is not None:
        with writer(output) as write:
            for answer in track(answers(), "predict", None, quiet):
                write(json.dumps(answer, ensure_ascii=False) + "\n")
        return
    for answer in answers():
        if as_json:
            print(json.dumps(answer, ensure_ascii=False))
        else:
            print(f"{answer['label']}\t{answer['probability']:.3f}\t{' | '.join(_texts(answer))}")
    sys.stdout.flush()


def _texts(answer: dict[str, Any]) -> list[str]:
    return [answer[name] for name in ("text", "text_pair") if name in answer]
