"""compare(): methods, encoders, data sets and seeds, each trained, tested and explained, side by side."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, TypedDict

import numpy as np

from .. import catalog
from ..catalog import make_explainer
from ..data.dataset import Dataset
from ..data.forbidden import as_entries
from ..data.labels import numbered
from ..data.rows import Columns
from ..evaluation.measure import Scores
from ..explaining.inputs import draw
from ..explaining.labels import Explained, by_label, given_labels, measure_by_label
from ..explaining.measure import DRAWS, RANDOM, measure_explanations
from ..explaining.stream import explain_documents
from ..inference.fitted import FittedClassifier
from ..interfaces.classifier import class_values, predicted_classes, predicted_labels
from ..interfaces.document import Document, Label
from ..interfaces.errors import DataError, OptionError, unknown_name
from ..interfaces.metric import Score
from ..interfaces.settings import json_ready
from ..maths.stats.labels import macro_f1_of_labels, micro_f1
from ..maths.stats.ordered import estimate_ordered
from ..models.config import FORBIDDEN, SECTIONS, make_config, overlay, with_contributions, with_early_stopping
from ..models.folder import TrainedModel
from ..storage.lock import owned
from .comparison import Comparison
from .runner import RECORDS, EvaluationJob, finished_records, run_jobs
from .variant import Evaluation, Result, TrainedVariant, Variant, file_fingerprint, find_source

MEASURE = "comprehensiveness"
METRICS = ("comprehensiveness", "sufficiency", "posthoc-accuracy", "mean-probability-drop", "rationale-auprc")
SAMPLE_SEED = 0  # all runs on a data set explain the same texts
DIGITS = 6  # of the values of each text that are recorded
Names = str | Sequence[str]


def compare(
    datasets: str | Path | Sequence[str | Path],
    methods: Names = ("base", "attention", "vmask"),
    encoders: Names = "lstm",
    seeds: int | Sequence[int] = 3,
    *,
    settings: Sequence[str] = (),
    embeddings: str | Path | None = None,
    epochs: int | None = None,
    rows: int | None = None,
    contributions: bool = True,
    explainer: str | None = None,
    sample: int = 200,
    measure: str = MEASURE,
    baseline: str | None = None,
    folder: str | Path | None = None,
    engine: str = "local",
    workers: int = 1,
    address: str | None = None,
    device: str = "cpu",
    columns: Columns | None = None,
    forbid: Sequence[str] | str | Path | None = None,
    forbid_soft: Sequence[str] | str | Path | None = None,
    task: str | None = None,
    order: Sequence[Label] | None = None,
    data_dir: str | Path | None = None,
) -> Comparison:
    """Train every method on every encoder, data set and seed, and compare accuracy and interpretability.

    Models carry contributions, unless told otherwise; attention weights and gates are measured beside them. No model
    reads the words of forbid, and those of forbid_soft are taught to move no answer (docs/forbid.md). With task
    "ordinal", classes have an order: that of their numbers, of well-known grades, or the one given.
    With a folder, runs whose records are there are not run again, and tables and page are written into it.
    """
    several = [datasets] if isinstance(datasets, str | Path) else datasets
    numbers = range(seeds) if isinstance(seeds, int) else seeds
    grid = Grid(
        tuple(dict.fromkeys(map(str, several))),
        _listed(methods),
        _listed(encoders),
        tuple(numbers),
        settings=tuple(settings),
        embeddings=embeddings,
        epochs=epochs,
        rows=rows,
        contributions=contributions,
        quality=Quality(explainer, sample=sample),
        measure=measure,
        baseline=baseline,
        columns=columns,
        forbid=as_entries(forbid),
        forbid_soft=as_entries(forbid_soft),
        task=task,
        order=None if order is None else tuple(order),
        data_dir=data_dir,
        device=device,
    )
    jobs = grid.jobs()
    chosen = grid.choose_baseline()
    place = None if folder is None else Path(folder) / RECORDS
    with nullcontext() if folder is None else owned(folder, inside=True):
        records = finished_records(jobs, place)
        left = [job for job in jobs if job.name not in records]
        records |= {record.name: record for record in run_jobs(left, place, engine, workers, address)}
        comparison = Comparison([records[job.name] for job in jobs], measure, chosen)
        if folder is not None:
            comparison.save(folder)
    return comparison


class Measured(TypedDict):
    """A metric of the explanations of one model."""

    value: float | None
    random: float | None  # of random words
    higher_is_better: bool
    meaning: str
    advantages: list[float | None]  # for each text, how much better than random words


@dataclass(frozen=True)
class Quality(Evaluation):
    """Test accuracy, and metrics of the explanations of some test texts."""

    name: ClassVar[str] = "quality"
    explainer: str | None = None  # None: the model's own scores if it has any, else occlusion
    explainer_settings: Mapping[str, Any] = field(default_factory=dict)
    sample: int = 200  # texts to explain; 0: none
    metrics: tuple[str, ...] = METRICS  # those that need a rationale are left out where there is none

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Test on the test split, or on dev where there is none, and explain a sample of it."""
        split, documents = ("test", dataset.test) if dataset.test else ("dev", dataset.dev)
        tested = _test(model.classifier, documents)
        explained = self._explain(model.classifier, documents, trained.seed) if self.sample else {}
        return {
            "split": split,
            **tested,
            "dev_accuracy": model.metrics.get("dev_accuracy"),
            **explained,
            "epochs": len(model.history),
            "weights": sum(weight.numel() for weight in model.classifier.method.parameters()),
            "train_seconds": round(sum(epoch["seconds"] for epoch in model.history), 3),
            "device": str(model.classifier.device),
        }

    def _explain(self, classifier: FittedClassifier, documents: Sequence[Document], seed: int) -> Result:
        drawn = draw(documents, self.sample, SAMPLE_SEED)
        marked = any(document.rationale is not None or document.rationales for document in drawn)
        metrics = [name for name in self.metrics if marked or not catalog.load("metrics", name).needs_rationale]
        explainer = make_explainer(self.explainer, classifier, seed, self.explainer_settings)
        started = time.perf_counter()
        explanations = list(explain_documents(classifier, drawn, explainer))
        seconds = time.perf_counter() - started
        by_name = {explainer.name: explanations}
        weights = _weights_beside(classifier, explainer.name)
        if weights is not None:
            by_name[weights] = make_explainer(weights, classifier).explain(classifier, drawn)
        scores = _measure(classifier, by_name, metrics, seed)
        beside = {} if weights is None else {"mechanism": {"explainer": weights, "scores": _measured(scores, weights)}}
        return {
            "explainer": explainer.name,
            "explained_texts": len(drawn),
            "explain_seconds": round(seconds / len(drawn), 6),  # of one text
            "explain_passes": sum(explanation.forward_passes for explanation in explanations) / len(drawn),
            "scores": _measured(scores, explainer.name),
            **beside,
        }


def _measure(classifier: FittedClassifier, explained: Explained, metrics: Sequence[str], seed: int) -> Scores:
    """Measure explanations; of several labels a text, the mean over those that the model gives to it."""
    if not classifier.multi_label:
        return measure_explanations(classifier, explained, metrics, seed=seed)
    units = by_label(explained)
    if not units:
        raise DataError("The model gives no label to any of the texts, so there is nothing to explain: train longer.")
    scores, _ = measure_by_label(classifier, None, units, metrics, seed, DRAWS)
    given = given_labels(explained)
    rows = np.array([i for number in units for i, labels in enumerate(given) if number in labels])
    counts = np.bincount(rows, minlength=len(given))

    def mean(values: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):  # texts that are given no label have no value
            return np.bincount(rows, values, len(given)) / counts

    by_text = tuple(replace(score, per_text=mean(score.per_text)) for score in scores)
    return replace(scores, scores=by_text, texts=len(given))


def _weights_beside(classifier: FittedClassifier, explainer: str) -> str | None:
    """Name the explainer of the weights that a method has beside its contributions, if these are what is measured."""
    if explainer != "own" or not classifier.has_contributions or classifier.method.own_score is None:
        return None
    return "attention" if classifier.method.own_score == "share" else "gate"


def _measured(scores: Scores, explainer: str) -> dict[str, Measured]:
    return {name: _beside_random(scores[name, explainer], scores[name, RANDOM]) for name in scores.metrics}


def _test(classifier: FittedClassifier, documents: Sequence[Document]) -> Result:
    """Count the texts that are told right: of several labels a text, all of them, beside F1.

    Where classes have an order, the absolute error and kappa stand beside it.
    """
    probabilities = classifier.probabilities([document.words for document in documents])
    figures = {}
    if classifier.multi_label:
        predicted = predicted_labels(classifier, probabilities)
        labels = numbered(documents, classifier.classes)
        right = (predicted == labels).all(1)
        figures = {"macro_f1": macro_f1_of_labels(predicted, labels), "micro_f1": micro_f1(predicted, labels)}
    else:
        chosen = predicted_classes(classifier, probabilities)
        right = np.array([classifier.classes[c] == d.label for c, d in zip(chosen.tolist(), documents, strict=True)])
        if (values := class_values(classifier)) is not None:
            scores = estimate_ordered(chosen, numbered(documents, classifier.classes), np.array(values))
            figures = {"absolute_error": scores.absolute_error.value, "kappa": scores.kappa.value}
    packed = np.packbits(right).tobytes().hex()
    return {"texts": len(right), "accuracy": float(right.mean()), **figures, "right": packed}


def _beside_random(score: Score, floor: Score) -> Measured:
    better = (score.per_text - floor.per_text) * (1 if score.higher_is_better else -1)
    return {
        "value": json_ready(score.value),
        "random": json_ready(floor.value),
        "higher_is_better": score.higher_is_better,
        "meaning": score.meaning,
        "advantages": [json_ready(number) for number in better.round(DIGITS)],
    }


@dataclass(frozen=True)
class Grid:
    """What is compared: every combination of data set, method, encoder and seed.

    A setting is `section.name=value` for all runs, or `vmask.beta=0.5` for those of one method or encoder.
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    encoders: tuple[str, ...]
    seeds: tuple[int, ...]
    settings: tuple[str, ...] = ()
    embeddings: str | Path | None = None  # file of word vectors, for encoders that do not bring their own
    epochs: int | None = None
    rows: int | None = None
    contributions: bool = True  # whether every model carries them
    quality: Quality = field(default_factory=Quality)
    measure: str = MEASURE  # the metric by which explanations are ranked
    baseline: str | None = None
    columns: Columns | None = None
    forbid: tuple[str, ...] = ()  # entries of words that no model reads
    forbid_soft: tuple[str, ...] = ()  # entries of words that are taught to move no answer
    task: str | None = None  # "ordinal": classes have an order
    order: tuple[Label, ...] | None = None  # of the classes, lowest first; None: known from the labels
    data_dir: str | Path | None = None
    device: str = "cpu"

    def jobs(self) -> list[EvaluationJob]:
        """Describe every run, and refuse what cannot be run before anything is."""
        self._check()
        sources = [find_source(data, self.columns, self.data_dir, self.rows) for data in self.datasets]
        _check_names([source.name for source in sources])
        place = None if self.embeddings is None else str(Path(self.embeddings).expanduser().resolve())
        vectors = None if self.embeddings is None else file_fingerprint(self.embeddings)
        jobs = []
        for seed, source, encoder, method in product(self.seeds, sources, self.encoders, self.methods):
            values: dict[str, Any] = {"method": method, "encoder": encoder}
            values |= {name: list(entries) for name in FORBIDDEN if (entries := getattr(self, name))}
            values |= {name: value for name in ("task", "order") if (value := getattr(self, name)) is not None}
            if self.epochs is not None:
                values["training"] = {"epochs": self.epochs}
            settings = overlay(values, _settings_of(self.settings, method, encoder))
            if self.contributions:
                settings = with_contributions(settings)
            else:
                settings = {**with_early_stopping(settings), "contributions": False}
            own_vectors = make_config({**settings, "seed": seed}).encoder_kind == "transformer"
            variant = Variant(f"{encoder}-{method}", settings, place is not None and not own_vectors)
            trained = TrainedVariant(variant, source, seed, None, place, vectors, device=self.device)
            jobs.append(EvaluationJob(trained, self.quality))
        if not jobs:
            raise OptionError("There is nothing to compare: give a data set, a method, an encoder and a seed at least.")
        return jobs

    def choose_baseline(self) -> str:
        """Compare with the method that is asked for, else with base, else with the first."""
        if self.baseline is None:
            return "base" if "base" in self.methods else self.methods[0]
        if self.baseline not in self.methods:
            raise unknown_name(self.baseline, "the methods that are compared", self.methods)
        return self.baseline

    def _check(self) -> None:
        if self.rows is not None and self.rows < 2:
            raise OptionError(f"rows is {self.rows}: give two training texts or more.")
        if self.quality.sample < 0:
            raise OptionError(f"sample is {self.quality.sample}: give a number of texts, or 0 to explain none.")
        if self.quality.explainer is not None:
            catalog.load("explainers", self.quality.explainer)
        if self.measure not in METRICS:
            raise unknown_name(self.measure, "the measures of interpretability", METRICS)
        for word in self.settings:
            section = word.partition("=")[0].rpartition(".")[0]
            if "=" not in word or section not in (*SECTIONS, *self.methods, *self.encoders):
                raise OptionError(
                    f"--set {word}: write section.name=value, where section is one of {', '.join(SECTIONS)}, or a "
                    "method or an encoder that is compared, for example --set training.epochs=5."
                )


def _listed(names: Names) -> tuple[str, ...]:
    return tuple(dict.fromkeys([names] if isinstance(names, str) else names))


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise OptionError(
                f"Two data sets are called '{name}': rename a file or folder, so that rows can be told apart."
            )


def _settings_of(settings: Sequence[str], method: str, encoder: str) -> list[str]:
    """Choose the settings that speak about a run, as overlay reads them."""
    chosen = []
    for word in settings:
        path, _, value = word.partition("=")
        section, _, name = path.rpartition(".")
        kind = {method: "method", encoder: "encoder"}.get(section, section)
        if kind in SECTIONS:
            chosen.append(f"{kind}.{name}={value}")
    return chosen
