"""A setting chosen on dev: train with each value, keep the model that is best on dev."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from ..data.dataset import Dataset
from ..interfaces.errors import OptionError
from .config import RunConfig, make_config, overlay
from .model_folder import TrainedModel, check_place, put_model
from .run import Watch, train_model


def choose_setting(
    config: RunConfig,
    dataset: Dataset,
    setting: str,
    values: Sequence[Any],
    device: torch.device | str = "cpu",
    folder: Path | None = None,
    watch: Watch = lambda _: None,
) -> TrainedModel:
    """Train with each value of a setting such as method.beta; the best on dev wins, among equals the first.

    The metrics of the winner list under "choice" what each value reached on dev; test plays no part.
    """
    if not values:
        raise OptionError(f"There is no value of {setting} to choose from: give one or more.")
    runs = [make_config(overlay(config.to_dict(), [f"{setting}={value}"])) for value in values]
    if folder is not None:
        check_place(folder)
    best: TrainedModel | None = None
    reached: dict[str, float] = {}
    for value, run in zip(values, runs, strict=True):
        watch(f"Training with {setting}={value}.")
        model = train_model(run, dataset, device, watch=watch)
        reached[str(value)] = model.metrics["dev_accuracy"]
        watch(f"{setting}={value} reached {reached[str(value)]:.1%} on dev.")
        if best is None or model.metrics["dev_accuracy"] > best.metrics["dev_accuracy"]:
            best = model
    assert best is not None
    best = replace(best, metrics={**best.metrics, "choice": {"setting": setting, "dev_accuracy": reached}})
    if folder is not None:
        put_model(best, folder)
    return best


def split_choice(word: str) -> tuple[str, list[str]]:
    """Read `section.name=value,value,…`, as given to --choose."""
    setting, equals, values = word.partition("=")
    if not equals or "." not in setting or not all(values.split(",")):
        raise OptionError(
            f"--choose {word}: write section.name=value,value,…, for example --choose method.beta=0.01,0.1,1,10."
        )
    return setting, values.split(",")
