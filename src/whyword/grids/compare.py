"""Grids of methods, encoders, data sets and seeds, run cell by cell and compared."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from .. import catalog
from ..data.rows import Columns
from ..interfaces.errors import OptionError, unknown_name
from ..models.config import SECTIONS, make_config, overlay
from .cell_folder import finished_cells, run_cells
from .cells import METRICS, Cell, run_cell
from .comparison import Comparison
from .source import file_fingerprint, find_source

MEASURE = "comprehensiveness"
Names = str | Sequence[str]


def compare(
    datasets: str | Path | Sequence[str | Path],
    methods: Names = ("base", "attention", "vmask"),
    encoders: Names = "lstm",
    seeds: int | Sequence[int] = 3,
    *,
    settings: Sequence[str] = (),
    embeddings: str | Path | None = None,
    epochs: int | None = None,
    rows: int | None = None,
    explainer: str | None = None,
    sample: int = 200,
    measure: str = MEASURE,
    baseline: str | None = None,
    folder: str | Path | None = None,
    engine: str = "local",
    workers: int = 1,
    address: str | None = None,
    device: str = "cpu",
    columns: Columns | None = None,
    data_dir: str | Path | None = None,
) -> Comparison:
    """Train every method on every encoder, data set and seed, and compare accuracy and interpretability.

    With a folder, cells that are there are not run again, and tables and page are written into it.
    """
    cells = grid(
        datasets,
        methods,
        encoders,
        seeds,
        settings=settings,
        embeddings=embeddings,
        epochs=epochs,
        rows=rows,
        explainer=explainer,
        sample=sample,
        measure=measure,
        columns=columns,
        data_dir=data_dir,
    )
    chosen = choose_baseline(baseline, _listed(methods))
    place = None if folder is None else Path(folder) / "cells"
    found = finished_cells(cells, place)
    left = [cell for cell in cells if cell.name not in found]
    work = partial(run_cell, device=device)
    found |= {record["cell"]: record for record in run_cells(left, work, place, engine, workers, address)}
    comparison = Comparison([found[cell.name] for cell in cells], measure, chosen)
    if folder is not None:
        comparison.save(folder)
    return comparison


def grid(
    datasets: str | Path | Sequence[str | Path],
    methods: Names,
    encoders: Names,
    seeds: int | Sequence[int],
    *,
    settings: Sequence[str] = (),
    embeddings: str | Path | None = None,
    epochs: int | None = None,
    rows: int | None = None,
    explainer: str | None = None,
    sample: int = 200,
    measure: str = MEASURE,
    columns: Columns | None = None,
    data_dir: str | Path | None = None,
) -> list[Cell]:
    """Describe every cell, and refuse what cannot be run before anything is.

    A setting is `section.name=value` for all cells, or `vmask.beta=0.5` for those of one method or encoder.
    """
    if rows is not None and rows < 2:
        raise OptionError(f"rows is {rows}: give two training texts or more.")
    if sample < 0:
        raise OptionError(f"sample is {sample}: give a number of texts, or 0 to explain none.")
    if explainer is not None:
        catalog.load("explainers", explainer)
    if measure not in METRICS:
        raise unknown_name(measure, "the measures of interpretability", METRICS)
    several = [datasets] if isinstance(datasets, str | Path) else datasets
    sources = [find_source(data, columns, data_dir, rows) for data in dict.fromkeys(map(str, several))]
    _check_names([source.name for source in sources])
    numbers = range(seeds) if isinstance(seeds, int) else seeds
    names = _listed(methods), _listed(encoders)
    _check_assignments(settings, [*names[0], *names[1]])
    vectors = None if embeddings is None else file_fingerprint(embeddings)
    cells = []
    for seed, source, encoder, method in product(numbers, sources, names[1], names[0]):
        values: dict[str, Any] = {"method": method, "encoder": encoder, "seed": seed}
        if epochs is not None:
            values["training"] = {"epochs": epochs}
        config = make_config(overlay(values, _for_cell(settings, method, encoder)))
        if embeddings is not None and config.encoder_kind != "transformer":  # which brings its own
            config = make_config({**config.to_dict(), "embeddings": str(Path(embeddings).expanduser().resolve())})
        known = vectors if config.embeddings else None
        cells.append(Cell(source, config, known, explainer, sample=sample))
    if not cells:
        raise OptionError("There is nothing to compare: give a data set, a method, an encoder and a seed at least.")
    return cells


def choose_baseline(given: str | None, methods: Sequence[str]) -> str:
    """Compare with the method that is asked for, else with base, else with the first."""
    if given is None:
        return "base" if "base" in methods else methods[0]
    if given not in methods:
        raise unknown_name(given, "the methods that are compared", methods)
    return given


def _listed(names: Names) -> list[str]:
    return list(dict.fromkeys([names] if isinstance(names, str) else names))


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise OptionError(
                f"Two data sets are called '{name}': rename a file or folder, so that rows can be told apart."
            )


def _check_assignments(settings: Sequence[str], names: Sequence[str]) -> None:
    for word in settings:
        section = word.partition("=")[0].rpartition(".")[0]
        if "=" not in word or section not in (*SECTIONS, *names):
            raise OptionError(
                f"--set {word}: write section.name=value, where section is one of {', '.join(SECTIONS)}, or a method "
                "or an encoder that is compared, for example --set training.epochs=5."
            )


def _for_cell(settings: Sequence[str], method: str, encoder: str) -> list[str]:
    """Choose the settings that speak about a cell, as overlay reads them."""
    chosen = []
    for word in settings:
        path, _, value = word.partition("=")
        section, _, name = path.rpartition(".")
        kind = {method: "method", encoder: "encoder"}.get(section, section)
        if kind in SECTIONS:
            chosen.append(f"{kind}.{name}={value}")
    return chosen
