"""`whyword verify`: whether a model folder is what was saved."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options


@options.grouped
def command(
    model: options.ModelFolder,
    *,
    key: Annotated[
        Path | None, typer.Option("--key", metavar="FILE", help="Public Ed25519 key in PEM that must have signed it.")
    ] = None,
    reporting: options.Reporting,
) -> None:
    """Compare every file of a model folder with its manifest, and load it.

    Ends with 0 if all is intact, and with 2 if a file was changed, damaged or lost, or was signed with another key.
    """
    from ..interfaces.settings import strict_json
    from ..models.verify import verify
    from .exits import stop

    found = verify(model, key)
    if reporting.as_json:
        print(strict_json(found.to_dict()))
    if found.problem is not None:
        stop(found.problem, 2)
    if not reporting.as_json and not reporting.quiet:
        print(found)
