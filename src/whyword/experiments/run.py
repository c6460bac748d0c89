"""The pipeline, readable top to bottom: data, parts, training, test, model folder."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from scipy.stats import norm

from ..data.dataset import Dataset, labels
from ..interfaces.document import Document, Label
from ..interfaces.errors import OptionError
from ..training.checkpoint import put_in_place, read_snapshot, write_snapshot, write_text
from ..training.corpus import Corpus
from ..training.distributed import Processes
from ..training.early_stopping import evaluate
from ..training.fitted import FittedClassifier
from ..training.loop import Step, TrainingRun
from .assemble import Parts, assemble
from .config import RunConfig
from .model_folder import TrainedModel, check_place, save_model

CHECKPOINT_SECONDS = 30.0  # at most this much work is lost when a run is killed

Watch = Callable[[Step | str], None]  # told about every step, and every sentence the user should read


def train_model(
    config: RunConfig,
    dataset: Dataset,
    device: torch.device | str = "cpu",
    folder: Path | None = None,
    resume: bool = False,
    watch: Watch = lambda _: None,
) -> TrainedModel:
    """Train, select on dev, measure on test if there is one; keep the model in a folder if one is named."""
    unfinished = None if folder is None else Unfinished(folder, config, resume)
    with torch.random.fork_rng(devices=[]):  # the caller's random stream is left alone
        torch.manual_seed(config.seed)
        classes = labels(dataset.train)
        parts = assemble(config, len(classes), [document.words for document in dataset.train])
        for note in (*dataset.notes, *parts.notes):
            watch(note)
        model = _fit(parts, dataset, classes, torch.device(device), unfinished, watch)
    for warning in parts.method.warnings(model.metrics.get("health", {})):
        watch(f"Warning: {warning}")
    if unfinished is not None and Processes().is_first:
        unfinished.finish(model)
    return model


def _fit(
    parts: Parts,
    dataset: Dataset,
    classes: tuple[Label, ...],
    device: torch.device,
    unfinished: Unfinished | None,
    watch: Watch,
) -> TrainedModel:
    method, tokenizer = parts.method.to(device), parts.tokenizer
    train, dev = (Corpus.read(documents, classes, tokenizer) for documents in (dataset.train, dataset.dev))
    _tell_unread(train, tokenizer.limit, watch)
    run = TrainingRun(method, parts.config.training, train, dev, parts.config.seed, device)
    if unfinished is not None:
        unfinished.take_up(run, watch)
    started = time.perf_counter()
    for step in run.steps():
        watch(step)
        if unfinished is not None and run.processes.is_first:
            unfinished.keep(run, step)
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
    score = evaluate(classifier.method, corpus.batches(16_384), classifier.device)
    classifier.method.eval()
    low, high = wilson_interval(score.accuracy, len(corpus))
    return {
        f"{split}_texts": len(corpus),
        f"{split}_accuracy": score.accuracy,
        f"{split}_accuracy_low": low,
        f"{split}_accuracy_high": high,
    }


def wilson_interval(share: float, count: int, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of a share of successes in count trials (Wilson 1927)."""
    z = float(norm.ppf(0.5 + confidence / 2))
    center = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * (share * (1 - share) / count + z * z / (4 * count * count)) ** 0.5
    return max(0.0, center - half), min(1.0, center + half)


def _tell_unread(corpus: Corpus, limit: int | None, watch: Watch) -> None:
    cut = sum(text.unread > 0 for text in corpus.texts)
    if cut:
        watch(f"{cut} of {len(corpus)} training texts are longer than the {limit} tokens read; their ends are cut.")


class Unfinished:
    """The folder beside the model's place in which a run is kept until it is done."""

    def __init__(self, place: Path, config: RunConfig, resume: bool) -> None:
        check_place(place)
        self.place = place
        self.folder = place.with_name(f"{place.name}.training")
        self.config = config
        self.resume = resume
        self.last_kept = time.monotonic()
        if resume and not self.folder.exists():
            raise OptionError(f"There is no unfinished run at {self.folder}: leave --resume out to start one.")
        if Processes().is_first:
            if not resume:
                shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True, exist_ok=True)

    def take_up(self, run: TrainingRun, watch: Watch) -> None:
        """Go on where the last process was stopped, if it was with these settings."""
        settings = self.folder / "run.json"
        now = {**self.config.to_dict(), "texts": run.train.fingerprint}
        if self.resume and settings.exists():
            before = json.loads(settings.read_text(encoding="utf-8"))
            if before != json.loads(json.dumps(now)):
                changed = sorted(name for name in now if json.loads(json.dumps(now[name])) != before.get(name))
                raise OptionError(
                    f"The unfinished run at {self.folder} had other settings ({', '.join(changed)}): give the same "
                    "ones, or leave --resume out to start again."
                )
            snapshot = read_snapshot(self.folder)
            if snapshot is not None:
                run.restore(*snapshot)
                watch(f"Resumed after {len(run.history)} epochs and {run.position.step} steps.")
        if run.processes.is_first:
            write_text(settings, json.dumps(now, indent=2))

    def keep(self, run: TrainingRun, step: Step) -> None:
        """Write a snapshot at the end of an epoch, or when the last one is old."""
        if step.record is None and time.monotonic() - self.last_kept < CHECKPOINT_SECONDS:
            return
        write_snapshot(self.folder, *run.snapshot())
        write_text(self.folder / "training.jsonl", "".join(json.dumps(record) + "\n" for record in run.history))
        self.last_kept = time.monotonic()

    def finish(self, model: TrainedModel) -> None:
        """Write the finished model and put it in its place."""
        done = self.place.with_name(f".{self.place.name}.new")
        shutil.rmtree(done, ignore_errors=True)
        done.mkdir(parents=True)
        save_model(model, done)
        put_in_place(done, self.place)
        shutil.rmtree(self.folder, ignore_errors=True)
