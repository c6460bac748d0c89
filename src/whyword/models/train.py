"""The pipeline, readable top to bottom: data, parts, training, test, model folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from ..data.batching import by_token_budget
from ..data.dataset import Dataset, labels
from ..inference.fitted import BATCH_TOKENS, FittedClassifier
from ..interfaces.document import Document, Label
from ..maths.stats.proportions import share_interval
from ..training.corpus import Corpus
from ..training.loop import Step, TrainingRun, evaluate
from ..training.optimizer import Processes
from .assemble import Parts, assemble
from .config import RunConfig
from .folder import TrainedModel, load_model
from .interrupts import postponed_interrupt
from .unfinished import Unfinished, is_begun

OnEvent = Callable[[Step | str], None]  # told about every step, and every sentence the user should read


def train_model(
    config: RunConfig,
    dataset: Dataset,
    device: torch.device | str = "cpu",
    folder: Path | None = None,
    resume: bool = False,
    on_event: OnEvent = lambda _: None,
) -> TrainedModel:
    """Train, select on dev, measure on test if there is one; keep the model in a folder if one is named."""
    unfinished = None if folder is None else Unfinished(folder, config, resume)
    with torch.random.fork_rng(devices=[]):  # the caller's random stream is left alone
        torch.manual_seed(config.seed)
        classes = labels(dataset.train)
        parts = assemble(config, len(classes), [document.words for document in dataset.train])
        for note in (*dataset.notes, *parts.notes):
            on_event(note)
        model = _fit(parts, dataset, classes, torch.device(device), unfinished, on_event)
    for warning in parts.method.warnings(model.metrics.get("health", {})):
        on_event(f"Warning: {warning}")
    if unfinished is not None and Processes().is_first:
        unfinished.finish(model)
    return model


def train_once(
    config: RunConfig,
    dataset: Dataset,
    folder: Path,
    device: torch.device | str = "cpu",
    on_event: OnEvent = lambda _: None,
) -> TrainedModel:
    """Load the model of a folder that is this run's alone, or train it, or go on training it."""
    if (folder / "config.json").exists():
        return load_model(folder, device)
    return train_model(config, dataset, device, folder, is_begun(folder), on_event)


def _fit(
    parts: Parts,
    dataset: Dataset,
    classes: tuple[Label, ...],
    device: torch.device,
    unfinished: Unfinished | None,
    on_event: OnEvent,
) -> TrainedModel:
    method, tokenizer = parts.method.to(device), parts.tokenizer
    train, dev = (Corpus.read(documents, classes, tokenizer) for documents in (dataset.train, dataset.dev))
    _report_truncation(train, tokenizer.limit, on_event)
    budget = parts.config.training.batch_tokens
    method.prepare(train.batch(chosen).to(device) for chosen in by_token_budget(train.lengths, budget))
    run = TrainingRun(method, parts.config.training, train, dev, parts.config.seed, device)
    if unfinished is not None:
        unfinished.take_up(run, on_event)
    started = time.perf_counter()
    with postponed_interrupt() as interrupted:
        for step in run.steps():
            on_event(step)
            if unfinished is not None and run.processes.is_first:
                unfinished.keep(run, at_once=step.record is not None or interrupted())
            if interrupted():
                raise KeyboardInterrupt
    metrics: dict[str, Any] = {
        "train_texts": len(train),
        "dev_texts": len(dev),
        "seconds": round(time.perf_counter() - started, 1),
    }
    if run.chosen is not None:
        chosen = next(r for r in run.history if (r["phase"], r["epoch"]) == (run.chosen.phase, run.chosen.epoch + 1))
        metrics |= {"epoch": chosen["epoch"], "phase": chosen["phase"], "dev_accuracy": chosen["dev_accuracy"]}
        metrics["health"] = chosen["health"]
    if dataset.test:
        metrics |= measure(FittedClassifier(method, tokenizer, classes), dataset.test, "test")
    return TrainedModel(
        FittedClassifier(method, tokenizer, classes, parts.frequencies), parts.config, run.history, metrics
    )


def measure(classifier: FittedClassifier, documents: Sequence[Document], split: str) -> dict[str, Any]:
    """Measure accuracy with its 95 % interval (Wilson)."""
    corpus = Corpus.read(documents, classifier.classes, classifier.tokenizer)
    score = evaluate(classifier.method, corpus.batches(BATCH_TOKENS), classifier.device)
    classifier.method.eval()
    low, high = share_interval(round(score.accuracy * len(corpus)), len(corpus))
    return {
        f"{split}_texts": len(corpus),
        f"{split}_accuracy": score.accuracy,
        f"{split}_accuracy_low": low,
        f"{split}_accuracy_high": high,
    }


def _report_truncation(corpus: Corpus, limit: int | None, on_event: OnEvent) -> None:
    cut = sum(text.truncated_words > 0 for text in corpus.texts)
    if cut:
        on_event(f"{cut} of {len(corpus)} training texts are longer than the {limit} tokens read; their ends are cut.")
