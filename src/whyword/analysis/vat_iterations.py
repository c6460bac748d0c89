"""VAT one iteration after the other: accuracy from training.jsonl, and the model as each iteration left it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor

from ..data.batching import Corpus
from ..data.dataset import Dataset, labels
from ..inference.fitted import FittedClassifier
from ..interfaces.errors import OptionError
from ..models.assemble import assemble
from ..models.config import RunConfig, make_config
from ..models.train import OnEvent
from ..training.loop import TrainingRun

PHASES = {"learner": "learn", "compressor": "compress"}  # head, and the phase that trains it in every iteration


def dev_accuracy_by_iteration(history: Sequence[Mapping[str, Any]]) -> dict[str, list[float]]:
    """Read the best dev accuracy of either head in iterations 0 (joint), 1, 2, … from the lines of training.jsonl."""
    best: dict[str, float] = {}
    for record in history:
        best[record["phase"]] = max(best.get(record["phase"], 0.0), record["dev_accuracy"])
    last = max((int(phase.split()[1]) for phase in best if phase.startswith("learn ")), default=0)
    curves = {
        head: [best.get("joint", math.nan) if head == "learner" else math.nan]
        + [best.get(f"{phase} {number}", math.nan) for number in range(1, last + 1)]
        for head, phase in PHASES.items()
    }
    return {head: curve for head, curve in curves.items() if not all(map(math.isnan, curve))}


def train_by_iteration(
    settings: RunConfig | Mapping[str, Any],
    dataset: Dataset,
    device: torch.device | str = "cpu",
    on_event: OnEvent = lambda _: None,
) -> list[FittedClassifier]:
    """Train VAT once, as train_model does, and give the model that each iteration ended with, 0 (joint) first.

    Settings are those of `whyword train`, such as {"method": {"name": "vat", "iterations": 5}}.
    """
    config = settings if isinstance(settings, RunConfig) else make_config(settings)
    if config.method != "vat":
        raise OptionError(f"The method '{config.method}' is not trained in iterations: choose vat.")
    phase = PHASES[config.method_settings.head]
    with torch.random.fork_rng(devices=[]):  # the caller's random stream is left alone
        torch.manual_seed(config.seed)
        classes = labels(dataset.train)
        parts = assemble(config, len(classes), [document.words for document in dataset.train])
        method = parts.method.to(device)
        train, dev = (Corpus.read(documents, classes, parts.tokenizer) for documents in (dataset.train, dataset.dev))
        run = TrainingRun(method, parts.config.training, train, dev, config.seed, torch.device(device))
        best: dict[str, dict[str, Tensor]] = {}
        for step in run.steps():
            on_event(step)
            if step.record is not None:
                best[step.phase] = run.best_weights  # the next phase starts from these
    models = []
    for name in ["joint", *(f"{phase} {number}" for number in range(1, config.method_settings.iterations + 1))]:
        method.load_state_dict(best[name])
        models.append(FittedClassifier(deepcopy(method), parts.tokenizer, classes, parts.frequencies))
    return models
