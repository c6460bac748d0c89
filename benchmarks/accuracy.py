"""Accuracy on real data: a grid whose cells are written once, so that it can be stopped and resumed.

python benchmarks/accuracy.py --data-dir DATA --embeddings GLOVE --out results/spine \
    --datasets sst2,trec,subj --encoders lstm,cnn --methods base,attention --vectors frozen,tuned --seeds 3
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from cells import mean_and_half, versions, write_cell

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
class Cell:
    """One training run."""

    dataset: str
    encoder: str
    method: str
    vectors: str  # frozen, tuned, or own for pretrained encoders
    seed: int

    @property
    def name(self) -> str:
        """Name the file of the cell."""
        return "-".join(map(str, asdict(self).values()))


def cells(arguments: argparse.Namespace) -> Iterator[Cell]:
    grid = product(range(arguments.seeds), arguments.datasets, arguments.encoders, arguments.methods, arguments.vectors)
    for seed, dataset, encoder, method, vectors in grid:
        pretrained = encoder not in ("bag", "affine", "cnn", "lstm")
        yield Cell(dataset, encoder, method, "own" if pretrained else vectors, seed)


def run(job: tuple[Cell, argparse.Namespace]) -> str:
    """Train one cell in a process of its own, on one core, and write its file in one piece."""
    cell, arguments = job
    place = Path(arguments.out) / "cells" / f"{cell.name}.json"
    if place.exists():
        return f"{cell.name}: done before"
    import torch

    from whyword.data.dataset import load_dataset
    from whyword.explaining.words import frequency_link, word_importance
    from whyword.models.config import make_config, overlay
    from whyword.models.train import train_model

    torch.set_num_threads(1)
    values: dict[str, Any] = {"method": {"name": cell.method}, "encoder": {"name": cell.encoder}, "seed": cell.seed}
    if cell.vectors != "own":
        values["embeddings"] = arguments.embeddings
        values["encoder"]["frozen"] = cell.vectors == "frozen"
    config = make_config(overlay(values, arguments.set))
    started = time.perf_counter()
    model = train_model(config, load_dataset(cell.dataset, data_dir=arguments.data_dir))
    record_words = {}
    if cell.method in ("vmask", "iba", "l2x") and cell.vectors != "own":
        importance = word_importance(model.classifier)
        top = list(importance.at_least(5).top(20).rows())
        record_words = {"frequency": frequency_link(importance).to_dict(), "top_words": top}
    settings = config.to_dict()
    settings["embeddings"] = Path(arguments.embeddings).name if settings["embeddings"] else None
    record = {
        **asdict(cell),
        **model.metrics,
        **record_words,
        "wall_seconds": round(time.perf_counter() - started, 1),
        "epochs": len(model.history),
        "settings": settings,
        "versions": versions(),
    }
    write_cell(record, place)
    return f"{cell.name}: test {100 * record['test_accuracy']:.1f} after {record['wall_seconds']:.0f} s"


def table(out: Path) -> str:
    """Mean over seeds with its 95 % interval (Student's t), beside the published number."""
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for path in sorted((out / "cells").glob("*.json")):
        record = json.loads(path.read_text())
        key = tuple(record[name] for name in ("dataset", "encoder", "method", "vectors"))
        found.setdefault(key, []).append(record)
    lines = [
        "| data | encoder | method | vectors | seeds | test | 95 % interval | dev | published | script | s/run |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for key, records in sorted(found.items()):
        accuracy, half = mean_and_half([100 * record["test_accuracy"] for record in records])
        dev = 100 * np.mean([record["dev_accuracy"] for record in records])
        seconds = np.mean([record["wall_seconds"] for record in records])
        printed, script = PUBLISHED.get(key[:3]), AUTHORS_SCRIPTS.get(key[:3])
        beside = script if key[3] == "frozen" else None
        lines.append(
            f"| {' | '.join(key)} | {len(records)} | {accuracy:.1f} | ±{half:.1f} | {dev:.1f} "
            f"| {printed if printed else '–'} | {beside if beside else '–'} | {seconds:.0f} |"
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
    jobs = [(cell, arguments) for cell in dict.fromkeys(cells(arguments))]
    with multiprocessing.get_context("spawn").Pool(arguments.processes, maxtasksperchild=8) as pool:
        for line in pool.imap_unordered(run, jobs):
            print(line, flush=True)
    (arguments.out / "table.md").write_text(table(arguments.out))
    print(table(arguments.out))


if __name__ == "__main__":
    main()
