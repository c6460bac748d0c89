"""Contributions for a classifier that is trained already: the head is fitted to its answers, no weight of it moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from ..blocks.contributions import ContributionHead, LinearContributions, add_head, read_base
from ..data.batching import Corpus
from ..interfaces.document import Words
from ..interfaces.errors import DataError
from ..training.contributions import DEV_TEXTS, contribution_phase
from ..training.loop import TrainingRun
from ..training.optimizer import Training
from .folder import TrainedModel
from .train import OnEvent, contribution_metrics, postponed_interrupt

FEWEST_TEXTS = 20  # below, nothing could be held out to judge the fit by


def learn_contributions(
    model: TrainedModel,
    texts: Sequence[Words],
    config: ContributionHead.Config | None = None,
    seed: int = 0,
    on_event: OnEvent = lambda _: None,
) -> TrainedModel:
    """Add contributions to a model, or fit them anew; texts like those it will explain, labels are not needed."""
    if len(texts) < FEWEST_TEXTS:
        raise DataError(f"{len(texts)} texts are too few to learn contributions from: give at least {FEWEST_TEXTS}.")
    config = config or ContributionHead.Config()
    classifier = model.classifier
    method, device = classifier.method, classifier.device
    tokens = classifier.tokenizer(texts)
    order = np.random.default_rng(seed).permutation(len(texts))
    held_out = min(DEV_TEXTS, len(texts) // 10)
    dev, train = (
        Corpus([tokens[i] for i in chosen], np.zeros(len(chosen), dtype=np.int64), classifier.tokenizer.padding)
        for chosen in (order[:held_out], order[held_out:])
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        add_head(method, config)
        if isinstance(method.contributions, LinearContributions):
            read_base(method)
            return replace(model, config=replace(model.config, contributions=config))
        run = TrainingRun(method, Training(), train, dev, seed, device, [contribution_phase(method, train, dev, seed)])
        with postponed_interrupt() as interrupted:
            for step in run.steps():
                on_event(step)
                if interrupted():
                    raise KeyboardInterrupt
    return replace(
        model,
        config=replace(model.config, contributions=config),
        history=[*model.history, *run.history],
        metrics={**model.metrics, **contribution_metrics(run.history)},
    )
