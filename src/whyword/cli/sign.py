"""`whyword sign`: who made a model folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..interfaces.settings import strict_json
from . import options


@options.grouped
def command(
    model: options.ModelFolder,
    *,
    key: Annotated[
        Path, typer.Option("--key", metavar="FILE", help="Private Ed25519 key in PEM, as openssl genpkey makes it.")
    ],
    reporting: options.Reporting,
) -> None:
    """Sign a model folder, so that others can be sure who made it.

    They check it with  whyword verify MODEL --key PUBLIC.
    """
    from ..storage.signature import sign

    file = sign(model, key)
    if reporting.as_json:
        print(strict_json({"signature": str(file)}))
    elif not reporting.quiet:
        print(f"Signed {model}: anyone with the public key can check it with  whyword verify {model} --key PUBLIC")
