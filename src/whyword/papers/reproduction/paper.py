"""A paper as data: its tables and figures, the runs behind them, the published numbers and what they claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...grids.evaluation import Question
from ...grids.trial import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Answer = Mapping[str, Any]  # what a question found out
Answers = Mapping[tuple[str, str], Sequence[Answer]]  # by data set and row, one for each seed
Published = Mapping[tuple[str, str, str], float]  # by data set, row and column


@dataclass(frozen=True)
class Scale:
    """How much of a paper is made again."""

    datasets: tuple[str, ...]
    seeds: int
    families: tuple[str, ...]  # of encoders, as the paper calls them: CNN, LSTM, BERT
    rows: int | None = None  # training texts at most
    sample: int = 500  # test texts that are explained, at most
    samples: int = 500  # of LIME, for each text
    permutations: int = 25  # of Shapley values, for each text
    training: Mapping[str, Any] = field(default_factory=dict)  # settings that win over the paper's
    vectors: bool = True  # whether pretrained word vectors are used where the paper does
    transformer: str = "minilm"  # what stands in for BERT-base
    brief: tuple[str, ...] = ()  # data sets for which only the main rows are made
    brief_seeds: int | None = None  # for these at most; None: as many as for the others

    @property
    def caps(self) -> tuple[str, ...]:
        """What it does less of than the paper, or otherwise, in words."""
        told = [in_seeds(self.seeds)]
        told.append("all training texts" if self.rows is None else f"at most {self.rows:,} training texts")
        told.append(f"at most {self.sample:,} explained texts")
        told += [f"{name.replace('_', ' ')} {value}" for name, value in self.training.items()]
        if "BERT" in self.families:
            told.append(f"{self.transformer} for BERT-base")
        if self.brief:
            fewer = "" if self.brief_seeds is None else f" and {in_seeds(self.brief_seeds)}"
            told.append(f"only the main rows{fewer} for {', '.join(self.brief)}")
        return tuple(told)

    def only(self, names: Sequence[str]) -> tuple[str, ...] | None:
        """Give those of some data sets that it has; None, which is all of its own, where it has none of them."""
        return tuple(name for name in names if name in self.datasets) or None


@dataclass(frozen=True)
class Row:
    """A row of a table, or a line of a figure: which run is asked what, and how its numbers are read."""

    name: str
    run: Run
    question: Question
    read: Callable[[Answer], Mapping[str, float]]  # number by column
    main: bool = True  # False: left out for the data sets that the scale is brief about
    seeds: int | None = None  # at most, where it is made with fewer than the scale has


@dataclass(frozen=True)
class Claim:
    """An ordering that the paper asserts: a row lies above another one, or above a margin, or no further from it."""

    sentence: str
    row: str
    other: str | None  # None: the row's number itself is compared with the margin
    column: str
    margin: float = 0.0
    within: bool = False  # True: the difference is smaller than the margin, either way
    bounded: bool = False  # True: all seeds may well reach the last number that there is, such as all words


@dataclass(frozen=True)
class Exhibit:
    """A table or a figure."""

    name: str  # table 2
    title: str
    rows: tuple[Row, ...]
    published: Published = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    draw: Callable[[Answers], Mapping[str, Figure]] | None = None  # pictures by the name of their file
    show: Callable[[Answers], str] | None = None  # Markdown, where there is more to see than numbers
    note: str = ""  # what a reader must know to compare
    datasets: tuple[str, ...] | None = None  # where it is not for all of them; planted stands for all its options
    also: tuple[str, ...] = ()  # other tables and figures of the paper that it shows


@dataclass(frozen=True)
class Paper:
    """Everything that can be made again of a paper."""

    name: str
    title: str
    scales: Mapping[str, Scale]  # smoke, small and full
    exhibits: Callable[[Scale], tuple[Exhibit, ...]]


def in_seeds(count: int) -> str:
    """Write a number of seeds."""
    return "one seed" if count == 1 else f"{count} seeds"


def published(table: str, columns: Sequence[str] | None = None) -> dict[tuple[str, str, str], float]:
    """Read numbers from text: a line of data sets, then a line per row; a row may have several columns, as 1/2/3."""
    first, *lines = (line for line in table.splitlines() if line.strip())
    names = columns or ("value",)
    found: dict[tuple[str, str, str], float] = {}
    for line in lines:
        row, *cells = line.split()
        for dataset, cell in zip(first.split(), cells, strict=True):
            if cell != "-":
                parts = cell.split("/")
                found |= {(dataset, row, name): float(part) for name, part in zip(names, parts, strict=True)}
    return found
