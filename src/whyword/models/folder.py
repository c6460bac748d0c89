"""A trained classifier as a folder that people and programs can read, without pickle."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from ..data.tokenizers.word_level import WordLevelTokenizer
from ..data.tokenizers.word_pieces import WordPieceTokenizer
from ..inference.fitted import FittedClassifier
from ..interfaces.errors import ModelError, OptionError, WhywordError
from ..storage.atomic import put_in_place, write_text
from ..storage.tensors import read_tensors, write_tensors
from .assemble import build_encoder, build_method
from .card import model_card
from .config import RunConfig, make_config

FORMAT = 1  # raised when a folder can no longer be read by older versions
FREQUENCIES = "whyword.frequencies"


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A fitted classifier and the story of its training."""

    classifier: FittedClassifier
    config: RunConfig
    history: Sequence[Mapping[str, Any]]  # lines of training.jsonl
    metrics: Mapping[str, Any]  # metrics.json
    folder: Path | None = None  # that it was loaded from


def save_model(model: TrainedModel, folder: Path) -> None:
    """Write all files of a model into an existing folder."""
    classifier = model.classifier
    tensors = dict(classifier.method.state_dict())
    if classifier.frequencies is not None:
        tensors[FREQUENCIES] = torch.from_numpy(classifier.frequencies)
    config = {
        "format": FORMAT,
        "whyword": version("whyword"),
        **model.config.to_dict(),
        "labels": list(classifier.classes),
        "architecture": getattr(classifier.method.encoder, "architecture", None),
    }
    write_text(folder / "config.json", json.dumps(config, indent=2, ensure_ascii=False))
    write_text(folder / "tokenizer.json", classifier.tokenizer.to_json())
    write_text(folder / "training.jsonl", "".join(json.dumps(record) + "\n" for record in model.history))
    write_text(folder / "metrics.json", json.dumps(model.metrics, indent=2))
    write_text(folder / "README.md", model_card(config, model.metrics, model.history))
    write_tensors(folder / "model.safetensors", tensors)


def put_model(model: TrainedModel, place: Path) -> None:
    """Write a model folder beside its place and rename it, so that no half model ever stands there."""
    check_place(place)
    beside = place.with_name(f".{place.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    save_model(model, beside)
    put_in_place(beside, place)


def check_place(place: Path) -> None:
    """Refuse to put a model where anything but a model is: what stands there is deleted once the new model is whole."""
    if place.name in ("", ".."):
        raise OptionError(f"{place} is no name for a model folder: give one, such as {place / 'model'}.")
    if not place.exists() or (place.is_dir() and not any(place.iterdir())):
        return
    try:
        _read_config(place)
    except ModelError:
        raise ModelError(f"{place} exists and is not a whyword model: name another folder.") from None


def load_model(folder: Path, device: torch.device | str = "cpu") -> TrainedModel:
    """Read a model folder, or say what is wrong with it."""
    config_values = _read_config(folder)
    try:
        config = make_config(
            {
                name: config_values[name]
                for name in ("method", "encoder", "vocabulary", "training", "embeddings", "seed")
            }
        )
        architecture = config_values["architecture"]
        kind = WordLevelTokenizer if architecture is None else WordPieceTokenizer
        tokenizer = kind.from_json(_read_text(folder / "tokenizer.json"))
        labels = tuple(config_values["labels"])
        method = build_method(config, build_encoder(config, tokenizer, architecture), len(labels))
        tensors, _ = read_tensors(folder / "model.safetensors")
        frequencies = tensors.pop(FREQUENCIES, None)
        method.load_state_dict(tensors)
        history, metrics = _read_history(folder), _read_metrics(folder)
    except WhywordError:
        raise
    except Exception as error:  # whatever a damaged file makes the libraries raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"The model folder {folder} is damaged ({reason}): train it again or copy it anew.") from error
    method.to(device).eval()
    counts = None if frequencies is None else frequencies.numpy()
    return TrainedModel(FittedClassifier(method, tokenizer, labels, counts), config, history, metrics, folder)


def _read_config(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise ModelError(f"There is no model folder {folder}: train one with  whyword train DATA -o {folder}.")
    if not (folder / "config.json").is_file():
        raise ModelError(f"{folder} is not a whyword model: it has no config.json.")
    try:
        values = json.loads(_read_text(folder / "config.json"))
    except json.JSONDecodeError as error:
        raise ModelError(f"{folder / 'config.json'} is damaged ({error}): train the model again.") from error
    if not isinstance(values, dict) or not isinstance(values.get("format"), int) or "whyword" not in values:
        raise ModelError(f"{folder} is not a whyword model: its config.json was written by another program.")
    if values["format"] > FORMAT:
        raise ModelError(
            f"{folder} was written by whyword {values['whyword']} in a newer format ({values['format']}; this version "
            f"reads up to {FORMAT}): upgrade whyword."
        )
    return values


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ModelError(f"{path} is missing: the model folder is not complete, train it again.") from None
    except (UnicodeDecodeError, OSError) as error:
        raise ModelError(f"{path} cannot be read ({error}): train the model again.") from error


def _read_history(folder: Path) -> list[dict[str, Any]]:
    path = folder / "training.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def _read_metrics(folder: Path) -> dict[str, Any]:
    path = folder / "metrics.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
