"""`whyword predict`: label and probabilities of texts."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..interfaces.places import as_place, is_place
from ..interfaces.settings import strict_json
from . import options
from .precision import Precision, measured_on

if TYPE_CHECKING:
    from ..interfaces.classifier import Classifier
    from ..interfaces.document import Document

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        parser=as_place,
        metavar="FILE|FOLDER",
        help="A .jsonl, .jsonl.gz, .csv or .parquet file, or a folder of parts.",
    ),
]


@options.grouped
def command(
    model: options.Model,
    inputs: options.Texts,
    *,
    output: Output = None,
    parts: options.Parts,
    columns: options.TextColumns,
    opening: options.Opening,
    hardware: options.Hardware,
    precision: Precision = None,
    reporting: options.Reporting,
) -> None:
    """Print the class of each text, with its probability.

    With -o, a run that was interrupted resumes when the same command is given again. If -o is a folder, --workers share
    the texts, also those of a folder of files.
    """
    from ..explaining.parts import Sharing
    from ..explaining.stream import predict_chunks
    from ..explaining.write import PREDICTIONS, check_destination, write_predictions
    from .outputs import tell_written
    from .progress import TextProgress
    from .texts import open_texts, read_inputs

    options.use_threads(hardware.threads)
    names = columns.columns(model)
    texts = read_inputs(inputs, names)
    check_destination(texts if is_place(texts) else None, output, PREDICTIONS, Sharing(**vars(parts)))
    opened = opening.open(model, hardware.device)
    opened, texts = measured_on(opened, precision, texts, names, output, reporting.quiet)
    if output is None:
        documents = _Watched(opened.classifier, open_texts(texts, names, reporting.quiet))
        _show(chain.from_iterable(predict_chunks(opened.classifier, documents)), reporting.as_json)
        if documents.unknown and not reporting.quiet:
            print(documents.describe(), file=sys.stderr)
        return
    with TextProgress("predict") as progress:
        count = write_predictions(
            opened,
            texts,
            output,
            columns=names,
            threads=hardware.threads or 1,
            on_progress=None if reporting.quiet else progress,
            **vars(parts),
        )
    tell_written(count, "predictions", output, reporting.as_json, reporting.quiet)


@dataclass
class _Watched:
    """Documents, of which those are counted that hold no word of the model's vocabulary."""

    classifier: Classifier
    documents: Iterable[Document]
    count: int = 0
    unknown: int = 0

    def __iter__(self) -> Iterator[Document]:
        count_known = getattr(self.classifier, "known_words", lambda texts: None)
        for document in self.documents:
            self.count += 1
            self.unknown += count_known([document.words]) == [0]
            yield document

    def describe(self) -> str:
        """Say what such an answer is worth."""
        which = "this text" if self.count == 1 else f"{self.unknown:,} of these {self.count:,} texts"
        return f"The model knows no word of {which}: its answer there is the share of each class in training."


def _show(predictions: Iterable[dict[str, Any]], as_json: bool) -> None:
    from rich.text import Text

    from ..views.characters import showable
    from .outputs import screen

    console = screen()
    for prediction in predictions:
        if as_json:
            print(strict_json(prediction))
            continue
        texts = [" ".join(showable(prediction[name]).split()) for name in ("text", "text_pair") if name in prediction]
        line = f"{_labels(prediction)}\t{' | '.join(texts)}"
        if console.is_terminal:
            console.print(Text(line), no_wrap=True, overflow="ellipsis")
        else:
            print(line)


def _labels(prediction: dict[str, Any]) -> str:
    """Name the class with its probability or, where a text may have several labels, each with its own.

    Where classes have an order, the expected score is next to it.
    """
    if "expected" in prediction:
        return f"{prediction['label']}\t{prediction['probability']:.3f}\t{prediction['expected']:.2f}"
    if "labels" not in prediction:
        return f"{prediction['label']}\t{prediction['probability']:.3f}"
    probabilities = prediction["probabilities"]
    labels = sorted(prediction["labels"], key=lambda label: -probabilities[str(label)])
    return ", ".join(f"{label} {probabilities[str(label)]:.3f}" for label in labels) or "none"
