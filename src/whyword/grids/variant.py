"""What is trained and what is measured of it: a variant on a data set with a seed, and the evaluations of the model."""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from .. import catalog
from ..blocks.contributions import ContributionHead
from ..blocks.rationales import RationaleReader
from ..data.dataset import Dataset, labels, load_dataset
from ..data.planted import parse
from ..data.readers.hub import PREFIX
from ..data.rows import Columns
from ..data.sources import locate, name_of, split_parts
from ..data.splits import hold_out
from ..interfaces.document import Document
from ..interfaces.errors import DataError, OptionError
from ..interfaces.places import as_place, open_bytes
from ..models.choose import choose_setting, is_begun_choice
from ..models.config import FORBIDDEN, RunConfig, make_config, overlay
from ..models.fingerprint import fingerprint
from ..models.folder import TrainedModel
from ..models.train import OnEvent, train_model, train_once
from .search import SEED, search_settings, words_of

Settings = Mapping[str, Any]  # nested plain values, ready for JSON
Result = Mapping[str, Any]  # what an evaluation measured: plain values, ready for JSON

MOST_UNEQUAL = 5  # times the smaller class, in the ratios that are compared: all of them keep equally many texts


@dataclass(frozen=True)
class Source:
    """A data set that any process can load, the same each time."""

    name: str
    place: str  # as load_dataset takes it, from whatever folder
    contents: str  # equal where the files are equal, wherever they lie; of the hub only the name is known
    columns: Columns = field(default_factory=Columns)
    rows: int | None = None  # training texts at most, each class in proportion; None: all


@dataclass(frozen=True)
class Variant:
    """How a model is trained, under the name that a table has for it."""

    name: str
    settings: Settings  # as make_config takes them
    vectors: bool = False  # whether it starts from pretrained word vectors
    choose: tuple[str, tuple[Any, ...]] | None = None  # a setting and the values among which dev decides for each seed
    longest: int | None = None  # words of each text that are read
    ratio: str | None = None  # second class : first class, among the training texts that are kept
    search: tuple[tuple[str, tuple[Any, ...]], ...] = ()  # settings that dev decides before, with one seed for all


def _columns(columns: Columns) -> dict[str, Any]:
    """Give the columns as records hold them: how several labels are written only where it was said."""
    values = asdict(columns)
    for name in ("label_separator", "labels", "several"):
        if not values[name]:
            del values[name]
    return values


@dataclass(frozen=True)
class TrainedVariant:
    """A variant on a data set with a seed."""

    variant: Variant
    source: Source
    seed: int
    models: Path | None = None  # folder in which trained models are kept; None: the model is not kept
    embeddings: str | None = None  # file of word vectors
    vectors: str | None = None  # its fingerprint
    data_dir: str | None = None  # where other data sets are looked up by name
    device: str = "cpu"

    @cached_property
    def config(self) -> RunConfig:
        """Everything that training takes."""
        embeddings = self.embeddings if self.variant.vectors else None
        return make_config({**self.variant.settings, "embeddings": embeddings, "seed": self.seed})

    @cached_property
    def settings(self) -> Settings:
        """All that was set, defaults too, for the record; files stand for what they hold."""
        return {
            "data": self.source.contents,
            "columns": _columns(self.source.columns),
            "rows": self.source.rows,
            **self.config.to_dict(),
            "embeddings": self.vectors if self.variant.vectors else None,
            "choose": self.variant.choose,
            "longest": self.variant.longest,
            "ratio": self.variant.ratio,
            **({"search": self.variant.search} if self.variant.search else {}),
        }

    @cached_property
    def identity(self) -> Settings:
        """What decides the model: data, settings that differ from their defaults, seed, and revisions of the code."""
        return {
            "data": self.source.contents,
            "columns": differing(self.source.columns),
            "rows": self.source.rows,
            **variant_identity(self.variant),
            "vectors": self.vectors if self.variant.vectors else None,
            "seed": self.seed,
        }

    @cached_property
    def name(self) -> str:
        """A name for people, and a few letters that change with the identity."""
        return file_name(f"{self.source.name}-{self.variant.name}-{self.seed}", self.identity)

    @property
    def folder(self) -> Path | None:
        """Where the model is kept."""
        return None if self.models is None else self.models / self.name

    @property
    def is_trained(self) -> bool:
        """Whether the model is there."""
        return self.folder is not None and (self.folder / "config.json").exists()

    def other(self, variant: Variant) -> TrainedVariant:
        """Give another variant on the same data with the same seed."""
        return replace(self, variant=variant)

    def dataset(self) -> Dataset:
        """Read the data as this variant sees it: at most its rows, in its ratio of classes, its first words."""
        dataset = load_dataset(self.source.place, self.source.columns)
        rows, ratio, longest = self.source.rows, self.variant.ratio, self.variant.longest
        if rows is not None and rows < len(dataset.train):
            capped, _ = hold_out(dataset.train, wanted=len(dataset.train) - rows)
            dataset = replace(dataset, train=capped)
        if ratio is not None:
            dataset = with_ratio(dataset, ratio, self.seed)
        return dataset if longest is None else first_words(dataset, longest)

    def searched(self, dataset: Dataset, on_event: OnEvent = lambda _: None) -> list[dict[str, Any]]:
        """Find on dev the settings that are searched, which are those of every seed; scores stay beside the models."""
        if not self.variant.search:
            return []
        once = replace(self, seed=SEED)
        folder = None if self.models is None else self.models / f"{once.name}.search"
        return search_settings(once.config, dataset, self.variant.search, self.device, folder, on_event)

    def model(self, dataset: Dataset, on_event: OnEvent = lambda _: None) -> TrainedModel:
        """Train the model; where it is kept, load it if it is there, or resume its training."""
        config = self.config
        if self.variant.search and not self.is_trained:
            config = make_config(overlay(config.to_dict(), words_of(self.searched(dataset, on_event))))
        choose = self.variant.choose
        if choose is not None and not self.is_trained:
            begun = self.folder is not None and is_begun_choice(self.folder)
            return choose_setting(config, dataset, *choose, self.device, self.folder, begun, on_event)
        if self.folder is None:
            return train_model(config, dataset, self.device, on_event=on_event)
        return train_once(config, dataset, self.folder, self.device, on_event)


class Evaluation(ABC):
    """Something that is measured of a trained model: a frozen dataclass whose fields are its settings.

    The name and the revision are part of a record's identity: raise the revision by hand when changed code gives other
    results, or when a default changes, and records of the old one are run again.
    """

    name: ClassVar[str]
    revision: ClassVar[int] = 1
    judge: Variant | None = None  # a variant on the same data with the same seed whose model is used too

    def earlier(self, variant: Variant) -> tuple[Settings, ...]:
        """Give earlier forms, newest first, whose records tell the same numbers, but fewer: shown until it is run."""
        return ()

    @abstractmethod
    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Measure a model that was trained on the data set."""


def variant_identity(variant: Variant) -> Settings:
    """Give what decides the training of a variant, beside data and seed."""
    config = make_config(variant.settings)
    method, encoder = catalog.load("methods", config.method), catalog.load("encoders", config.encoder_kind)
    changed = differing(variant)
    return {
        "method": {"name": config.method, "revision": method.revision, **differing(config.method_settings)},
        "encoder": {"name": config.encoder, "revision": encoder.revision, **differing(config.encoder_settings)},
        "vocabulary": differing(config.vocabulary),
        "training": differing(config.training),
        **{name: entries for name in FORBIDDEN if (entries := getattr(config, name))},
        **_identity_of_head("contributions", ContributionHead.revision, config.contributions),
        **_identity_of_head("rationales", RationaleReader.revision, config.rationales),
        **{name: value for name, value in changed.items() if name not in ("name", "settings")},
    }


def _identity_of_head(name: str, revision: int, settings: Any) -> Settings:
    """Give what decides a head that is fitted last, where a variant has it."""
    return {} if settings is None else {name: {"revision": revision, **differing(settings)}}


def evaluation_identity(evaluation: Evaluation) -> Settings:
    """Give what decides the result of an evaluation, beside the model and its data."""
    judge = {} if evaluation.judge is None else {"judge": variant_identity(evaluation.judge)}
    return {"name": evaluation.name, "revision": evaluation.revision, **differing(evaluation), **judge}


def differing(settings: Any) -> dict[str, Any]:
    """Give the fields of a dataclass whose values are not their defaults, so that a new field changes no identity."""
    defaults = {
        item.name: item.default if item.default_factory is MISSING else item.default_factory()
        for item in fields(settings)
    }
    return {name: value for name, default in defaults.items() if (value := getattr(settings, name)) != default}


def file_name(words: str, identity: Settings) -> str:
    """Give a name for a file: words for people, and a few letters that change with the identity."""
    return f"{re.sub(r'[^A-Za-z0-9._=-]+', '-', words)[:100]}-{fingerprint(identity)[:12]}"


def first_words(dataset: Dataset, longest: int) -> Dataset:
    """Keep the first words of every text: some posts have ten thousand, which an LSTM reads one after the other."""

    def short(documents: Sequence[Document]) -> tuple[Document, ...]:
        words = (replace(d.words, spans=tuple(spans[:longest] for spans in d.words.spans)) for d in documents)
        return tuple(replace(d, words=first) for d, first in zip(documents, words, strict=True))

    return replace(dataset, train=short(dataset.train), dev=short(dataset.dev), test=short(dataset.test))


def with_ratio(dataset: Dataset, ratio: str, seed: int) -> Dataset:
    """Drop training texts at random until the second class stands to the first as in "2:5"."""
    classes = labels(dataset.train)
    if len(classes) != 2:
        raise OptionError(f"{dataset.name} has {len(classes)} classes: a ratio is for two.")
    second, first = map(int, ratio.split(":"))
    places = {c: [i for i, document in enumerate(dataset.train) if document.label == c] for c in classes}
    total = min(map(len, places.values())) * (MOST_UNEQUAL + 1) // MOST_UNEQUAL
    generator = np.random.default_rng(seed)
    remaining: set[int] = set()
    for label, part in zip(classes, (first, second), strict=True):
        remaining |= set(generator.permutation(places[label])[: round(total * part / (first + second))].tolist())
    return replace(dataset, train=tuple(d for i, d in enumerate(dataset.train) if i in remaining))


def find_source(
    data: str | Path, columns: Columns | None = None, data_dir: str | Path | None = None, rows: int | None = None
) -> Source:
    """Find a data set and look at its bytes, without reading its rows."""
    words, columns = str(data), columns or Columns()
    if words == "planted" or words.startswith("planted:"):
        name = f"planted:{parse(words.partition(':')[2]).options}".removesuffix(":")
        return Source(name, name, name, columns, rows)
    if words.startswith(PREFIX):
        return Source(words.removeprefix(PREFIX), words, words, columns, rows)
    path = locate(data, data_dir).resolve()
    files = split_parts(path) if path.is_dir() else {"": [path]}
    contents = " ".join(f"{split}:{file_fingerprint(file)}" for split, parts in files.items() for file in parts)
    return Source(name_of(path), str(path), contents, columns, rows)


def file_fingerprint(path: str | Path) -> str:
    """Name the bytes of a file."""
    try:
        with open_bytes(as_place(path).expanduser()) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise DataError(f"There is no file {path}.") from None
