"""Contributions for a classifier that is trained already: a head is fitted to its answers, no weight of it moves.

A model that shows its states carries the head itself. For any other, a small network of ours learns to read, together
with its head, from the model's answers to sub-texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from ..blocks.contributions import ContributionHead, LinearContributions, add_head, read_base
from ..blocks.rationales import RationaleReader, add_reader
from ..data.batching import Corpus
from ..inference.fitted import FittedClassifier
from ..interfaces.classifier import Classifier, is_multi_label
from ..interfaces.document import Document, Words
from ..interfaces.errors import DataError
from ..interfaces.method import Phase
from ..training.contributions import DEV_TEXTS, Outside, contribution_phase
from ..training.interrupts import postponed_interrupt
from ..training.loop import TrainingRun
from ..training.optimizer import Training
from ..training.rationales import marked_texts, rationale_phase
from .assemble import assemble
from .config import make_config
from .folder import TrainedModel
from .refinements import contribution_metrics, rationale_metrics, refinement_warnings
from .train import OnEvent

FEWEST_TEXTS = 20  # below, nothing could be held out to judge the fit by
READER: dict[str, Any] = {"encoder": {"name": "lstm", "bidirectional": True, "hidden": 100}, "method": "base"}


def learn_contributions(
    model: TrainedModel,
    texts: Sequence[Words],
    config: ContributionHead.Config | None = None,
    seed: int = 0,
    on_event: OnEvent = lambda _: None,
) -> TrainedModel:
    """Add contributions to a model, or fit them anew; texts like those it will explain, labels are not needed."""
    config = config or ContributionHead.Config()
    history = fit_head(model.classifier, texts, config, seed, on_event)
    return replace(
        model,
        config=replace(model.config, contributions=config),
        history=[*model.history, *history],
        metrics={**model.metrics, **contribution_metrics(history)},
    )


def fit_head(
    classifier: FittedClassifier,
    texts: Sequence[Words],
    config: ContributionHead.Config,
    seed: int = 0,
    on_event: OnEvent = lambda _: None,
    outside: Classifier | None = None,
) -> list[dict[str, Any]]:
    """Let a classifier carry contributions to its answers, or to those of another one outside; gives the history."""
    check_enough(texts)
    method = classifier.method
    tokens = classifier.tokenizer(texts)
    dev, train = _cut(len(texts), seed)
    to_learn, to_judge = (
        Corpus([tokens[i] for i in chosen], np.zeros(len(chosen), dtype=np.int64), classifier.tokenizer.padding)
        for chosen in (train, dev)
    )
    asked = None if outside is None else Outside(outside, [texts[i] for i in train], [texts[i] for i in dev])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        add_head(method, config)
        if isinstance(method.contributions, LinearContributions):
            read_base(method)
            return []
        phase = contribution_phase(method, to_learn, to_judge, seed, asked)
        return _fit(classifier, phase, to_learn, to_judge, seed, on_event)


def _fit(
    classifier: FittedClassifier, phase: Phase, train: Corpus, dev: Corpus, seed: int, on_event: OnEvent
) -> list[dict[str, Any]]:
    """Run a refinement of a classifier that is trained already; gives the history."""
    run = TrainingRun(classifier.method, Training(), train, dev, seed, classifier.device, [phase])
    with postponed_interrupt() as interrupted:
        for step in run.steps():
            on_event(step)
            if interrupted.error is not None:
                raise interrupted.error
    for warning in refinement_warnings(contribution_metrics(run.history)):
        on_event(f"Warning: {warning}")
    return run.history


def learn_rationales(
    model: TrainedModel,
    train: Sequence[Document],
    dev: Sequence[Document],
    config: RationaleReader.Config | None = None,
    seed: int = 0,
    on_event: OnEvent = lambda _: None,
) -> TrainedModel:
    """Teach a model what people would mark, from documents with marked words; no weight of its classifier moves."""
    config = config or RationaleReader.Config()
    classifier = model.classifier
    of_train, of_dev = (Corpus.read(split, classifier.classes, classifier.tokenizer) for split in (train, dev))
    if len(marked_texts(of_train)) < config.least_texts:
        raise DataError(
            f"{len(marked_texts(of_train))} texts have marked words, but {config.least_texts} are needed to learn what "
            "people would mark: mark more, or lower rationales.least_texts."
        )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        add_reader(classifier.method, config)
        phase = rationale_phase(classifier.method, of_train, of_dev, seed)
        history = _fit(classifier, phase, of_train, of_dev, seed, on_event)
    return replace(
        model,
        config=replace(model.config, rationales=config),
        history=[*model.history, *history],
        metrics={**model.metrics, **rationale_metrics(history)},
    )


def learn_reader(
    classifier: Classifier,
    texts: Sequence[Words],
    config: ContributionHead.Config,
    seed: int = 0,
    embeddings: str | None = None,
    device: torch.device | str = "cpu",
    on_event: OnEvent = lambda _: None,
) -> TrainedModel:
    """Train a network of ours to read for a classifier that shows none of its states; it answers nothing itself."""
    check_enough(texts)
    run = make_config({**READER, "seed": seed, "contributions": None, "embeddings": embeddings})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        parts = assemble(run, len(classifier.classes), texts, is_multi_label(classifier))
    method = parts.method.to(device)
    reader = FittedClassifier(method, parts.tokenizer, classifier.classes, parts.frequencies)
    history = fit_head(reader, texts, config, seed, on_event, classifier)
    config_of_run = replace(parts.config, contributions=config)
    return TrainedModel(reader, config_of_run, history, contribution_metrics(history))


def check_enough(texts: Sequence[Words]) -> None:
    """Refuse too few texts."""
    if len(texts) < FEWEST_TEXTS:
        raise DataError(f"{len(texts)} texts are too few to learn contributions from: give at least {FEWEST_TEXTS}.")


def _cut(texts: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw the numbers of the texts that judge the fit, and give the others."""
    order = np.random.default_rng(seed).permutation(texts)
    held_out = min(DEV_TEXTS, texts // 10)
    return order[:held_out], order[held_out:]
