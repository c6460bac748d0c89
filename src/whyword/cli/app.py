"""The commands in one place, and what happens to errors: 2 the user can fix it, 130 interrupted, 1 a bug."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click
import typer

from ..interfaces.errors import WhywordError
from . import demo, explain, listing, predict, train

app = typer.Typer(
    name="whyword",
    help="Text classifiers that show which words decided, and prove it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.command)
app.command("train")(train.command)
app.command("predict")(predict.command)
app.command("explain")(explain.command)
app.command("list")(listing.command)


@app.callback()
def _root() -> None:
    """Text classifiers that show which words decided, and prove it."""


def main() -> NoReturn:
    """Run the command line and leave with the right exit code."""
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except WhywordError as error:
        _stop(str(error), 2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        _stop("Interrupted; the work so far is kept.", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone: nothing more to say
        sys.exit(0)
    except OSError as error:
        _stop(f"{error.filename or 'A file'} cannot be used: {error.strerror or error}.", 2)
    sys.exit(code if isinstance(code, int) else 0)


def _stop(message: str, code: int) -> NoReturn:
    print(f"whyword: {message}", file=sys.stderr)
    sys.exit(code)
