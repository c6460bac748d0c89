"""`whyword check`: the data doctor, which says what in a data set would harm training."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options

if TYPE_CHECKING:
    from rich.table import Table

    from ..data.doctor import DataCheck

ENDINGS = (".html", ".json")
SHOWN_CLASSES = 8
SHOWN_EXAMPLES = 2

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="A file, a folder with train/dev/test files, a name, hub:owner/name or planted."
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="An .html page, or .json, to write.")
]


@options.grouped
def command(
    data: Data,
    *,
    output: Output = None,
    columns: options.RationaleColumns,
    data_dir: options.DataDir = None,
    reporting: options.Reporting,
) -> None:
    """Say what in a data set would harm training, and what to do.

    Missing and misspelled labels, copies, texts in two splits, contradictory labels, classes and scripts that are
    missing from a split.
    """
    from ..data.doctor import check
    from ..storage.records import check_output

    if output is not None:
        check_output(output, ENDINGS, [data])
    found = check(data, columns.columns(), data_dir)
    if output is not None:
        found.save(output)
    if reporting.as_json:
        print(found.to_json())
    elif not reporting.quiet:
        _show(found)
        if output is not None:
            print(f"Wrote {output}.", file=sys.stderr)


def _show(found: DataCheck) -> None:
    from rich.text import Text

    from ..views.characters import showable
    from .outputs import screen

    console = screen()
    wrap = not console.is_terminal

    def say(line: str, style: str = "") -> None:
        console.print(Text(showable(line), style), soft_wrap=wrap)

    for form in found.forms:
        say(form)
    console.print(_table(found))
    styles = {"stops": "bold red", "harms": "bold yellow", "note": "bold"}
    marks = {"stops": "stops", "harms": "harms", "note": "note "}
    for finding in found.findings:
        console.print(
            Text.assemble((marks[finding.severity], styles[finding.severity]), "  ", showable(str(finding))),
            soft_wrap=wrap,
        )
        for example in finding.examples[:SHOWN_EXAMPLES]:
            say(f"         {example}", "dim")
        if len(finding.examples) > SHOWN_EXAMPLES:
            say("         …", "dim")
    say("Nothing was found." if not found.findings else f"{found.name}: {found.verdict}.", "bold")


def _table(found: DataCheck) -> Table:
    """Make a table with a row per split: its rows, classes and lengths."""
    from rich.table import Table
    from rich.text import Text

    from ..views.characters import showable

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("split")
    for name in ("rows", "words: 5 %", "half", "95 %", "longest"):
        table.add_column(name, justify="right")
    table.add_column("classes")
    for split in found.splits:
        words, classes = split.words, split.classes
        lengths = ["–"] * 4 if words is None else [f"{value:,.0f}" for value in vars(words).values()]
        shares = ", ".join(f"{each.label} {each.share:.1%}" for each in classes[:SHOWN_CLASSES])
        more = f", and {len(classes) - SHOWN_CLASSES} more" if len(classes) > SHOWN_CLASSES else ""
        name = "all rows" if found.single else split.name
        table.add_row(name, f"{split.rows:,}", *lengths, Text(showable(f"{shares}{more}")))
    return table
