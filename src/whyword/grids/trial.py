"""One training run of a paper, kept as a model folder, and the questions it was asked, each kept as a record."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..data.dataset import Dataset
from ..models.choose import choose_setting, is_begun_choice
from ..models.config import RunConfig, make_config
from ..models.folder import TrainedModel
from ..models.train import train_once
from ..parallel import run_safely
from .cell_folder import finished_cells, keep_cell
from .cells import FORMAT, Record, failed_record, named, one_thread, versions
from .evaluation import Question
from .reshaping import first_words, with_ratio
from .source import Source


@dataclass(frozen=True)
class Run:
    """A way of training that a paper has a name for."""

    name: str
    settings: Mapping[str, Any]  # as make_config takes them
    vectors: bool = False  # whether it starts from pretrained word vectors
    choose: tuple[str, tuple[Any, ...]] | None = None  # a setting and the values among which dev decides
    longest: int | None = None  # words of each text that are read
    ratio: str | None = None  # second class : first class, among the training texts that are kept


@dataclass(frozen=True)
class Trial:
    """A run on a data set with a seed."""

    run: Run
    source: Source
    seed: int
    models: Path  # folder in which trained models are kept
    embeddings: str | None = None  # file of word vectors
    vectors: str | None = None  # its fingerprint
    data_dir: str | None = None  # where other data sets are looked up by name

    @cached_property
    def config(self) -> RunConfig:
        """Everything that training takes."""
        embeddings = self.embeddings if self.run.vectors else None
        return make_config({**self.run.settings, "embeddings": embeddings, "seed": self.seed})

    @cached_property
    def facts(self) -> Record:
        """All that decides the model; files stand for what they hold."""
        return {
            "whyword": version("whyword"),
            "data": self.source.contents,
            "columns": asdict(self.source.columns),
            "rows": self.source.rows,
            **self.config.to_dict(),
            "embeddings": self.vectors if self.run.vectors else None,
            "choose": self.run.choose,
            "longest": self.run.longest,
            "ratio": self.run.ratio,
        }

    @cached_property
    def name(self) -> str:
        """A name for people, and a few letters that change with any of the facts."""
        return named(f"{self.source.name}-{self.run.name}-{self.seed}", self.facts)

    def other(self, run: Run) -> Trial:
        """Give another run on the same data with the same seed."""
        return replace(self, run=run)

    def dataset(self) -> Dataset:
        """Read the data as this run sees it."""
        dataset = self.source.load()
        if self.run.ratio is not None:
            dataset = with_ratio(dataset, self.run.ratio, self.seed)
        return dataset if self.run.longest is None else first_words(dataset, self.run.longest)

    @property
    def folder(self) -> Path:
        """Where the model is kept."""
        return self.models / self.name

    @property
    def is_trained(self) -> bool:
        """Whether the model is there."""
        return (self.folder / "config.json").exists()

    def model(self, dataset: Dataset) -> TrainedModel:
        """Load the model, or train it, or go on training it."""
        if self.run.choose is None or self.is_trained:
            return train_once(self.config, dataset, self.folder)
        begun = is_begun_choice(self.folder)
        return choose_setting(self.config, dataset, *self.run.choose, folder=self.folder, resume=begun)


@dataclass(frozen=True)
class Inquiry:
    """A question to one trial."""

    trial: Trial
    question: Question

    @cached_property
    def facts(self) -> Record:
        """All that decides the answer."""
        return {**self.trial.facts, "asked": self.question.facts}

    @cached_property
    def name(self) -> str:
        """A name for people, and a few letters that change with any of the facts."""
        trial = self.trial
        return named(f"{trial.source.name}-{trial.run.name}-{trial.seed}-{self.question.name}", self.facts)

    @property
    def judge(self) -> Trial | None:
        """The trial whose model answers in place of the asked one, if the question has such a judge."""
        run = getattr(self.question, "judge", None)
        return None if run is None else self.trial.other(run)

    @property
    def identity(self) -> Record:
        """What its record says of the inquiry itself."""
        return {
            "format": FORMAT,
            "cell": self.name,
            "dataset": self.trial.source.name,
            "rows": self.trial.source.rows,
            "run": self.trial.run.name,
            "seed": self.trial.seed,
            "question": self.question.name,
        }

    def answer(self) -> Record:
        """Train if need be, ask, and give the record, on one thread, so that it is the same wherever it is run."""
        started = time.perf_counter()
        with one_thread():
            dataset = self.trial.dataset()
            model = self.trial.model(dataset)
            answer = self.question.ask(model, dataset, self.trial)
        return {
            **self.identity,
            "train_texts": len(dataset.train),
            "answer": answer,
            "wall_seconds": round(time.perf_counter() - started, 1),
            "versions": versions(),
            "facts": self.facts,
        }


@dataclass(frozen=True)
class Interview:
    """All that one trial is asked, one after the other: nobody else trains its model meanwhile."""

    inquiries: tuple[Inquiry, ...]
    cells: Path  # folder in which each record is kept as soon as it is there

    def answer(self) -> list[Record]:
        """Give a record for each inquiry; where the model cannot be trained, all of them fail."""
        records = self._kept() if self.inquiries[0].trial.is_trained else {}
        for inquiry in self.inquiries:
            if inquiry.name in records:
                continue  # by a process that died later
            outcome = run_safely(Inquiry.answer, inquiry)
            if isinstance(outcome, Exception) and not inquiry.trial.is_trained:
                return self.fail(outcome)
            record = failed_record(inquiry.identity, outcome) if isinstance(outcome, Exception) else outcome
            keep_cell(record, self.cells)
            records[inquiry.name] = record
        return list(records.values())

    def fail(self, error: Exception) -> list[Record]:
        """Give a record for each inquiry of an interview that was broken off: answers that are there stay."""
        records = self._kept()
        for inquiry in self.inquiries:
            if inquiry.name not in records:
                records[inquiry.name] = failed_record(inquiry.identity, error)
                keep_cell(records[inquiry.name], self.cells)
        return list(records.values())

    def _kept(self) -> dict[str, Record]:
        return finished_cells(self.inquiries, self.cells)
