"""A paper as data: its tables and figures, the variants behind them, the published numbers and what they claim."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ...grids.variant import Evaluation, Result, Settings, Variant
from ...interfaces.errors import unknown_name

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure

Results = Mapping[tuple[str, str], Sequence[Result]]  # by data set and row, one for each seed
Read = Callable[[Result], Mapping[str, float]]  # a row's numbers by column, from the result of its evaluation
ReadTexts = Callable[[Result], Mapping[str, "np.ndarray"]]  # the same for each test text, where the result tells
Published = Mapping[tuple[str, str, str], float]  # by data set, row and column


@dataclass(frozen=True)
class Scale:
    """How much of a paper is reproduced."""

    datasets: tuple[str, ...]
    seeds: int
    families: tuple[str, ...]  # of encoders, as the paper calls them: CNN, LSTM, BERT
    rows: int | None = None  # training texts at most
    sample: int = 500  # test texts that are explained, at most
    samples: int = 500  # of LIME, for each text
    permutations: int = 25  # of Shapley values, for each text
    training: Settings = field(default_factory=dict)  # that win over the paper's
    vectors: bool = True  # whether pretrained word vectors are used where the paper does
    transformer: str = "minilm"  # what stands in for BERT-base
    brief: tuple[str, ...] = ()  # data sets for which only the main rows are run
    brief_seeds: int | None = None  # for these at most; None: as many as for the others

    @property
    def caps(self) -> tuple[str, ...]:
        """What it does less of than the paper, or otherwise, in words."""
        caps = [in_seeds(self.seeds)]
        caps.append("all training texts" if self.rows is None else f"at most {self.rows:,} training texts")
        caps.append(f"at most {self.sample:,} explained texts")
        caps += [f"{name.replace('_', ' ')} {value}" for name, value in self.training.items()]
        if "BERT" in self.families:
            caps.append(f"{self.transformer} for BERT-base")
        if self.brief:
            fewer = "" if self.brief_seeds is None else f" and {in_seeds(self.brief_seeds)}"
            caps.append(f"only the main rows{fewer} for {', '.join(self.brief)}")
        return tuple(caps)

    def only(self, names: Sequence[str]) -> tuple[str, ...] | None:
        """Give those of some data sets that it has; None, which is all of its own, where it has none of them."""
        return tuple(name for name in names if name in self.datasets) or None


@dataclass(frozen=True)
class Row:
    """A row of a table, or a line of a figure: which variant is evaluated how, and how its numbers are read."""

    name: str
    variant: Variant
    evaluation: Evaluation
    read: Read
    main: bool = True  # False: left out for the data sets that the scale is brief about
    seeds: int | None = None  # at most, where it has fewer than the scale
    read_texts: ReadTexts | None = None


@dataclass(frozen=True)
class Claim:
    """An ordering that the paper asserts: a row lies above another one, or above a margin, or no further from it.

    All claims of a paper are written down before anything is run for them, also those that no run at hand can test.
    """

    sentence: str
    row: str
    other: str | None  # None: the row's number itself is compared with the margin
    column: str
    margin: float = 0.0
    within: bool = False  # True: the difference is smaller than the margin, either way
    relevant: float = (
        1.0  # above the margin, in units of the column: an effect surely smaller than that fails the claim
    )
    bounded: bool = False  # True: all seeds may well reach the last number that there is, such as all words
    obstacle: str = ""  # why runs of this scale cannot test it, whatever they say


@dataclass(frozen=True)
class TableOrFigure:
    """A table or a figure."""

    name: str  # table 2
    title: str
    rows: tuple[Row, ...]
    published: Published = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    floor: str | None = None  # the row that others must surpass to carry a claim on a data set
    draw: Callable[[Results], Mapping[str, Figure]] | None = None  # pictures by the name of their file
    show: Callable[[Results], str] | None = None  # Markdown, where there is more to see than numbers
    note: str = ""  # what a reader must know to compare
    datasets: tuple[str, ...] | None = None  # where it is not for all of them; planted stands for all its options
    also: tuple[str, ...] = ()  # other tables and figures of the paper that it shows


@dataclass(frozen=True)
class Paper:
    """Everything that can be reproduced of a paper."""

    name: str
    title: str
    scales: Mapping[str, Scale]  # smoke, small and full
    tables: Callable[[Scale], tuple[TableOrFigure, ...]]  # and figures


def paper_names() -> list[str]:
    """Name the papers: papers/sun_lu.py is sun-lu."""
    modules = pkgutil.iter_modules([str(Path(__file__).parents[1])])
    return sorted(module.name.replace("_", "-") for module in modules if not module.ispkg)


def load_paper(name: str) -> Paper:
    """Import a paper by its name; its file offers it as PAPER."""
    if name not in paper_names():
        raise unknown_name(name, "the papers", paper_names())
    paper: Paper = import_module(f"...{name.replace('-', '_')}", __name__).PAPER
    return paper


def in_seeds(count: int) -> str:
    """Write a number of seeds."""
    return "one seed" if count == 1 else f"{count} seeds"


def published(table: str, columns: Sequence[str] | None = None) -> dict[tuple[str, str, str], float]:
    """Read numbers from text: a line of data sets, then a line per row; a row may have several columns, as 1/2/3."""
    first, *lines = (line for line in table.splitlines() if line.strip())
    names = columns or ("value",)
    numbers: dict[tuple[str, str, str], float] = {}
    for line in lines:
        row, *entries = line.split()
        for dataset, entry in zip(first.split(), entries, strict=True):
            if entry != "-":
                parts = entry.split("/")
                numbers |= {(dataset, row, name): float(part) for name, part in zip(names, parts, strict=True)}
    return numbers
