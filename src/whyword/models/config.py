"""One run, described: TOML, command-line words and Python arguments all become this."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from .. import catalog
from ..interfaces.errors import OptionError, unknown_name
from ..training.optimizer import Training
from .settings import build

ABOVE_ZERO = {"dim", "hidden", "layers", "filters", "widths", "width", "scale", "limit", "min_frequency", "max_size"}
ABOVE_ZERO |= {"k", "temperature", "stages", "smallest_deviation", "gate_learning_rate"}
BETWEEN_ZERO_AND_ONE = {"prior", "momentum"}
SECTIONS = ("method", "encoder", "vocabulary", "training")


@dataclass(frozen=True)
class Vocabulary:
    """Settings of a word-level vocabulary; pretrained encoders bring their own."""

    lowercase: bool = True
    min_frequency: int = 1  # rarer words are unknown
    max_size: int | None = None  # most frequent words kept; None: all
    from_vectors: bool | None = None  # also know words that only the vector file has; None: if the vectors are frozen


@dataclass(frozen=True)
class RunConfig:
    """Everything that decides what a trained model will be, apart from the data."""

    method: str = "vmask"
    encoder: str = "lstm"
    method_settings: Any = None  # the method's own Config
    encoder_settings: Any = None  # the encoder's own Config
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    training: Training = field(default_factory=Training)
    embeddings: str | None = None
    seed: int = 0

    @property
    def encoder_kind(self) -> str:
        """The file in encoders/ that serves this encoder."""
        return "transformer" if hasattr(self.encoder_settings, "model") else self.encoder

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return {
            "method": {"name": self.method, **asdict(self.method_settings)},
            "encoder": {"name": self.encoder, **asdict(self.encoder_settings)},
            "vocabulary": asdict(self.vocabulary),
            "training": asdict(self.training),
            "embeddings": self.embeddings,
            "seed": self.seed,
        }


def encoder_kind(name: str) -> str:
    """Give the file in encoders/ that serves a name; any name that is not there is a Hugging Face model."""
    known = catalog.names("encoders")
    if name in known:
        return name
    if name == "minilm" or "/" in name or "-" in name or Path(name).is_dir():
        return "transformer"
    raise unknown_name(name, "encoders", [*known, "minilm", "any Hugging Face model name or folder"])


def make_config(values: Mapping[str, Any]) -> RunConfig:
    """Check nested plain values, as TOML gives them, and fill in defaults."""
    known = {*SECTIONS, "embeddings", "seed"}
    for name in values:
        if name not in known:
            raise unknown_name(name, "the settings of a run", known)
    method, method_values = _named_section(values.get("method"), "method", RunConfig.method)
    encoder, encoder_values = _named_section(values.get("encoder"), "encoder", RunConfig.encoder)
    stored = "model" in encoder_values and encoder not in catalog.names("encoders")  # its folder may be gone by now
    kind = "transformer" if stored else encoder_kind(encoder)
    if kind == "transformer" and encoder != "transformer":
        encoder_values = {"model": encoder, **encoder_values}
    seed = values.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise OptionError(f"seed is {seed!r}: give a whole number from 0 up.")
    embeddings = values.get("embeddings")
    if embeddings is not None and not isinstance(embeddings, str):
        raise OptionError(f"embeddings is {embeddings!r}: give the path of a file with word vectors.")
    return RunConfig(
        method=method,
        encoder=encoder,
        method_settings=_in_range(
            build(catalog.load("methods", method).Config, method_values, f"method {method}"), "method"
        ),
        encoder_settings=_in_range(
            build(catalog.load("encoders", kind).Config, encoder_values, f"encoder {kind}"), "encoder"
        ),
        vocabulary=_in_range(build(Vocabulary, values.get("vocabulary", {}), "vocabulary"), "vocabulary"),
        training=_check(build(Training, values.get("training", {}), "training")),
        embeddings=embeddings,
        seed=seed,
    )


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
    if isinstance(value, str) and name in ("method", "encoder"):
        return {"name": value}
    return dict(value) if isinstance(value, Mapping) else value


def _named_section(value: Any, section: str, default: str) -> tuple[str, dict[str, Any]]:
    if value is None:
        return default, {}
    if isinstance(value, str):
        return value, {}
    if not isinstance(value, Mapping):
        raise OptionError(f"{section} is {value!r}: give a name, or a table with name and settings.")
    rest = dict(value)
    name = rest.pop("name", default)
    if not isinstance(name, str):
        raise OptionError(f"{section}.name is {name!r}: give a name.")
    return name, rest


def _in_range(settings: Any, section: str) -> Any:
    """Refuse sizes and shares that no network can be built with."""
    for item in fields(settings):
        value = getattr(settings, item.name)
        numbers = value if isinstance(value, tuple) else (value,)
        if item.name in ABOVE_ZERO and value is not None and not (numbers and min(numbers) > 0):
            raise OptionError(f"{section}.{item.name} is {value}: give a number above 0.")
        if item.name in BETWEEN_ZERO_AND_ONE and not 0 < value < 1:
            raise OptionError(f"{section}.{item.name} is {value}: give a number between 0 and 1.")
        if item.name in ("beta", "beta_end") and not 0 <= value < math.inf:
            raise OptionError(f"{section}.{item.name} is {value}: give a number from 0 up.")
        if item.name == "dropout" and not 0 <= value < 1:
            raise OptionError(f"{section}.dropout is {value}: give a share from 0 up to, but not including, 1.")
    return settings


def _check(training: Training) -> Training:
    positive = {
        "epochs": training.epochs,
        "batch_size": training.batch_size,
        "batch_tokens": training.batch_tokens,
        "learning_rate": training.learning_rate,
        "clip": training.clip,
        "patience": training.patience,
    }
    for name, value in positive.items():
        if value is not None and not 0 < value < math.inf:
            raise OptionError(f"training.{name} is {value}: give a number above 0.")
    if not 0 <= training.warmup < 1:
        raise OptionError(f"training.warmup is {training.warmup}: give a share from 0 up to, but not including, 1.")
    return training
