"""One run, described (TOML, command-line words and Python arguments all become this), and assembled into its parts."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from .. import catalog
from ..blocks.contributions import ContributionHead
from ..blocks.rationales import RationaleReader
from ..data.forbidden import Forbidden
from ..interfaces.document import Label
from ..interfaces.errors import OptionError, unknown_name
from ..interfaces.method import LinearEncoder
from ..interfaces.settings import build, check_above_zero
from ..training.optimizer import Training

T = TypeVar("T")
AUTO = "auto"  # in place of an encoder: one is chosen, see auto.py
SECTIONS = ("method", "encoder", "vocabulary", "training", "contributions", "rationales")
FORBIDDEN = ("forbid", "forbid_soft")  # lists of words
PLAIN = ("embeddings", *FORBIDDEN, "seed", "name", "notes", "task", "order")  # settings that are in no section
ORDINAL = "ordinal"  # the task whose classes have an order


# of pretrained encoders: on dev of SST-2, 2,000 texts and one seed, 5e-5 and 4e-4 were lower; on TREC 5e-5 was level
FINE_TUNING = {"learning_rate": 1e-4, "epochs": 3, "batch_size": 32, "schedule": "linear", "warmup": 0.1}


@dataclass(frozen=True)
class Vocabulary:
    """Settings of a word-level vocabulary; pretrained encoders bring their own."""

    lowercase: bool = True
    min_frequency: int = 1  # rarer words are unknown
    max_size: int | None = None  # most frequent words kept; None: all
    from_vectors: bool | None = None  # also know words that only the vector file has; None: if the vectors are frozen

    def __post_init__(self) -> None:
        """Refuse settings out of range."""
        check_above_zero(self, "min_frequency", "max_size")


@dataclass(frozen=True)
class RunConfig:
    """Everything that decides what a trained model will be, apart from the data."""

    method: str = "base"
    encoder: str = "lstm"
    method_settings: Any = None  # the method's own Config
    encoder_settings: Any = None  # the encoder's own Config
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    training: Training = field(default_factory=Training)
    contributions: ContributionHead.Config | None = None  # None: the model does not carry them
    rationales: RationaleReader.Config | None = None  # None: what people would mark is not learned
    embeddings: str | None = None
    forbid: tuple[str, ...] = ()  # entries of words that are not read; data/forbidden.py says what they mean
    forbid_soft: tuple[str, ...] = ()  # entries of words that are read, but are to move no answer
    seed: int = 0
    name: str | None = None  # what people call the model
    notes: str | None = None  # what they want to remember of it
    task: str | None = None  # "ordinal": classes have an order; None: as the labels are
    order: tuple[Label, ...] | None = None  # of the classes, lowest first; None: known from the labels

    @property
    def ordered(self) -> bool:
        """Whether classes have an order."""
        return self.task == ORDINAL

    @property
    def encoder_kind(self) -> str:
        """The name in the catalog that serves this encoder."""
        known = ":" in self.encoder or self.encoder in catalog.names("encoders")
        return self.encoder if known else "transformer"

    @property
    def must_not_decide(self) -> tuple[str, ...]:
        """Entries of all words that are not read, or read but to move no answer."""
        return (*self.forbid, *self.forbid_soft)

    @property
    def unread(self) -> tuple[str, ...]:
        """Entries of all words that are not read; a model that is solved at once cannot be taught to ignore a word."""
        return self.must_not_decide if self.is_solved else self.forbid

    @property
    def is_solved(self) -> bool:
        """Whether it is a linear model, which is solved at once."""
        return issubclass(catalog.load("encoders", self.encoder_kind), LinearEncoder)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON; the task only where it is named."""
        order = None if self.order is None else list(self.order)
        return {
            **({"task": self.task, "order": order} if self.task is not None else {}),
            "method": {"name": self.method, **asdict(self.method_settings)},
            "encoder": {"name": self.encoder, **asdict(self.encoder_settings)},
            "vocabulary": asdict(self.vocabulary),
            "training": asdict(self.training),
            "contributions": None if self.contributions is None else asdict(self.contributions),
            **({} if self.rationales is None else {"rationales": asdict(self.rationales)}),
            "embeddings": self.embeddings,
            "forbid": list(self.forbid),
            "forbid_soft": list(self.forbid_soft),
            "seed": self.seed,
            "name": self.name,
            "notes": self.notes,
        }


def encoder_kind(name: str) -> str:
    """Give the name in the catalog that serves a name; any name that is not there is a Hugging Face model."""
    known = catalog.names("encoders")
    if name in known or ":" in name:  # a class that was handed over is module:Class
        return name
    if name == "minilm" or "/" in name or "-" in name or Path(name).is_dir():
        return "transformer"
    raise unknown_name(name, "encoders", [*known, "minilm", "any Hugging Face model name or folder"])


def make_config(values: Mapping[str, Any]) -> RunConfig:
    """Check nested plain values, as TOML gives them, and fill in defaults; classes may stand for their names."""
    for name in values:
        if name not in (*SECTIONS, *PLAIN):
            raise unknown_name(name, "the settings of a run", [*SECTIONS, *PLAIN])
    method, method_values = _named_section(values.get("method"), "method", RunConfig.method)
    encoder, encoder_values = _named_section(values.get("encoder"), "encoder", RunConfig.encoder)
    known = ":" in encoder or encoder in catalog.names("encoders")
    stored = "model" in encoder_values and not known  # a Hugging Face model whose folder may be gone by now
    kind = "transformer" if stored else encoder_kind(encoder)
    if kind == "transformer" and encoder != "transformer":
        encoder_values = {"model": encoder, **encoder_values}
    encoder_class = catalog.load("encoders", kind)
    if encoder_class.methods is not None and method not in encoder_class.methods:
        raise OptionError(
            f"The encoder '{encoder}' is a whole model by itself and works under the method "
            f"{' or '.join(encoder_class.methods)} only, not '{method}': name another encoder or method."
        )
    seed = values.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise OptionError(f"seed is {seed!r}: give a whole number from 0 up.")
    embeddings = values.get("embeddings")
    if embeddings is not None and not isinstance(embeddings, str):
        raise OptionError(f"embeddings is {embeddings!r}: give the path of a file with word vectors.")
    task, order = _task(values)
    return RunConfig(
        method=method,
        encoder=encoder,
        method_settings=build(catalog.load("methods", method).Config, method_values, f"method {method}"),
        encoder_settings=build(encoder_class.Config, encoder_values, f"encoder {kind}"),
        vocabulary=build(Vocabulary, values.get("vocabulary", {}), "vocabulary"),
        training=build(Training, values.get("training", {}), "training"),
        contributions=_head(ContributionHead.Config, values, "contributions"),
        rationales=_head(RationaleReader.Config, values, "rationales"),
        embeddings=embeddings,
        forbid=_entries(values, "forbid"),
        forbid_soft=_entries(values, "forbid_soft"),
        seed=seed,
        name=_words(values, "name"),
        notes=_words(values, "notes"),
        task=task,
        order=order,
    )


def _task(values: Mapping[str, Any]) -> tuple[str | None, tuple[Label, ...] | None]:
    """Read what kind of classes are to be told apart, and their order."""
    task, order = values.get("task"), values.get("order")
    if task not in (None, ORDINAL):
        raise OptionError(f"task is {task!r}: give {ORDINAL}, for classes that have an order, or leave it out.")
    if order is None:
        return task, None
    if task is None:
        raise OptionError(f"The order of classes is for the task {ORDINAL}: name that task too, or leave order out.")
    if isinstance(order, str):
        order = order.split(",")
    if not isinstance(order, Sequence) or not all(isinstance(label, str | int) for label in order):
        raise OptionError(f"order is {order!r}: give the labels from the lowest to the highest.")
    return task, tuple(order)


def _words(values: Mapping[str, Any], name: str) -> str | None:
    words = values.get(name)
    if words is not None and not isinstance(words, str):
        raise OptionError(f"{name} is {words!r}: give words.")
    return words or None


def _entries(values: Mapping[str, Any], name: str) -> tuple[str, ...]:
    entries = values.get(name) or ()
    if isinstance(entries, str) or not all(isinstance(entry, str) for entry in entries):
        raise OptionError(f"{name} is {entries!r}: give a list of words.")
    return Forbidden(tuple(dict.fromkeys(entries))).entries


def with_contributions(values: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in what people get who ask for nothing else: contributions, and when training stops."""
    return {"contributions": True, **with_early_stopping(values)}


def with_early_stopping(values: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in the rule of stopping that people get; papers and records of old have the plainer one."""
    training = values.get("training") or {}
    return {**values, "training": {"stopping": "plateau", **training}} if isinstance(training, Mapping) else {**values}


def with_defaults(values: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in what a model for use gets, beside contributions.

    What people would mark, where texts are marked; the metric that fits its classes, calibrated on dev; and for a
    pretrained encoder the recipe of fine-tuning.
    """
    filled = {"rationales": True, **with_contributions(values)}
    training = filled.get("training") or {}
    encoder, encoder_values = _named_section(values.get("encoder"), "encoder", RunConfig.encoder)
    pretrained = "model" in encoder_values or (encoder != AUTO and encoder_kind(encoder) == "transformer")
    if isinstance(training, Mapping):
        recipe = FINE_TUNING if pretrained else {}
        filled["training"] = {"select": "auto", "calibrate": True, **recipe, **training}
    if encoder == "minilm":
        filled["encoder"] = {"name": encoder, "pooling": "mean", **encoder_values}  # as it was trained
    return filled


def _head(config: type[T], values: Mapping[str, Any], section: str) -> T | None:
    """Read the settings of a head that is fitted last; true takes its defaults, false or nothing leaves it out."""
    settings = values.get(section)
    if settings is None or settings is False:
        return None
    return build(config, {} if settings is True else settings, section)


def read_toml(path: Path) -> dict[str, Any]:
    """Read a run's settings from a file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise OptionError(f"There is no file {path}: give the path of a TOML file with a run's settings.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OptionError(f"{path} is not valid TOML: {error}.") from error


def overlay(values: Mapping[str, Any], assignments: Iterable[str]) -> dict[str, Any]:
    """Put `section.name=value` words, as given to --set, on top of nested values."""
    merged: dict[str, Any] = {name: _as_section(name, value) for name, value in values.items()}
    for word in assignments:
        path, equals, value = word.partition("=")
        section, dot, name = path.partition(".")
        if not equals or not dot or section not in SECTIONS:
            raise OptionError(
                f"--set {word}: write section.name=value, where section is one of {', '.join(SECTIONS)}, "
                "for example --set training.epochs=5."
            )
        settings = merged.setdefault(section, {})
        if not isinstance(settings, dict):
            raise OptionError(f"{section} is {settings!r}: give a table of settings.")
        settings[name] = value
    return merged


def _as_section(name: str, value: Any) -> Any:
    if isinstance(value, str | type) and name in ("method", "encoder"):
        return {"name": value}
    return dict(value) if isinstance(value, Mapping) else value


def _named_section(value: Any, section: str, default: str) -> tuple[str, dict[str, Any]]:
    if value is None:
        return default, {}
    if isinstance(value, str | type):
        return catalog.name_of(f"{section}s", value), {}
    if not isinstance(value, Mapping):
        raise OptionError(f"{section} is {value!r}: give a name, or a table with name and settings.")
    rest = dict(value)
    name = rest.pop("name", default)
    if not isinstance(name, str | type):
        raise OptionError(f"{section}.name is {name!r}: give a name.")
    return catalog.name_of(f"{section}s", name), rest
