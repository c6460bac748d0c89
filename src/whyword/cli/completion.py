"""What the shell offers behind an option: the classes of the model that stands before it, read from its config.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

PREFIX = "hf:"


def complete_class(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the classes of the model whose names begin so."""
    before = [context.params.get("model"), *context.args]  # what lacks its value is not parsed: all is left in args
    model = next(filter(None, before), "")
    return [name for name in class_names(str(model)) if name.startswith(incomplete)]


def complete_target(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the classes, and the targets that are none."""
    others = [name for name in ("predicted", "all") if name.startswith(incomplete)]
    return [*complete_class(context, incomplete), *others]


def class_names(model: str) -> list[str]:
    """Give the classes of a model folder, or of one of Hugging Face; none where no file names them."""
    try:
        config: Any = json.loads((Path(model.removeprefix(PREFIX)) / "config.json").read_text(encoding="utf-8"))
        names = config["labels"] if "whyword" in config else config["id2label"].values()
        return [str(name) for name in names]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
