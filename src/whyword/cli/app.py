"""The commands in one place."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from .. import __version__
from . import (
    agreement,
    attention,
    audit,
    check,
    compare,
    demo,
    diff,
    explain,
    export,
    learn_explainer,
    listing,
    predict,
    reproduce,
    serve,
    sign,
    train,
    verify,
    words,
)
from .exits import Commands, exit_codes, heeding_sigterm

app = typer.Typer(
    name="whyword",
    cls=Commands,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help appears at once; rich takes a fifth of a second to import what paints it
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for name, module in (
    ("demo", demo),
    ("check", check),
    ("train", train),
    ("predict", predict),
    ("explain", explain),
    ("audit", audit),
    ("compare", compare),
    ("reproduce", reproduce),
    ("diff", diff),
    ("words", words),
    ("attention", attention),
    ("learn-explainer", learn_explainer),
    ("verify", verify),
    ("sign", sign),
    ("export", export),
    ("serve", serve),
    ("agreement", agreement),
    ("list", listing),
):
    app.command(name)(module.command)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    """Text classifiers that show which words decided, and prove it.

    Start with:  whyword demo
    """
    if version:
        print(f"whyword {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


def main() -> NoReturn:
    """Run the command line and leave with the right exit code."""
    with exit_codes(), heeding_sigterm():
        code = app(prog_name="whyword", standalone_mode=False)
    sys.exit(code if isinstance(code, int) else 0)
