"""One cell of a grid: a model is trained, tested and explained, and what was measured is a record of plain values."""

from __future__ import annotations

import platform
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np
import torch

from .. import catalog
from ..explaining.inputs import draw
from ..explaining.measure import RANDOM, measure_explanations
from ..explaining.stream import explain_documents, make_explainer
from ..inference.fitted import FittedClassifier, choose_device
from ..interfaces.document import Document
from ..interfaces.errors import WhywordError
from ..interfaces.metric import Score
from ..interfaces.values import json_ready
from ..models.config import RunConfig
from ..models.folder import fingerprint
from ..models.train import train_model
from ..training.loop import Step
from .source import Source

Record = dict[str, Any]

FORMAT = 1  # raised when records can no longer be read by other versions
METRICS = ("comprehensiveness", "sufficiency", "posthoc-accuracy", "mean-probability-drop", "rationale-auprc")
SAMPLE_SEED = 0  # all cells of a data set explain the same texts
DIGITS = 6  # of the values of each text that are kept


@dataclass(frozen=True)
class Cell:
    """All that decides what comes out: data, run, and what is measured."""

    source: Source
    config: RunConfig
    vectors: str | None = None  # fingerprint of the file of word vectors
    explainer: str | None = None  # None: the model's own scores if it has any, else occlusion
    explainer_settings: Mapping[str, Any] = field(default_factory=dict)
    sample: int = 200  # texts to explain; 0: none
    metrics: tuple[str, ...] = METRICS  # those that need a rationale are left out where there is none

    @property
    def facts(self) -> Record:
        """All that decides the numbers, ready for JSON; files stand for what they hold."""
        return {
            "whyword": version("whyword"),
            "data": self.source.contents,
            "columns": asdict(self.source.columns),
            "rows": self.source.rows,
            **self.config.to_dict(),
            "embeddings": self.vectors,
            "explainer": self.explainer,
            "explainer_settings": dict(self.explainer_settings),
            "sample": self.sample,
            "metrics": list(self.metrics),
        }

    @property
    def name(self) -> str:
        """A name for people, and a few letters that change with any of the facts."""
        return named(f"{self.source.name}-{self.config.encoder}-{self.config.method}-{self.config.seed}", self.facts)

    @property
    def identity(self) -> Record:
        """What its record says of the cell itself."""
        return {
            "format": FORMAT,
            "cell": self.name,
            "dataset": self.source.name,
            "rows": self.source.rows,
            "encoder": self.config.encoder,
            "method": self.config.method,
            "seed": self.config.seed,
        }


def run_cell(cell: Cell, device: str = "cpu") -> Record:
    """Train, test and explain, on one thread, so that the numbers are the same wherever it is run."""
    started = time.perf_counter()
    steps, warnings = 0, []

    def on_event(event: Step | str) -> None:
        nonlocal steps
        if isinstance(event, Step):
            steps += 1
        elif event.startswith("Warning"):
            warnings.append(event)

    with one_thread():
        dataset = cell.source.load()
        model = train_model(cell.config, dataset, choose_device(device), on_event=on_event)
        split, documents = ("test", dataset.test) if dataset.test else ("dev", dataset.dev)
        tested = _test(model.classifier, documents)
        explained = _explain(cell, model.classifier, documents) if cell.sample else {}
    training = sum(epoch["seconds"] for epoch in model.history)
    return {
        **cell.identity,
        "train_texts": len(dataset.train),
        "split": split,
        **tested,
        "dev_accuracy": model.metrics.get("dev_accuracy"),
        **explained,
        "warnings": warnings,
        "epochs": len(model.history),
        "steps": steps,
        "weights": sum(weight.numel() for weight in model.classifier.method.parameters()),
        "train_seconds": round(training, 3),
        "step_seconds": round(training / max(1, steps), 6),
        "wall_seconds": round(time.perf_counter() - started, 3),
        "device": str(model.classifier.device),
        "versions": versions(),
        "facts": cell.facts,
    }


def named(words: str, facts: Record) -> str:
    """Give a file's name: words for people, and a few letters that change with any of the facts."""
    return f"{re.sub(r'[^A-Za-z0-9._=-]+', '-', words)[:100]}-{fingerprint(facts)[:12]}"


def versions() -> dict[str, str]:
    """Say what the numbers were made with."""
    return {name: version(name) for name in ("whyword", "torch", "numpy")} | {"python": platform.python_version()}


def failed_record(identity: Record, error: Exception) -> Record:
    """Say why a cell has no numbers; bug tells whether the user can mend it."""
    bug = not isinstance(error, WhywordError | OSError)
    sentence = f"{type(error).__name__}: {error}" if bug else str(error)
    return {**identity, "failed": sentence, "bug": bug, "trace": list(getattr(error, "__notes__", ()))}


def right_answers(record: Mapping[str, Any]) -> np.ndarray:
    """Unpack which test texts were classified rightly, (text,) of 0 and 1."""
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(record["right"]), dtype=np.uint8), count=record["texts"])
    return bits.astype(np.float64)


def advantages(record: Mapping[str, Any], metric: str) -> np.ndarray:
    """Give how much better than random words each explained text did, (text,); NaN where undefined."""
    return np.array(record["scores"][metric]["advantages"], dtype=np.float64)  # None becomes NaN


def _test(classifier: FittedClassifier, documents: Sequence[Document]) -> Record:
    chosen = classifier.probabilities([document.words for document in documents]).argmax(1).tolist()
    right = np.array([classifier.classes[c] == d.label for c, d in zip(chosen, documents, strict=True)])
    return {"texts": len(right), "accuracy": float(right.mean()), "right": np.packbits(right).tobytes().hex()}


def _explain(cell: Cell, classifier: FittedClassifier, documents: Sequence[Document]) -> Record:
    drawn = draw(documents, cell.sample, SAMPLE_SEED)
    marked = any(document.rationale is not None for document in drawn)
    metrics = [name for name in cell.metrics if marked or not catalog.load("metrics", name).needs_rationale]
    explainer = make_explainer(cell.explainer, classifier, cell.config.seed, cell.explainer_settings)
    started = time.perf_counter()
    explanations = list(explain_documents(classifier, drawn, explainer))
    seconds = time.perf_counter() - started
    scores = measure_explanations(classifier, {explainer.name: explanations}, metrics, seed=cell.config.seed)
    return {
        "explainer": explainer.name,
        "explained_texts": len(drawn),
        "explain_seconds": round(seconds / len(drawn), 6),  # of one text
        "explain_passes": sum(explanation.forward_passes for explanation in explanations) / len(drawn),
        "scores": {name: _kept(scores[name, explainer.name], scores[name, RANDOM]) for name in metrics},
    }


def _kept(score: Score, floor: Score) -> Record:
    """Keep the value, that of random words, and for each text how much better it did than random words."""
    better = (score.per_text - floor.per_text) * (1 if score.higher_is_better else -1)
    return {
        "value": json_ready(score.value),
        "random": json_ready(floor.value),
        "higher_is_better": score.higher_is_better,
        "meaning": score.meaning,
        "advantages": [json_ready(number) for number in better.round(DIGITS)],
    }


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use a single thread for a while."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
