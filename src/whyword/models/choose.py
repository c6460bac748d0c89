"""A setting chosen on dev: train with each value, keep the model that is best on dev."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import torch

from ..data.dataset import Dataset
from ..data.store import StoredDocuments
from ..interfaces.document import Document
from ..interfaces.errors import DivergedError, OptionError
from ..interfaces.logger import Logger
from ..storage.atomic import write_text
from ..training.loop import ABSOLUTE_ERROR
from ..training.optimizer import Processes
from .config import RunConfig, make_config, overlay
from .fingerprint import text_fingerprint
from .folder import TrainedModel, check_place, put_model
from .train import OnEvent, add_figures, changed_since, owning, train_model, train_once

CHOICE = "choice.json"


def choosing_folder(place: Path) -> Path:
    """Name the folder beside the model's that holds the models of all values until the best is known."""
    return place.with_name(f"{place.name}.choosing")


def is_begun_choice(place: Path) -> bool:
    """Whether there is a choice to resume."""
    return (choosing_folder(place) / CHOICE).exists()


def choose_setting(
    config: RunConfig,
    dataset: Dataset,
    setting: str,
    values: Sequence[Any],
    device: torch.device | str = "cpu",
    folder: Path | None = None,
    resume: bool = False,
    on_event: OnEvent = lambda _: None,
    baseline: bool | None = None,
    loggers: Sequence[Logger] = (),
) -> TrainedModel:
    """Train with each value of a setting such as method.beta; the best on dev wins, among equals the first.

    The metrics of the winner list under "choice" the dev accuracy of each value; test plays no part.
    """
    if not values:
        raise OptionError(f"There is no value of {setting} to choose from: give one or more.")
    runs = [make_config(overlay(config.to_dict(), [f"{setting}={value}"])) for value in values]
    choice = {
        "settings": config.to_dict(),
        "values": [f"{setting}={value}" for value in values],
        "texts": data_fingerprint(dataset),
    }
    with owning(folder):
        trials = None if folder is None else prepare_folder(folder, choice, resume)
        best: TrainedModel | None = None
        dev_accuracy: dict[str, float] = {}
        best_score = -math.inf
        for number, (value, run) in enumerate(zip(values, runs, strict=True)):
            on_event(f"Training with {setting}={value}.")
            try:
                if trials is None:
                    model = train_model(run, dataset, device, on_event=on_event, loggers=loggers)
                else:
                    model = train_once(run, dataset, trials / str(number), device, on_event, loggers)
            except DivergedError as error:
                on_event(f"{setting}={value} is left out. {error}")
                continue
            dev_accuracy[str(value)] = model.metrics["dev_accuracy"]
            on_event(f"{setting}={value} reached {dev_accuracy[str(value)]:.1%} on dev.")
            score = dev_score(model.metrics)
            if score > best_score:
                best, best_score = model, score
        if best is None:
            raise DivergedError(
                f"Training diverged with every value of {setting}: give a smaller training.learning_rate."
            )
        best = replace(best, metrics={**best.metrics, "choice": {"setting": setting, "dev_accuracy": dev_accuracy}})
        if baseline is not None:
            best = add_figures(best, dataset, baseline, on_event)
        if folder is not None and Processes().is_first:
            put_model(best, folder)
            shutil.rmtree(choosing_folder(folder))
    return best


def dev_score(metrics: Mapping[str, Any]) -> float:
    """Give what decided between epochs, the higher the better."""
    for name in ("dev_balanced_loss", ABSOLUTE_ERROR):
        if name in metrics:
            return -float(metrics[name])
    return float(metrics.get("dev_macro_f1", metrics["dev_accuracy"]))


def prepare_folder(place: Path, choice: dict[str, Any], resume: bool) -> Path:
    """Make the folder for the models, or resume one with the same values, settings and texts."""
    check_place(place)
    folder = choosing_folder(place)
    if resume:
        if not is_begun_choice(place):
            raise OptionError(f"There is no unfinished choice at {folder}: leave --resume out to start one.")
        changed = changed_since(folder / CHOICE, choice)
        if changed:
            raise OptionError(
                f"The unfinished choice at {folder} had other {' and '.join(changed)}: give the same ones, or leave "
                "--resume out to start again."
            )
    elif Processes().is_first:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        write_text(folder / CHOICE, json.dumps(choice, indent=2))
    return folder


def data_fingerprint(dataset: Dataset) -> str:
    """Fingerprint the texts and labels that training and choosing read."""
    digest = sha256()
    train: Sequence[Document] = dataset.train
    if isinstance(train, StoredDocuments):  # of which a check sum is known
        digest.update(repr((train.store.facts.code, train.names, len(train))).encode())
        train = ()
    for document in chain(train, dataset.dev):
        given = document.label if document.labels is None else document.labels
        digest.update(text_fingerprint(document.words) + repr(given).encode())
    return digest.hexdigest()


def split_choice(word: str) -> tuple[str, list[str]]:
    """Read `section.name=value,value,…`, the word after --choose."""
    setting, equals, values = word.partition("=")
    if not equals or "." not in setting or not all(values.split(",")):
        raise OptionError(
            f"--choose {word}: write section.name=value,value,…, for example --choose method.beta=0.01,0.1,1,10."
        )
    return setting, values.split(",")
