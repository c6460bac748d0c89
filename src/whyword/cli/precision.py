"""The option --precision: measured on the first texts, said in a line, and recorded beside the output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..interfaces.errors import OptionError
from ..interfaces.places import is_place

if TYPE_CHECKING:
    from ..data.rows import Columns
    from ..explaining.opened import OpenedModel
    from ..interfaces.document import Document

    Texts = Path | list[str] | Iterator[Document]

Precision = Annotated[
    str | None,
    typer.Option(
        "--precision",
        metavar="auto|float32|bfloat16|int8",
        help="auto takes the fastest on the first texts that is at most 0.01 off float32. Left out: float32.",
    ),
]


def measured(
    opened: OpenedModel, wanted: str | None, documents: Iterable[Document], output: Path | None, quiet: bool
) -> OpenedModel:
    """Let a model compute in the wanted precision; a run that resumes keeps the one that it began with."""
    if wanted is None:
        return opened
    from ..explaining.any_model import lowered
    from ..inference.precision import AUTO, SAMPLE, choose_precision

    record = None if output is None else Path(f"{output}.precision.json")
    if record is not None and wanted == AUTO and record.is_file():
        return lowered(opened, _recorded(record))
    choice = choose_precision(opened.classifier, [document.words for document in islice(documents, SAMPLE)], wanted)
    if not quiet:
        print(choice, file=sys.stderr)
    if record is not None:
        from ..interfaces.settings import strict_json
        from ..storage.atomic import write_text

        write_text(record, strict_json(choice.to_dict(), indent=2) + "\n")
    return lowered(opened, choice.precision)


def _recorded(record: Path) -> str:
    try:
        return str(json.loads(record.read_text(encoding="utf-8"))["precision"])
    except (ValueError, KeyError, TypeError):
        raise OptionError(f"{record} is damaged: delete it, and the output that it belongs to.") from None


def measured_on(
    opened: OpenedModel,
    wanted: str | None,
    texts: Texts,
    columns: Columns,
    output: Path | None,
    quiet: bool,
) -> tuple[OpenedModel, Texts]:
    """Measure on the first texts of what is read; give what is to be read instead, as standard input is read once."""
    if wanted is None:
        return opened, texts
    from ..data.sources import part_files
    from ..inference.precision import SAMPLE
    from .texts import open_texts

    if isinstance(texts, Iterator):
        first = list(islice(texts, SAMPLE))
        return measured(opened, wanted, first, output, quiet), chain(first, texts)
    source = part_files(texts)[0] if is_place(texts) and texts.is_dir() else texts
    return measured(opened, wanted, open_texts(source, columns, True), output, quiet), texts
