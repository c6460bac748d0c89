"""Accuracy on real data: a grid whose runs are recorded once, so that it can be stopped and resumed.

python benchmarks/accuracy.py --data-dir DATA --embeddings GLOVE --out results/spine \
    --datasets sst2,trec,subj --encoders lstm,cnn --methods base,attention --vectors frozen,tuned --seeds 3
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from whyword.data.dataset import Dataset
from whyword.explaining.words import frequency_link, word_importance
from whyword.grids.runner import RECORDS, EvaluationJob, RunRecord, finished_records, read_records, run_jobs
from whyword.grids.variant import Evaluation, Result, TrainedVariant, Variant, file_fingerprint, find_source
from whyword.maths.stats.intervals import SHARE, mean_over_runs
from whyword.models.config import overlay
from whyword.models.folder import TrainedModel
from whyword.report.tables import with_interval

PUBLISHED = {  # test accuracy printed in the papers (300-d vectors): VMASK's table, and VAT's for attention and vat
    ("sst2", "lstm", "base"): 83.74,
    ("trec", "lstm", "base"): 90.40,
    ("subj", "lstm", "base"): 90.20,
    ("sst2", "cnn", "base"): 85.50,
    ("trec", "cnn", "base"): 92.40,
    ("subj", "cnn", "base"): 92.80,
    ("sst2", "lstm", "attention"): 84.73,
    ("trec", "lstm", "attention"): 91.00,
    ("subj", "lstm", "attention"): 90.80,
    ("imdb", "lstm", "attention"): 88.16,
    ("sst1", "lstm", "attention"): 46.29,
    ("yelp", "lstm", "attention"): 95.06,
    ("ag_news", "lstm", "attention"): 91.88,
    ("twitter", "lstm", "attention"): 70.75,
    ("imdb", "lstm", "vat"): 88.98,
    ("sst1", "lstm", "vat"): 47.42,
    ("sst2", "lstm", "vat"): 86.22,
    ("yelp", "lstm", "vat"): 95.32,
    ("ag_news", "lstm", "vat"): 92.04,
    ("trec", "lstm", "vat"): 92.80,
    ("subj", "lstm", "vat"): 91.10,
    ("twitter", "lstm", "vat"): 71.62,
    ("sst2", "minilm", "base"): None,
    ("sst2", "lstm", "l2"): 83.36,
    ("trec", "lstm", "l2"): 90.20,
    ("subj", "lstm", "l2"): 89.10,
    ("sst2", "cnn", "l2"): 85.56,
    ("trec", "cnn", "l2"): 90.62,
    ("subj", "cnn", "l2"): 92.39,
    ("sst2", "lstm", "l2x"): 75.45,
    ("trec", "lstm", "l2x"): 46.00,
    ("subj", "lstm", "l2x"): 81.80,
    ("sst2", "cnn", "l2x"): 80.01,
    ("trec", "cnn", "l2x"): 61.00,
    ("subj", "cnn", "l2x"): 82.40,
    ("sst2", "lstm", "iba"): 83.53,
    ("trec", "lstm", "iba"): 85.40,
    ("subj", "lstm", "iba"): 89.50,
    ("sst2", "cnn", "iba"): 84.24,
    ("trec", "cnn", "iba"): 89.80,
    ("subj", "cnn", "iba"): 91.80,
    ("sst2", "lstm", "vmask"): 84.35,
    ("trec", "lstm", "vmask"): 90.80,
    ("subj", "lstm", "vmask"): 91.20,
    ("sst2", "cnn", "vmask"): 85.78,
    ("trec", "cnn", "vmask"): 93.02,
    ("subj", "cnn", "vmask"): 93.50,
}
AUTHORS_SCRIPTS = {  # the authors' VMASK scripts, made to run, with the same frozen 100-d vectors
    ("sst2", "lstm", "base"): 81.6,
    ("sst2", "cnn", "base"): 76.8,
    ("trec", "lstm", "base"): 87.8,
    ("trec", "cnn", "base"): 90.2,
    ("sst2", "lstm", "vmask"): 82.2,
    ("trec", "lstm", "vmask"): 89.2,
    ("trec", "cnn", "vmask"): 89.2,
}


@dataclass(frozen=True)
class AccuracyAndWords(Evaluation):
    """The metrics of the training run, and of word masks which words they keep."""

    name: ClassVar[str] = "accuracy-and-words"

    def evaluate(self, model: TrainedModel, dataset: Dataset, trained: TrainedVariant) -> Result:
        """Give the metrics of the model, and the importance of words where the method scores them alone."""
        words = {}
        if model.config.method in ("vmask", "iba", "l2x") and trained.variant.vectors:
            importance = word_importance(model.classifier)
            top = list(importance.at_least(5).top(20).rows())
            words = {"frequency": frequency_link(importance).to_dict(), "top_words": top}
        return {**model.metrics, **words, "epochs": len(model.history)}


def jobs(arguments: argparse.Namespace) -> list[EvaluationJob]:
    """Describe every run; variants are called ENCODER-METHOD-VECTORS, and own vectors are a pretrained encoder's."""
    place = None if arguments.embeddings is None else str(Path(arguments.embeddings).resolve())
    fingerprint = None if place is None else file_fingerprint(place)
    sources = [find_source(name, data_dir=arguments.data_dir) for name in arguments.datasets]
    grid = product(range(arguments.seeds), sources, arguments.encoders, arguments.methods, arguments.vectors)
    found = {}
    for seed, source, encoder, method, vectors in grid:
        own = encoder not in ("bag", "affine", "cnn", "lstm")
        settings: dict[str, Any] = {"method": {"name": method}, "encoder": {"name": encoder}}
        if not own:
            settings["encoder"]["frozen"] = vectors == "frozen"
        name = f"{encoder}-{method}-{'own' if own else vectors}"
        variant = Variant(name, overlay(settings, arguments.set), vectors=not own)
        trained = TrainedVariant(variant, source, seed, None, place, fingerprint)
        job = EvaluationJob(trained, AccuracyAndWords())
        found[job.name] = job
    return list(found.values())


def table(out: Path) -> str:
    """Mean over seeds with its 95 % interval (Student's t), beside the published number."""
    groups: dict[tuple[str, ...], list[RunRecord]] = {}
    for record in read_records(out / RECORDS):
        key = (record.dataset, record.encoder, record.method, record.variant.rpartition("-")[2])
        groups.setdefault(key, []).append(record)
    lines = [
        "| data | encoder | method | vectors | seeds | test, 95 % interval | dev | published | script | s/run |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for key, records in sorted(groups.items()):
        accuracy = mean_over_runs([record.result["test_accuracy"] for record in records], SHARE)
        dev = 100 * np.mean([record.result["dev_accuracy"] for record in records])
        seconds = np.mean([record.wall_seconds for record in records])
        printed, script = PUBLISHED.get(key[:3]), AUTHORS_SCRIPTS.get(key[:3])
        beside = script if key[3] == "frozen" else None
        lines.append(
            f"| {' | '.join(key)} | {len(records)} | {with_interval(accuracy, 1, 100)} "
            f"| {dev:.1f} | {printed if printed else '–'} | {beside if beside else '–'} | {seconds:.0f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--embeddings")
    parser.add_argument("--out", type=Path, required=True)
    for name in ("datasets", "encoders", "methods"):
        parser.add_argument(f"--{name}", type=lambda words: words.split(","), required=True)
    parser.add_argument("--vectors", type=lambda words: words.split(","), default=["frozen"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    folder = arguments.out / RECORDS
    todo = jobs(arguments)
    finished = finished_records(todo, folder, print)
    left = [job for job in todo if job.name not in finished]
    for record in run_jobs(left, folder, workers=arguments.processes):
        told = record.failed or f"test {100 * record.result['test_accuracy']:.1f} after {record.wall_seconds:.0f} s"
        print(f"{record.name}: {told}", flush=True)
    (arguments.out / "table.md").write_text(table(arguments.out))
    print(table(arguments.out))


if __name__ == "__main__":
    main()
