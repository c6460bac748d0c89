"""One run, described: TOML, command-line words and Python arguments all become this."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import catalog
from ..interfaces.errors import OptionError, unknown_name
from ..interfaces.settings import build, check_above_zero
from ..training.optimizer import Training

SECTIONS = ("method", "encoder", "vocabulary", "training")


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
        """The name in the catalog that serves this encoder."""
        known = ":" in self.encoder or self.encoder in catalog.names("encoders")
        return self.encoder if known else "transformer"

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
        if name not in (*SECTIONS, "embeddings", "seed"):
            raise unknown_name(name, "the settings of a run", [*SECTIONS, "embeddings", "seed"])
    method, method_values = _named_section(values.get("method"), "method", RunConfig.method)
    encoder, encoder_values = _named_section(values.get("encoder"), "encoder", RunConfig.encoder)
    known = ":" in encoder or encoder in catalog.names("encoders")
    stored = "model" in encoder_values and not known  # a Hugging Face model whose folder may be gone by now
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
        method_settings=build(catalog.load("methods", method).Config, method_values, f"method {method}"),
        encoder_settings=build(catalog.load("encoders", kind).Config, encoder_values, f"encoder {kind}"),
        vocabulary=build(Vocabulary, values.get("vocabulary", {}), "vocabulary"),
        training=build(Training, values.get("training", {}), "training"),
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
