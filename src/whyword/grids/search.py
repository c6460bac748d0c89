"""Settings that dev chooses before any seed is trained: one after the other, each beside the best of those before."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from ..data.dataset import Dataset
from ..interfaces.errors import DivergedError
from ..models.choose import dev_score
from ..models.config import RunConfig, make_config, overlay
from ..models.train import OnEvent, train_model
from ..storage.atomic import write_text

SEED = 0  # with which every search is run: what it finds is taken for all seeds

Candidates = Sequence[tuple[str, Sequence[Any]]]  # settings such as method.beta, and the values of each


def search_settings(
    config: RunConfig,
    dataset: Dataset,
    candidates: Candidates,
    device: torch.device | str = "cpu",
    folder: Path | None = None,
    on_event: OnEvent = lambda _: None,
) -> list[dict[str, Any]]:
    """Train with each value of the first setting, then of the next with the best of the first, and so on.

    Gives each setting with the dev score of each value and the one that is best, among equals the first. Scores are
    kept in the folder, so that a search that is stopped goes on; models are not kept, and test plays no part.
    """
    start = {**config.to_dict(), "seed": SEED}
    chosen: list[str] = []
    found = []
    scores: dict[str, float | None] = {}
    for setting, values in candidates:
        tried = {}
        for value in values:
            trial = (*chosen, f"{setting}={value}")
            run = make_config(overlay(start, trial))
            same = json.dumps(run.to_dict(), sort_keys=True, default=str)
            if same not in scores:
                scores[same] = _dev_score(run, trial, dataset, device, folder, on_event)
            tried[value] = scores[same]
        reached = {value: score for value, score in tried.items() if score is not None}
        if not reached:
            raise DivergedError(f"Training diverged with every value of {setting}: give a smaller learning rate.")
        best = max(reached, key=lambda value: reached[value])
        chosen.append(f"{setting}={best}")
        found.append({"setting": setting, "chosen": best, "dev": {str(value): score for value, score in tried.items()}})
    return found


def words_of(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Write what a search found as `section.name=value`."""
    return [f"{each['setting']}={each['chosen']}" for each in found]


def _dev_score(
    run: RunConfig,
    trial: Sequence[str],
    dataset: Dataset,
    device: torch.device | str,
    folder: Path | None,
    on_event: OnEvent,
) -> float | None:
    """Train once and read what decides on dev; None where training diverged."""
    place = None if folder is None else folder / f"{' '.join(trial).replace('/', '-')}.json"
    if place is not None and place.exists():
        known: float | None = json.loads(place.read_text(encoding="utf-8"))["dev"]
        return known
    on_event(f"Searching with {', '.join(trial)}.")
    try:
        score: float | None = dev_score(train_model(run, dataset, device, on_event=on_event).metrics)
    except DivergedError as error:
        on_event(f"{', '.join(trial)} is left out. {error}")
        score = None
    if place is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_text(place, json.dumps({"dev": score}))
    return score
