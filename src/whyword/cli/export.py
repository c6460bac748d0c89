"""`whyword export`: a model for programs that do not know whyword."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from . import options


@options.grouped
def command(
    model: options.ModelFolder,
    *,
    to: Annotated[str, typer.Option("--to", metavar="huggingface|onnx", help="What the model shall leave as.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write.")],
    hardware: options.Hardware,
    reporting: options.Reporting,
) -> None:
    """Write a model as a Hugging Face folder or an ONNX file.

    What is written is loaded again and must give the same answers.
    """
    from ..inference.fitted import choose_device
    from ..models.export import export_model
    from ..models.folder import load_model

    options.use_threads(hardware.threads)
    files = export_model(load_model(model, choose_device(hardware.device)), to, output)
    if reporting.as_json:
        print(json.dumps({"to": to, "output": str(output), "files": [path.name for path in files]}))
    elif not reporting.quiet:
        print(f"{output} holds {', '.join(path.name for path in files)}; it gives the same answers as {model}.")
