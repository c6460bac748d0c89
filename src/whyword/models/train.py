"""The pipeline, readable top to bottom: data, parts, training, test, model folder; and a stopped run that resumes."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from ..blocks.contributions import LinearContributions, add_head, read_base
from ..blocks.rationales import add_reader
from ..data.batching import Corpus
from ..data.dataset import Dataset, labels
from ..data.labels import are_multi_label, numbered
from ..data.order import ordered_classes
from ..data.padding import by_token_budget
from ..data.store import words_of
from ..inference.fitted import FittedClassifier
from ..interfaces.classifier import predicted_classes
from ..interfaces.document import Document, Label
from ..interfaces.errors import OptionError
from ..interfaces.logger import Logger
from ..interfaces.settings import strict_json
from ..maths.stats.intervals import share_interval
from ..storage.atomic import read_snapshot, write_snapshot, write_text
from ..storage.lock import owned
from ..training.contributions import contribution_phase
from ..training.head_only import head_phase
from ..training.interrupts import postponed_interrupt
from ..training.loop import SELECTED, Step, TrainingRun
from ..training.optimizer import Processes, selection
from ..training.rationales import rationale_phase
from ..training.timing import choose_threads
from .assemble import Parts, assemble
from .baseline import BASELINE, fit_baseline, read_corpora
from .config import RunConfig
from .decisions import check_threshold, decide_on_dev
from .figures import measure_figures, warn_of
from .folder import TrainedModel, check_place, load_model, put_model
from .forbidden_words import about_forbidden, add_proxies
from .label_figures import measure_label_figures, measure_labels
from .log import Log
from .ordered_figures import measure_ordered, measure_ordered_figures
from .rationales import with_reader_if_marked
from .refinements import contribution_metrics, rationale_metrics, refinement_warnings
from .samples import sampled

CHECKPOINT_SECONDS = 30.0  # at most this much work is lost when a run is killed
BETWEEN_CHECKPOINTS = 1.0  # seconds at least, as each waits for the disk: epochs of few texts are over sooner
SETTINGS = "run.json"
OnEvent = Callable[[Step | str], None]  # called with every step, and every sentence for the user


def train_model(
    config: RunConfig,
    dataset: Dataset,
    device: torch.device | str = "cpu",
    folder: Path | None = None,
    resume: bool = False,
    on_event: OnEvent = lambda _: None,
    baseline: bool | None = None,
    loggers: Sequence[Logger] = (),
    choosing_threads: bool = False,
) -> TrainedModel:
    """Train, select on dev, measure on test if there is one; save the model in a folder if one is named.

    Unless baseline is None, the model is measured class by class, and beside TF-IDF if it is true. The number of
    threads is torch's, or chosen by timed steps; a run that resumes has the same one.
    """
    if config.training.precision == "float16" and torch.device(device).type == "cpu":
        raise OptionError("training.precision float16 is for a GPU: choose bfloat16 or float32 on a processor.")
    log = Log(loggers, on_event)
    with owning(folder), log.following(config.to_dict()):
        unfinished = None if folder is None else UnfinishedRun(folder, config, resume)
        with torch.random.fork_rng(devices=[]):  # the caller's random stream is left alone
            torch.manual_seed(config.seed)
            dataset = sampled(dataset, on_event) if config.is_solved else dataset
            classes = classes_of(config, dataset)
            several = are_multi_label(dataset.train)
            check_threshold(config.training, len(classes), several)
            parts = assemble(config, len(classes), words_of(dataset.train), several)
            marked, about_marks = with_reader_if_marked(parts.config, dataset.train)
            parts = replace(parts, config=marked)
            for note in (*dataset.notes, *parts.notes, *about_forbidden(parts.config), *about_marks):
                on_event(note)
            model = _fit(parts, dataset, classes, torch.device(device), unfinished, on_event, log, choosing_threads)
        if baseline is not None:
            model = add_figures(model, dataset, baseline, on_event)
        model = add_proxies(model, dataset, on_event)
        warn(model, dataset, on_event)
        if unfinished is not None and Processes().is_first:
            unfinished.finish(model)
        log.finish(model.metrics, folder)
    return model


def owning(place: Path | None) -> AbstractContextManager[None]:
    """Have the place of a model to oneself, if there is one; of several processes of one run, the first has it."""
    return nullcontext() if place is None or not Processes().is_first else owned(place)


def warn(model: TrainedModel, dataset: Dataset, on_event: OnEvent) -> None:
    """Say what is wrong with a trained model, as far as its own metrics tell."""
    method = model.classifier.method
    of_method = method.warnings(model.metrics.get("health", {}))
    for warning in (*_majority_warning(dataset.dev, model), *of_method, *refinement_warnings(model.metrics)):
        on_event(f"Warning: {warning}")


def classes_of(config: RunConfig, dataset: Dataset) -> tuple[Label, ...]:
    """List the classes that training texts have, in the order of an ordinal task."""
    classes = labels(dataset.train)
    if not config.ordered:
        return classes
    if are_multi_label(dataset.train):
        raise OptionError("Texts of several labels have no order of classes: leave out task ordinal.")
    return ordered_classes(classes, config.order)


def add_figures(
    model: TrainedModel,
    dataset: Dataset,
    baseline: bool,
    on_event: OnEvent,
    beside: FittedClassifier | None = None,
) -> TrainedModel:
    """Measure a model on test, or dev if there is no test, and beside the baseline if that is wanted.

    The baseline is solved, unless it is there already (beside).
    """
    config, classes = model.config, model.classifier.classes
    labels = numbered(dataset.train, classes)
    if not baseline or config.encoder == BASELINE:
        beside = None
    elif beside is None:
        on_event("Solving the baseline, TF-IDF with logistic regression.")
        with torch.random.fork_rng(devices=[]):
            beside = fit_baseline(config, sampled(dataset, on_event), classes)
    if model.classifier.multi_label:
        figures = measure_label_figures(model.classifier, dataset, beside)
    elif model.classifier.values is not None:
        figures = measure_ordered_figures(model.classifier, dataset, beside)
    else:
        figures = measure_figures(model.classifier, dataset, selection(config.training, labels) != "accuracy", beside)
    warning = warn_of(figures)
    if warning is not None:
        on_event(f"Warning: {warning}")
    return replace(model, metrics={**model.metrics, "figures": figures})


def train_once(
    config: RunConfig,
    dataset: Dataset,
    folder: Path,
    device: torch.device | str = "cpu",
    on_event: OnEvent = lambda _: None,
    loggers: Sequence[Logger] = (),
) -> TrainedModel:
    """Load the model of a folder that is this run's alone, or train it, or resume its training."""
    if (folder / "config.json").exists():
        shutil.rmtree(unfinished_folder(folder), ignore_errors=True)  # of a process killed when its model was in place
        model = load_model(folder, device)
        warn(model, dataset, on_event)  # as the process that trained it may have had nobody to tell
        return model
    return train_model(config, dataset, device, folder, can_resume(folder), on_event, loggers=loggers)


def _fit(
    parts: Parts,
    dataset: Dataset,
    classes: tuple[Label, ...],
    device: torch.device,
    unfinished: UnfinishedRun | None,
    on_event: OnEvent,
    log: Log,
    choosing_threads: bool,
) -> TrainedModel:
    run = start_run(parts, dataset, classes, device, on_event)
    method, tokenizer, train = run.method, parts.tokenizer, run.train
    threads = unfinished.threads if unfinished is not None else None
    if choosing_threads:
        torch.set_num_threads(threads or choose_threads(run))
    if unfinished is not None:
        unfinished.restore(run, on_event)
    for record in run.history:
        log.epoch(record)
    started, worked = time.perf_counter(), time.process_time()
    with postponed_interrupt() as interrupted:
        for step in run.steps():
            on_event(step)
            if step.record is not None:
                log.epoch(step.record)
            if unfinished is not None and run.processes.is_first:
                unfinished.save(run, step.record is not None, at_once=interrupted.error is not None)
            if interrupted.error is not None:
                raise interrupted.error
    if isinstance(method.contributions, LinearContributions):
        read_base(method)
    metrics: dict[str, Any] = {
        "train_texts": len(train),
        "dev_texts": len(dataset.dev),
        "seconds": round(time.perf_counter() - started, 1),
        "cpu_seconds": round(time.process_time() - worked, 1),
    }
    if run.chosen is not None:
        chosen = next(r for r in run.history if (r["phase"], r["epoch"]) == (run.chosen.phase, run.chosen.epoch + 1))
        metrics |= {"epoch": chosen["epoch"], "phase": chosen["phase"], "dev_accuracy": chosen["dev_accuracy"]}
        metrics |= {name: chosen[name] for name in SELECTED if name in chosen}
        metrics["health"] = chosen["health"]
    metrics |= contribution_metrics(run.history) | rationale_metrics(run.history)
    classifier = FittedClassifier(method, tokenizer, classes, parts.frequencies)
    classifier, decided = decide_on_dev(classifier, parts.config.training, dataset.dev)
    metrics |= decided
    if dataset.test:
        metrics |= measure(classifier, dataset.test, "test")
    return TrainedModel(classifier, parts.config, run.history, metrics, columns=dataset.columns)


def start_run(
    parts: Parts, dataset: Dataset, classes: tuple[Label, ...], device: torch.device, on_event: OnEvent
) -> TrainingRun:
    """Tokenize the texts and plan the training, up to its first step."""
    method = parts.method.to(device)
    train, dev = read_corpora(parts, dataset, classes)
    _report_truncation(train, parts.tokenizer.limit, on_event)
    budget = parts.config.training.batch_tokens
    method.prepare(train.batch(chosen).to(device) for chosen in by_token_budget(train.lengths, budget))
    seed, settings = parts.config.seed, parts.config.training
    plan = [head_phase(method)] if settings.head_only else list(method.plan(settings.epochs or method.encoder.epochs))
    if parts.config.contributions is not None:
        with torch.random.fork_rng(devices=[]):  # so that the classifier is the same with and without
            add_head(method, parts.config.contributions)
        if not isinstance(method.contributions, LinearContributions):
            plan.append(contribution_phase(method, train, dev, seed))
    if parts.config.rationales is not None:
        with torch.random.fork_rng(devices=[]):
            add_reader(method, parts.config.rationales)
        plan.append(rationale_phase(method, train, dev, seed))
    return TrainingRun(method, settings, train, dev, seed, device, plan)


def measure(classifier: FittedClassifier, documents: Sequence[Document], split: str) -> dict[str, Any]:
    """Measure accuracy with its 95 % interval (Wilson); of several labels a text, all of them must be right."""
    if classifier.multi_label:
        return measure_labels(classifier, documents, split)
    if classifier.values is not None:
        return measure_ordered(classifier, documents, split)
    predicted = predicted_classes(classifier, classifier.probabilities([document.words for document in documents]))
    right = sum(classifier.classes[i] == d.label for i, d in zip(predicted, documents, strict=True))
    low, high = share_interval(right, len(documents))
    return {
        f"{split}_texts": len(documents),
        f"{split}_accuracy": right / len(documents),
        f"{split}_accuracy_low": low,
        f"{split}_accuracy_high": high,
    }


def _majority_warning(dev: Sequence[Document], model: TrainedModel) -> list[str]:
    """Say so where dev accuracy cannot be told from that of the most frequent class."""
    if "dev_accuracy" not in model.metrics or not dev or model.classifier.multi_label:
        return []
    label, count = Counter(document.label for document in dev).most_common(1)[0]
    accuracy = model.metrics["dev_accuracy"]
    low, _ = share_interval(round(accuracy * len(dev)), len(dev))
    if low > count / len(dev):
        return []
    solved = model.config.encoder == BASELINE  # in one step, without a learning rate
    remedy = (
        "look at the labels, or give more texts."
        if solved
        else "give more texts, more epochs, or another learning rate (--set training.learning_rate)."
    )
    return [
        f"dev accuracy ({accuracy:.1%}) cannot be told from that of always answering {label!r} "
        f"({count / len(dev):.1%}): the model may have learned nothing, so {remedy}"
    ]


def _report_truncation(corpus: Corpus, limit: int | None, on_event: OnEvent) -> None:
    cut = corpus.truncated
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
        self.began = time.monotonic()
        self.last_checkpoint: float | None = None
        self.threads: int | None = None  # of the run that is resumed
        if resume and not can_resume(place):
            raise OptionError(f"There is no unfinished run at {self.folder}: leave --resume out to start one.")
        if resume:
            self.threads = json.loads((self.folder / SETTINGS).read_text(encoding="utf-8")).get("threads")
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
            write_text(settings, json.dumps({**current, "threads": torch.get_num_threads()}, indent=2))

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

    def save(self, run: TrainingRun, epoch_ended: bool, at_once: bool) -> None:
        """Write a checkpoint at once, at the end of an epoch, or when the last one is old."""
        now, last = time.monotonic(), self.last_checkpoint
        is_old = now - (self.began if last is None else last) >= CHECKPOINT_SECONDS
        may_follow = last is None or now - last >= BETWEEN_CHECKPOINTS
        if not (at_once or is_old or (epoch_ended and may_follow)):
            return
        write_snapshot(self.folder, *run.snapshot())
        write_text(self.folder / "training.jsonl", "".join(strict_json(record) + "\n" for record in run.history))
        self.last_checkpoint = time.monotonic()

    def finish(self, model: TrainedModel) -> None:
        """Write the finished model and delete the checkpoints."""
        put_model(model, self.place)
        shutil.rmtree(self.folder, ignore_errors=True)
