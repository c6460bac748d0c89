"""A trained classifier as a folder that people and programs can read, without pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..blocks.contributions import add_head
from ..blocks.rationales import add_reader
from ..data.rows import Columns
from ..data.tokenizers.forbidding import forbid
from ..data.tokenizers.word_level import WordLevelTokenizer
from ..data.tokenizers.word_pieces import WordPieceTokenizer
from ..inference.fitted import FittedClassifier
from ..interfaces.errors import ModelError, OptionError, WhywordError, first_line
from ..interfaces.settings import strict_json
from ..storage.atomic import read_tensors, save_tensors
from ..storage.exchange import replacing_folder, restore
from ..storage.pickles import pickled_weights
from ..storage.seal import check_seal, seal
from .assemble import build_encoder, build_method
from .card import model_card
from .closed import NoLargerThan, check_config, check_finite
from .config import FORBIDDEN, RunConfig, make_config

FORMAT = 1  # raised when a folder can no longer be read by older versions
FREQUENCIES = "whyword.frequencies"
WEIGHTS = "model.safetensors"
READ = ("config.json", "tokenizer.json", WEIGHTS, "training.jsonl", "metrics.json")
NEWER = (
    "contributions",
    "rationales",
    *FORBIDDEN,
    "name",
    "notes",
    "task",
    "order",
)  # settings that older models do not have
COLUMNS = ("text", "text_pair", "label")  # whose names are kept


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A fitted classifier and the story of its training."""

    classifier: FittedClassifier
    config: RunConfig
    history: Sequence[Mapping[str, Any]]  # lines of training.jsonl
    metrics: Mapping[str, Any]  # metrics.json
    folder: Path | None = None  # that it was loaded from
    columns: Columns | None = None  # of the file it was trained on


def save_model(model: TrainedModel, folder: Path) -> None:
    """Write all files of a model into an existing folder; weights that are not finite are refused."""
    classifier = model.classifier
    tensors = dict(classifier.method.state_dict())
    if classifier.frequencies is not None:
        tensors[FREQUENCIES] = torch.from_numpy(classifier.frequencies)
    config = {
        "format": FORMAT,
        "whyword": version("whyword"),
        **model.config.to_dict(),
        "labels": list(classifier.classes),
        "columns": None if model.columns is None else _columns_to_dict(model.columns),
        "architecture": getattr(classifier.method.encoder, "architecture", None),
        "offsets": None if classifier.offsets is None else classifier.offsets.tolist(),
    }
    if classifier.multi_label:
        thresholds = None if classifier.thresholds is None else classifier.thresholds.tolist()
        config |= {"multi_label": True, "thresholds": thresholds}
    check_finite(tensors, "The model")
    files = {
        "config.json": strict_json(config, indent=2),
        "tokenizer.json": classifier.tokenizer.to_json(),
        "training.jsonl": "".join(strict_json(record) + "\n" for record in model.history),
        "metrics.json": strict_json(model.metrics, indent=2),
        "README.md": model_card(config, model.metrics, model.history),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    save_tensors(folder / WEIGHTS, tensors)
    seal(folder)


def put_model(model: TrainedModel, place: Path) -> None:
    """Write a model folder beside its place and rename it, so that no half model ever stands there."""
    check_place(place)
    with replacing_folder(place) as beside:
        save_model(model, beside)


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
    _check_folder(folder)
    check_seal(folder, READ)
    config_values = _read_config(folder)
    check_config(config_values, folder / "config.json")
    try:
        names = ("method", "encoder", "vocabulary", "training", "embeddings", "seed")
        newer = {name: config_values.get(name) for name in NEWER}
        config = make_config({**{name: config_values[name] for name in names}, **newer})
        architecture = config_values["architecture"]
        kind = WordLevelTokenizer if architecture is None else WordPieceTokenizer
        tokenizer = kind.from_json(_read_text(folder / "tokenizer.json"))
        labels = tuple(config_values["labels"])
        tensors = _read_weights(folder)
        with NoLargerThan(tensors, folder):
            encoder = build_encoder(config, tokenizer, architecture)
            method = build_method(config, encoder, len(labels), tokenizer, config_values.get("multi_label", False))
            if config.contributions is not None:
                add_head(method, config.contributions)
            if config.rationales is not None:
                add_reader(method, config.rationales)
        frequencies = tensors.pop(FREQUENCIES, None)
        tensors.setdefault("logit_scale", torch.ones(()))  # models of 0.2.0 and before have none, and no prior
        if "prior" not in tensors:
            method.prior = None
        method.load_state_dict(tensors)
        values = config_values.get("offsets")  # models of 0.2.0 and before have none
        offsets = None if values is None else np.array(values, dtype=np.float64)
        values = config_values.get("thresholds")
        thresholds = None if values is None else np.array(values, dtype=np.float64)
        history, metrics = _read_history(folder), _read_metrics(folder)
        columns = _columns(config_values)
    except WhywordError:
        raise
    except Exception as error:  # whatever a damaged file makes the libraries raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"The model folder {folder} is damaged ({reason}): train it again or copy it anew.") from error
    method.to(device).eval()
    counts = None if frequencies is None else frequencies.numpy()
    classifier = FittedClassifier(method, forbid(tokenizer, config.unread), labels, counts, offsets, thresholds)
    return TrainedModel(classifier, config, history, metrics, folder, columns)


def model_columns(folder: Path) -> Columns | None:
    """Give the columns that a model was trained on, before it is loaded; None if they are not known."""
    try:
        values = _read_config(folder)
        check_config(values, folder / "config.json")
        return _columns(values)
    except ModelError:
        return None  # which loading it will say


def _columns(config: Mapping[str, Any]) -> Columns | None:
    names = config.get("columns")  # models of 0.2.0 and before have none
    if not isinstance(names, dict):
        return None
    return Columns(
        text=names.get("text"),
        label=names.get("label"),
        text_pair=names.get("text_pair"),
        label_separator=names.get("label_separator"),
        labels=tuple(names.get("labels", ())),
        several=names.get("several", False),
    )


def _columns_to_dict(columns: Columns) -> dict[str, Any]:
    """Give the names of columns; how several labels are written only where a text may have several."""
    names: dict[str, Any] = {name: getattr(columns, name) for name in COLUMNS}
    if columns.multi_label:
        written = {"label_separator": columns.label_separator, "labels": list(columns.labels)}
        names |= {**written, "several": columns.several}
    return names


def is_model(folder: Path) -> bool:
    """Whether a folder says that whyword wrote it."""
    try:
        return bool(_read_config(folder))
    except ModelError:
        return False


def _check_folder(folder: Path) -> None:
    if not folder.is_dir() and not restore(folder):
        raise ModelError(f"There is no model folder {folder}: train one with  whyword train DATA -o {folder}.")
    if not (folder / "config.json").is_file():
        raise ModelError(
            f"{folder} is not a whyword model: it has no config.json. Give a folder that whyword train wrote."
        )


def _read_config(folder: Path) -> dict[str, Any]:
    _check_folder(folder)
    try:
        values = json.loads(_read_text(folder / "config.json"))
    except (ValueError, RecursionError) as error:
        raise ModelError(
            f"{folder / 'config.json'} is damaged ({first_line(error)}): train the model again."
        ) from error
    if not isinstance(values, dict) or not isinstance(values.get("format"), int) or "whyword" not in values:
        raise ModelError(
            f"{folder} is not a whyword model, as its config.json was written by another program: give a folder that "
            "whyword train wrote."
        )
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


def _read_weights(folder: Path) -> dict[str, torch.Tensor]:
    pickled = None if (folder / WEIGHTS).exists() else pickled_weights(folder)
    if pickled is not None:
        raise ModelError(
            f"The weights in {folder} are pickled ({pickled}), which can run code when they are read: whyword reads "
            f"{WEIGHTS} only, so copy that too or train the model again."
        )
    tensors, _ = read_tensors(folder / WEIGHTS)
    check_finite(tensors, folder / WEIGHTS)
    return tensors


def _read_history(folder: Path) -> list[dict[str, Any]]:
    path = folder / "training.jsonl"
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    if not all(isinstance(record, dict) for record in records):
        raise ModelError(f"{path} is damaged (a line is no table): train the model again or copy the folder anew.")
    return records


def _read_metrics(folder: Path) -> dict[str, Any]:
    path = folder / "metrics.json"
    values = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if not isinstance(values, dict):
        raise ModelError(f"{path} is damaged (it holds no table): train the model again or copy the folder anew.")
    return values
