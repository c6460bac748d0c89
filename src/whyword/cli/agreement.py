"""`whyword agreement`: who marked what in a file of annotations, and how far people agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..interfaces.settings import strict_json
from . import options


@options.grouped
def command(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="What  whyword serve MODEL --annotate TEXTS  saved, also while it runs."),
    ],
    *,
    reporting: options.Reporting,
) -> None:
    """Say who marked what, and how far people agree.

    Agreement is Krippendorff's alpha: 1 is perfect, 0 what chance gives.
    """
    from ..data.annotators import summarize
    from ..data.decisions import Decisions, read_decisions
    from ..storage.json_log import read_json_log
    from ..views.characters import showable

    found = summarize(Decisions(read_decisions(read_json_log(file), file)))
    if reporting.as_json:
        print(strict_json(found.to_dict()))
        return

    def count(texts: int) -> str:
        return f"{texts:,} text{'' if texts == 1 else 's'}"

    labels = ", ".join(f"{showable(label)} {count:,}" for label, count in found.labels.items())
    authors = ", ".join(f"{showable(author)} {count:,}" for author, count in found.authors.items())
    print(f"{count(found.texts)}, {found.decisions:,} decisions, {found.no_reason:,} of them that no word is a reason")
    print(f"labels     {labels or 'none'}")
    print(f"people     {authors or 'nobody'}")
    shared = found.agreement
    if not shared.texts:
        print("agreement  not known: no text was marked by two people (serve with --overlap 2)")
        return
    words, classes = ("not defined" if value is None else f"{value:.2f}" for value in (shared.words, shared.labels))
    print(f"agreement  on words {words}, on labels {classes} (alpha, {count(shared.texts)} of two people or more)")
