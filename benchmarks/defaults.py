"""`whyword train DATA` without options against TF-IDF and logistic regression of scikit-learn, on the same texts.

python benchmarks/defaults.py --data-dir DATA --out results/defaults --datasets sst2,trec --seeds 1

Each run trains as the command line does, with the same budget of minutes on this machine, on one thread, and is tested
on the test split; of HateXplain on the dev split, with a tenth of the training texts held out to choose on. What is
chosen depends on how fast the machine is; the table says what it was. So that other work on the machine changes little,
minutes are those of the processor, not of the wall. Runs that have a record are not repeated.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword.data.dataset import Dataset
from whyword.data.splits import cut_dev
from whyword.grids.runner import RECORDS, EvaluationJob, RunRecord, finished_records, read_records, run_jobs
from whyword.grids.variant import Evaluation, Result, TrainedVariant, Variant, find_source
from whyword.interfaces.document import Document
from whyword.maths.stats.intervals import share_interval
from whyword.models import auto
from whyword.models.auto import BUDGET, train_automatically
from whyword.models.folder import TrainedModel
from whyword.models.train import measure
from whyword.training import timing

DATASETS = ("sst2", "trec", "subj", "ag_news", "imdb", "yelp", "20ng_three", "hatexplain", "twitter")
ROWS = {"ag_news": 8_000, "imdb": 3_000}  # training texts at most, of the larger ones
ON_DEV = ("hatexplain",)  # data sets whose test split is left alone


@dataclass(frozen=True)
class Default(Evaluation):
    """Accuracy and cost of what people get who name no option, and of the baseline that they would write themselves."""

    name: ClassVar[str] = "default"
    budget: float = BUDGET

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Train the default and the baseline; the model of the variant, which is a part of both, is not used."""
        if dataset.name in ON_DEV:
            train, dev, _ = cut_dev(dataset.train, dataset.name)
            dataset = replace(dataset, train=train, dev=dev, test=dataset.dev)
        sentences: list[str] = []
        started = time.process_time()
        chosen = train_automatically(
            {"seed": trained.seed},
            replace(dataset, test=()),
            on_event=lambda event: sentences.append(event) if isinstance(event, str) else None,
            budget=self.budget,
        )
        result: dict[str, Any] = {"cpu_seconds": round(time.process_time() - started, 1)}
        result |= measure(chosen.classifier, dataset.test, "test")
        result |= {"auto": chosen.metrics["auto"], "sentences": sentences}
        return result | {f"baseline_{name}": value for name, value in baseline(dataset).items()}


def baseline(dataset: Dataset) -> dict[str, float]:
    """Measure TF-IDF of words and pairs of words with logistic regression, as scikit-learn's users write it."""
    started = time.process_time()
    pipeline = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LogisticRegression(max_iter=1_000))
    pipeline.fit(*_texts_and_labels(dataset.train))
    texts, labels = _texts_and_labels(dataset.test)
    right = int((pipeline.predict(texts) == np.array(labels)).sum())
    low, high = share_interval(right, len(labels))
    seconds = round(time.process_time() - started, 2)
    return {"accuracy": right / len(labels), "low": low, "high": high, "cpu_seconds": seconds}


def _texts_and_labels(documents: Sequence[Document]) -> tuple[list[str], list[Any]]:
    return [" ".join(d.words.texts) for d in documents], [d.label for d in documents]


def jobs(arguments: argparse.Namespace) -> list[EvaluationJob]:
    """Describe every run, the seeds in turn."""
    variant = Variant("default", {"encoder": {"name": "tfidf"}})
    return [
        EvaluationJob(
            TrainedVariant(variant, find_source(data, data_dir=arguments.data_dir, rows=ROWS.get(data)), seed),
            Default(arguments.budget),
        )
        for seed in range(arguments.seeds)
        for data in arguments.datasets
    ]


def table(records: Sequence[RunRecord]) -> str:
    """Show every run beside its baseline."""
    lines = [
        "| data | training texts | seed | kept | dev accuracy of each | test | 95 % interval | TF-IDF | 95 % interval "
        "| CPU seconds | TF-IDF's |",
        "|---" * 11 + "|",
    ]
    for record in records:
        result = record.result
        dev = ", ".join(f"{name} {100 * value:.1f}" for name, value in result["auto"]["dev_accuracy"].items())
        cells = [record.dataset, f"{record.train_texts:,}", str(record.seed), result["auto"]["chosen"], dev]
        cells += [_percent(result, "test_accuracy"), _interval(result, "test_accuracy_low", "test_accuracy_high")]
        cells += [_percent(result, "baseline_accuracy"), _interval(result, "baseline_low", "baseline_high")]
        cells += [f"{result['cpu_seconds']:.0f}", f"{result['baseline_cpu_seconds']:.1f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _percent(result: Result, name: str) -> str:
    return f"{100 * result[name]:.1f}"


def _interval(result: Result, low: str, high: str) -> str:
    return f"{100 * result[low]:.1f}–{100 * result[high]:.1f}"


def main() -> None:
    """Run what is not recorded yet, and write the table of all records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--datasets", type=lambda text: text.split(","), default=list(DATASETS))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--budget", type=float, default=BUDGET)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    auto.time = timing.time = SimpleNamespace(perf_counter=time.process_time, monotonic=time.process_time)
    todo = jobs(arguments)
    done = finished_records(todo, arguments.out / RECORDS)
    for record in run_jobs([job for job in todo if job.name not in done], arguments.out / RECORDS):
        print(record.name, record.failed or round(record.wall_seconds), flush=True)
    (arguments.out / "table.md").write_text(table(read_records(arguments.out / RECORDS)), encoding="utf-8")


if __name__ == "__main__":
    main()
