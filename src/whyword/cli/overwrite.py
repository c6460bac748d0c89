"""A model that stands where another is to be written is not replaced by accident."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from ..interfaces.errors import OptionError


def check_overwrite(output: Path, overwrite: bool, resume: bool) -> None:
    """Ask on a terminal, before anything is computed; elsewhere want the option. A resumed run was asked before."""
    from ..models.folder import check_place

    if overwrite or resume or not (output / "config.json").exists():
        return
    check_place(output)
    if not on_terminal():
        raise OptionError(f"-o {output} is a model already: give --overwrite to replace it, or name another folder.")
    if not typer.confirm(f"{output} is a model already. Replace it?", err=True):
        raise OptionError(f"{output} is left as it is: name another folder with -o.")


def on_terminal() -> bool:
    """Whether somebody can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()
