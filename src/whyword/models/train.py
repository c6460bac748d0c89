"""The pipeline, readable top to bottom: data, parts, training, test, model folder; and a stopped run that resumes."""

from __future__ import annotations

import json
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from ..blocks.contributions import add_head
from ..data.batching import Corpus, by_token_budget
from ..data.dataset import Dataset, labels
from ..inference.fitted import BATCH_TOKENS, FittedClassifier
from ..interfaces.document import Document, Label
from ..interfaces.errors import OptionError
from ..maths.stats.intervals import share_interval
from ..storage.atomic import read_snapshot, write_snapshot, write_text
from ..training.contributions import CONTRIBUTIONS, contribution_phase
from ..training.loop import Step, TrainingRun, evaluate
from ..training.optimizer import Processes
from .config import Parts, RunConfig, assemble
from .folder import TrainedModel, check_place, load_model, put_model

CHECKPOINT_SECONDS = 30.0  # at most this much work is lost when a run is killed
SETTINGS = "run.json"
OnEvent = Callable[[Step | str], None]  # called with every step, and every sentence for the user


def train_model(
    config: RunConfig,
    dataset: Dataset,
    device: torch.device | str = "cpu",
    folder: Path | None = None,
    resume: bool = False,
    on_event: OnEvent = lambda _: None,
) -> TrainedModel:
    """Train, select on dev, measure on test if there is one; save the model in a folder if one is named."""
    unfinished = None if folder is None else UnfinishedRun(folder, config, resume)
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
    """Load the model of a folder that is this run's alone, or train it, or resume its training."""
    if (folder / "config.json").exists():
        return load_model(folder, device)
    return train_model(config, dataset, device, folder, can_resume(folder), on_event)


def _fit(
    parts: Parts,
    dataset: Dataset,
    classes: tuple[Label, ...],
    device: torch.device,
    unfinished: UnfinishedRun | None,
    on_event: OnEvent,
) -> TrainedModel:
    method, tokenizer = parts.method.to(device), parts.tokenizer
    train, dev = (Corpus.read(documents, classes, tokenizer) for documents in (dataset.train, dataset.dev))
    _report_truncation(train, tokenizer.limit, on_event)
    budget = parts.config.training.batch_tokens
    method.prepare(train.batch(chosen).to(device) for chosen in by_token_budget(train.lengths, budget))
    seed, settings = parts.config.seed, parts.config.training
    plan = list(method.plan(settings.epochs or method.encoder.epochs))
    if parts.config.contributions is not None:
        with torch.random.fork_rng(devices=[]):  # so that the classifier is the same with and without
            add_head(method, parts.config.contributions)
        plan.append(contribution_phase(method, train, dev, seed))
    run = TrainingRun(method, settings, train, dev, seed, device, plan)
    if unfinished is not None:
        unfinished.restore(run, on_event)
    started, worked = time.perf_counter(), time.process_time()
    with postponed_interrupt() as interrupted:
        for step in run.steps():
            on_event(step)
            if unfinished is not None and run.processes.is_first:
                unfinished.save(run, at_once=step.record is not None or interrupted())
            if interrupted():
                raise KeyboardInterrupt
    metrics: dict[str, Any] = {
        "train_texts": len(train),
        "dev_texts": len(dev),
        "seconds": round(time.perf_counter() - started, 1),
        "cpu_seconds": round(time.process_time() - worked, 1),
    }
    if run.chosen is not None:
        chosen = next(r for r in run.history if (r["phase"], r["epoch"]) == (run.chosen.phase, run.chosen.epoch + 1))
        metrics |= {"epoch": chosen["epoch"], "phase": chosen["phase"], "dev_accuracy": chosen["dev_accuracy"]}
        metrics["health"] = chosen["health"]
    metrics |= contribution_metrics(run.history)
    if dataset.test:
        metrics |= measure(FittedClassifier(method, tokenizer, classes), dataset.test, "test")
    return TrainedModel(
        FittedClassifier(method, tokenizer, classes, parts.frequencies), parts.config, run.history, metrics
    )


def contribution_metrics(history: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Say how well contributions explain sub-texts of dev: 1 is all, 0 no better than equal shares for all words."""
    best = [record for record in history if record["phase"] == CONTRIBUTIONS and record["best"]]
    return {"contributions": best[-1]["health"]} if best else {}


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


def unfinished_folder(place: Path) -> Path:
    """Name the folder beside the model's that holds a run until its model is finished."""
    return place.with_name(f"{place.name}.training")


def can_resume(place: Path) -> bool:
    """Whether there is a run to resume."""
    return (unfinished_folder(place) / SETTINGS).exists()


def changed_since(file: Path, now: Mapping[str, Any]) -> list[str]:
    """Name the values that differ from those written to a file."""
    before = json.loads(file.read_text(encoding="utf-8"))
    return sorted(name for name, value in json.loads(json.dumps(now)).items() if value != before.get(name))


class UnfinishedRun:
    """The checkpoints of a run, in a folder beside the model's, until the model is finished."""

    def __init__(self, place: Path, config: RunConfig, resume: bool) -> None:
        check_place(place)
        self.place = place
        self.folder = unfinished_folder(place)
        self.config = config
        self.resume = resume
        self.last_checkpoint = time.monotonic()
        if resume and not can_resume(place):
            raise OptionError(f"There is no unfinished run at {self.folder}: leave --resume out to start one.")
        if Processes().is_first:
            if not resume:
                shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True, exist_ok=True)

    def restore(self, run: TrainingRun, on_event: Callable[[str], None]) -> None:
        """Continue where the last process stopped, if it had these settings."""
        settings = self.folder / SETTINGS
        current = {**self.config.to_dict(), "texts": run.train.fingerprint}
        if self.resume:
            changed = changed_since(settings, current)
            if changed:
                raise OptionError(
                    f"The unfinished run at {self.folder} had other settings ({', '.join(changed)}): give the same "
                    "ones, or leave --resume out to start again."
                )
            snapshot = read_snapshot(self.folder)
            if snapshot is not None:
                self._restore(run, *snapshot)
                on_event(f"Resumed after {len(run.history)} epochs and {run.position.step} steps.")
        if run.processes.is_first:
            write_text(settings, json.dumps(current, indent=2))

    def _restore(self, run: TrainingRun, tensors: dict[str, torch.Tensor], values: dict[str, Any]) -> None:
        try:
            run.restore(tensors, values)
        except torch.cuda.OutOfMemoryError:
            raise
        except (KeyError, TypeError, RuntimeError, ValueError) as error:  # its parts have other names or shapes
            raise OptionError(
                f"The unfinished run at {self.folder} was written by another version of whyword: delete it, or leave "
                "--resume out, to start again."
            ) from error

    def save(self, run: TrainingRun, at_once: bool) -> None:
        """Write a checkpoint at once, or only when the last one is old."""
        if not at_once and time.monotonic() - self.last_checkpoint < CHECKPOINT_SECONDS:
            return
        write_snapshot(self.folder, *run.snapshot())
        write_text(self.folder / "training.jsonl", "".join(json.dumps(record) + "\n" for record in run.history))
        self.last_checkpoint = time.monotonic()

    def finish(self, model: TrainedModel) -> None:
        """Write the finished model and delete the checkpoints."""
        put_model(model, self.place)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def postponed_interrupt() -> Iterator[Callable[[], bool]]:
    """Hold Ctrl-C back until a step is done; yields whether one came. A second one interrupts at once.

    So no half step is saved and no whole one is lost. Where SIGINT is ignored, as a shell has it for background jobs
    and nohup, it stays ignored: a Ctrl-C at the terminal is meant for another program then.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (signal.SIG_IGN, None):
        yield lambda: False  # only the main thread hears signals, and None is a handler that is not Python's
        return
    came = False

    def remember(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, remember)
    try:
        yield lambda: came
    finally:
        signal.signal(signal.SIGINT, before)
